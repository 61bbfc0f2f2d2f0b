//! Of whom a clause speaks: what stands before its verb.

use super::lexicon::{
    ends_subject, is_bare_project_noun, is_common, is_house_noun, is_milestone, is_nobody, is_project_noun,
    is_tool_noun,
};
use super::line::Line;
use crate::entity::EntityKind;
use crate::knowledge::claim::About;
use crate::knowledge::value::{slot_of_value, value_key};
use std::ops::Range;

/// Words in a name, at most.
const LONGEST: usize = 5;

/// Of whom, and of what about them.
#[derive(Clone, Debug)]
pub(super) struct Subject {
    pub(super) about: About,
    /// "I" and "we" take other verb forms than names do.
    pub(super) first_person: bool,
    /// Whether the words say what it is, or only that it has a name.
    pub(super) marked: bool,
    /// The words for what belongs to it: "Maya's favourite editor".
    pub(super) attribute: Option<Range<usize>>,
    /// Where the words of the subject end.
    pub(super) next: usize,
}

impl Subject {
    fn new(about: About, next: usize) -> Subject {
        Subject { about, first_person: false, marked: true, attribute: None, next }
    }

    /// What its name makes it, if it has one.
    pub(super) fn likely(&self) -> Option<EntityKind> {
        match &self.about {
            About::Named { likely, .. } => Some(*likely),
            _ => None,
        }
    }

    /// Whether several things of somebody are spoken of: "my summaries".
    pub(super) fn is_plural(&self, line: &Line) -> bool {
        let last = self.attribute.as_ref().map_or("", |attribute| line.word(attribute.end - 1));
        last.ends_with('s') && !last.ends_with("ss") && !matches!(last, "status" | "address" | "os" | "bias")
    }

    /// Somebody with tastes and a life.
    pub(super) fn is_somebody(&self) -> bool {
        matches!(self.likely(), None | Some(EntityKind::Person)) && self.about != About::Agent
    }

    /// A project or a tool beyond doubt.
    pub(super) fn is_thing(&self) -> bool {
        self.marked && matches!(self.likely(), Some(EntityKind::Project | EntityKind::Tool))
    }

    /// The same subject, taken for a project: nothing else has what is said of it.
    pub(super) fn as_project(&self) -> Subject {
        let mut project = self.clone();
        if let About::Named { likely, .. } = &mut project.about {
            *likely = EntityKind::Project;
        }
        project
    }

    /// The subject that begins at this word.
    pub(super) fn at(line: &Line, at: usize) -> Option<Subject> {
        match line.word(at) {
            "" => None,
            "i" | "we" => Some(Subject { first_person: true, ..Subject::new(About::Speaker, at + 1) }),
            "my" | "our" => owned(line, at + 1, About::Speaker),
            "memory" if line.word(at + 1) == "recall" => {
                Some(Subject { attribute: Some(at + 1..at + 2), ..Subject::new(About::Agent, at + 2) })
            }
            "the" => role(line, at + 1)
                .or_else(|| milestone_of(line, at + 1))
                .or_else(|| named(line, at + 1, true)),
            "user" | "operator" | "agent" | "user's" | "operator's" | "agent's" => role(line, at),
            "project" => {
                named(line, at + 1, true).map(|subject| Subject { marked: true, ..subject.as_project() })
            }
            word if is_nobody(word) => None,
            _ => named(line, at, false),
        }
    }
}

/// "user", "operator", "agent", also with what belongs to them.
fn role(line: &Line, at: usize) -> Option<Subject> {
    let word = line.word(at);
    let about = match word.strip_suffix("'s").unwrap_or(word) {
        "user" | "operator" => About::Operator,
        "agent" | "assistant" => About::Agent,
        _ => return None,
    };
    match word.ends_with("'s") {
        true => owned(line, at + 1, about),
        false => ends_subject(line.word(at + 1)).then(|| Subject::new(about, at + 1)),
    }
}

/// "launch of Falcon", "deadline for the thesis project".
fn milestone_of(line: &Line, at: usize) -> Option<Subject> {
    if !is_milestone(line.word(at)) || !matches!(line.word(at + 1), "of" | "for") {
        return None;
    }
    let article = usize::from(line.word(at + 2) == "the");
    let project = named(line, at + 2 + article, article > 0)?.as_project();
    Some(Subject { attribute: Some(at..at + 1), marked: true, ..project })
}

/// What belongs to somebody, up to the verb.
fn owned(line: &Line, at: usize, about: About) -> Option<Subject> {
    let end = phrase_end(line, at)?;
    let owns = |place: usize| line.word(place).ends_with("'s");
    // "my sister's name" is my sister's.
    let named = end > at + 1 && line.word(end - 1) == "name" && owns(end - 2);
    let plain = (at..end - 2 * usize::from(named)).all(|place| !owns(place));
    plain.then(|| Subject { attribute: Some(at..end), ..Subject::new(about, end) })
}

/// Where the words from here to the verb end; none if a mark comes first, or there are none or too many.
fn phrase_end(line: &Line, at: usize) -> Option<usize> {
    let mut end = at;
    while end < at + LONGEST && !ends_subject(line.word(end)) {
        if line.ends_at(end) {
            return None;
        }
        end += 1;
    }
    (end > at && ends_subject(line.word(end)) && end < line.len()).then_some(end)
}

/// A name, or an article and a noun that says what it is.
fn named(line: &Line, at: usize, after_article: bool) -> Option<Subject> {
    let end = phrase_end(line, at)?;
    if let Some(owner) = (at..end).find(|place| line.word(*place).ends_with("'s")) {
        let about = about(line, at..owner + 1, after_article)?;
        let mut subject = owned(line, owner + 1, about.0)?;
        subject.marked = about.1;
        return Some(subject);
    }
    if is_milestone(line.word(end - 1)) && end > at + 1 {
        let (about, _) = about(line, at..end - 1, after_article)?;
        let project = Subject { attribute: Some(end - 1..end), ..Subject::new(about, end) };
        return Some(project.as_project());
    }
    let (about, marked) = about(line, at..end, after_article)?;
    Some(Subject { marked, ..Subject::new(about, end) })
}

/// Whom the words name, and whether they say what it is.
fn about(line: &Line, range: Range<usize>, after_article: bool) -> Option<(About, bool)> {
    let written = line.written(range.clone());
    let name = written.strip_suffix("'s").or_else(|| written.strip_suffix("’s")).unwrap_or(written);
    let last = line.word(range.end - 1);
    let last = last.strip_suffix("'s").unwrap_or(last);
    let capital = line.is_capital(range.start);
    let noun = (is_project_noun(last) || is_tool_noun(last)) && (range.len() > 1 || after_article);
    if noun {
        return noun_phrase(line, range, name, last);
    }
    // "The weather" is nobody, and neither is "average people".
    let all_capital = capital && range.clone().all(|place| line.is_capital(place) || line.is_number(place));
    let likely = match () {
        () if is_house_noun(last) && range.len() > 1 && capital => EntityKind::Organization,
        () if name.contains('.') && range.len() == 1 && !line.is_number(range.start) => EntityKind::Project,
        () if after_article && !all_capital || range.len() == 1 && is_common(last) => return None,
        () if all_capital && slot_of_value(&value_key(name)).is_some() => EntityKind::Tool,
        () if all_capital => return Some((named_as(name, EntityKind::Person), false)),
        // A project that is written without a capital: what only a project can be is read of it.
        () if range.len() == 1 && range.start == 0 && name.len() > 2 => {
            return Some((named_as(name, EntityKind::Project), false));
        }
        () => return None,
    };
    Some((named_as(name, likely), true))
}

/// "Telegram bot", "Falcon project", "staging server". A bare "server" is any.
fn noun_phrase(line: &Line, range: Range<usize>, name: &str, last: &str) -> Option<(About, bool)> {
    let begins_well = !is_nobody(line.word(range.start));
    if range.len() < 2 || !begins_well {
        return None;
    }
    let likely = if is_project_noun(last) { EntityKind::Project } else { EntityKind::Tool };
    let name = match is_bare_project_noun(last) {
        true => line.written(range.start..range.end - 1),
        false => name,
    };
    Some((named_as(name, likely), true))
}

fn named_as(name: &str, likely: EntityKind) -> About {
    About::Named { name: name.to_owned(), likely }
}
