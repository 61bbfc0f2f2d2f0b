//! Histories whose truth is known: what is so and when it changes, who speaks of it, and how far they can be relied on.
//! Everything follows from a seed.

use super::super::dice::Dice;
use selfsame::knowledge::ObservationKind;

/// How long a history is.
pub(super) const DAYS: u32 = 180;
/// How often a change is announced as one.
const ANNOUNCED: f64 = 0.5;
/// Of what is said wrongly, how much was so once.
const OUTDATED: f64 = 0.5;
/// How often a document comes in many copies.
const COPIED: f64 = 0.3;

const PEOPLE: [&str; 6] = ["Maya", "Jonas", "Ines", "Tomas", "Freya", "Oskar"];
const PROJECTS: [&str; 3] = ["Heron", "Bramble", "Quarry"];
const TOOLS: [&str; 3] = ["courier", "lantern", "anvil"];

/// A question that is asked of everybody or everything of a sort, and the answers that there are.
struct Topic {
    kind: ObservationKind,
    slot: &'static str,
    answers: [&'static str; 6],
}

const OF_PEOPLE: [Topic; 4] = [
    Topic {
        kind: ObservationKind::OperatorPreference,
        slot: "database",
        answers: ["PostgreSQL", "SQLite", "MySQL", "DuckDB", "MongoDB", "Redis"],
    },
    Topic {
        kind: ObservationKind::OperatorPreference,
        slot: "editor",
        answers: ["Vim", "Emacs", "Helix", "Zed", "Nano", "Kakoune"],
    },
    Topic {
        kind: ObservationKind::RelationshipFact,
        slot: "employer",
        answers: ["Acme", "Borealis", "Corvid", "Delmar", "Estuary", "Fathom"],
    },
    Topic {
        kind: ObservationKind::RelationshipFact,
        slot: "residence",
        answers: ["Ghent", "Porto", "Turku", "Graz", "Lille", "Malmö"],
    },
];

const OF_PROJECTS: [Topic; 2] = [
    Topic {
        kind: ObservationKind::ProjectState,
        slot: "phase",
        answers: ["planning", "alpha", "beta", "review", "release", "maintenance"],
    },
    Topic {
        kind: ObservationKind::ProjectState,
        slot: "hosting",
        answers: ["AWS", "Azure", "Hetzner", "Heroku", "Vercel", "Netlify"],
    },
];

const OF_TOOLS: [Topic; 2] = [
    Topic {
        kind: ObservationKind::ToolingState,
        slot: "mode",
        answers: ["webhook", "polling", "batch", "stream", "manual", "idle"],
    },
    Topic {
        kind: ObservationKind::ToolingState,
        slot: "port",
        answers: ["443", "8080", "9000", "3000", "5432", "6379"],
    },
];

/// Whose words something is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Voice {
    Operator,
    /// A principal, by number.
    Principal(usize),
    /// The agent, about what a tool or a document says.
    Agent,
}

/// Somebody or something that speaks.
struct Source {
    voice: Voice,
    /// How often it says what is so.
    reliability: f64,
    /// How often it speaks, beside the others.
    speaks: usize,
    is_document: bool,
    /// Whether it says the same wrong thing each time.
    lies: bool,
}

const fn source(voice: Voice, reliability: f64, speaks: usize) -> Source {
    Source { voice, reliability, speaks, is_document: false, lies: false }
}

const SOURCES: [Source; 6] = [
    source(Voice::Operator, 0.97, 1),
    source(CAREFUL, 0.92, 4),
    source(Voice::Principal(1), 0.75, 4),
    Source { lies: true, ..source(Voice::Principal(2), 0.1, 2) },
    source(Voice::Agent, 0.9, 3),
    Source { is_document: true, ..source(Voice::Agent, 0.7, 2) },
];
/// Who announces changes.
const CAREFUL: Voice = Voice::Principal(0);
/// How many principals there are beside the operator.
pub(super) const PRINCIPALS: usize = 3;

/// A question of which the answer is known.
pub(super) struct Question {
    pub(super) subject: &'static str,
    pub(super) kind: ObservationKind,
    pub(super) slot: &'static str,
    answers: [&'static str; 6],
    /// What is so, from which day; the first from the beginning.
    truths: Vec<(u32, &'static str)>,
    /// What the liar says.
    lie: &'static str,
}

impl Question {
    /// What is so on a day.
    pub(super) fn truth(&self, day: u32) -> &'static str {
        self.truths.iter().rev().find(|(from, _)| *from <= day).map_or(self.truths[0].1, |(_, value)| value)
    }

    /// What was so before that, if anything was.
    fn outdated(&self, day: u32) -> Option<&'static str> {
        let by_then = self.truths.iter().filter(|(from, _)| *from <= day).count();
        by_then.checked_sub(2).map(|before| self.truths[before].1)
    }

    fn announced_on(&self, day: u32) -> Option<(&'static str, &'static str)> {
        let changed = self.truths.iter().skip(1).any(|(from, _)| *from == day);
        self.outdated(day).filter(|_| changed).map(|old| (old, self.truth(day)))
    }
}

/// Something that is said.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Said {
    pub(super) day: u32,
    pub(super) voice: Voice,
    /// Place of the question.
    pub(super) question: usize,
    pub(super) value: &'static str,
    /// What it says is over.
    pub(super) replaces: Option<&'static str>,
    /// The document that it was read in.
    pub(super) document: Option<String>,
    /// Which copy of it this is.
    pub(super) copy: usize,
}

/// A history.
pub(super) struct History {
    pub(super) seed: u64,
    pub(super) questions: Vec<Question>,
    /// In the order of their days.
    pub(super) said: Vec<Said>,
}

impl History {
    /// The history of a seed.
    pub(super) fn new(seed: u64) -> History {
        // Seeds that follow each other must not give throws that do.
        let mut dice = Dice(seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let mut questions = Vec::new();
        let groups: [(&[&'static str], &[Topic]); 3] =
            [(&PEOPLE, &OF_PEOPLE), (&PROJECTS, &OF_PROJECTS), (&TOOLS, &OF_TOOLS)];
        for (subjects, topics) in groups {
            for subject in subjects {
                questions.extend(topics.iter().map(|topic| question(&mut dice, subject, topic)));
            }
        }
        let mut said = Vec::new();
        for day in 0..DAYS {
            for (place, question) in questions.iter().enumerate() {
                speak(&mut dice, &mut said, day, place, question);
            }
        }
        History { seed, questions, said }
    }
}

fn question(dice: &mut Dice, subject: &'static str, topic: &Topic) -> Question {
    let mut truths = vec![(0, *dice.pick(&topic.answers))];
    for day in 1..DAYS {
        // What is looked at less often changes less often.
        if dice.happens(1.0 / (4.0 * cadence_days(topic.kind))) {
            let before = truths[truths.len() - 1].1;
            truths.push((day, other_than(dice, &topic.answers, before)));
        }
    }
    let lie = *dice.pick(&topic.answers);
    Question { subject, kind: topic.kind, slot: topic.slot, answers: topic.answers, truths, lie }
}

fn cadence_days(kind: ObservationKind) -> f64 {
    kind.cadence().as_secs_f64() / 86_400.0
}

fn other_than(dice: &mut Dice, answers: &[&'static str], value: &str) -> &'static str {
    let others: Vec<&'static str> = answers.iter().copied().filter(|other| *other != value).collect();
    others[dice.below(others.len())]
}

/// What is said of a question on a day, if anything is.
fn speak(dice: &mut Dice, said: &mut Vec<Said>, day: u32, place: usize, question: &Question) {
    if let Some((old, new)) = question.announced_on(day)
        && dice.happens(ANNOUNCED)
    {
        said.push(Said {
            day,
            voice: CAREFUL,
            question: place,
            value: new,
            replaces: Some(old),
            document: None,
            copy: 0,
        });
    }
    if dice.happens((1.0 / cadence_days(question.kind)).clamp(0.05, 0.4)) {
        let source = chosen(dice);
        let value = answer(dice, source, question, day);
        let copies = if source.is_document && dice.happens(COPIED) { 2 + dice.below(8) } else { 1 };
        let document = (source.voice == Voice::Agent).then(|| format!("report {} of {place}", said.len()));
        for copy in 0..copies {
            let document = document.clone();
            said.push(Said {
                day,
                voice: source.voice,
                question: place,
                value,
                replaces: None,
                document,
                copy,
            });
        }
    }
}

fn chosen(dice: &mut Dice) -> &'static Source {
    let all: usize = SOURCES.iter().map(|source| source.speaks).sum();
    let mut left = dice.below(all);
    for source in &SOURCES {
        match left.checked_sub(source.speaks) {
            Some(rest) => left = rest,
            None => return source,
        }
    }
    &SOURCES[0]
}

/// What a source says the answer is.
fn answer(dice: &mut Dice, source: &Source, question: &Question, day: u32) -> &'static str {
    let truth = question.truth(day);
    if dice.happens(source.reliability) {
        return truth;
    }
    if source.lies && question.lie != truth {
        return question.lie;
    }
    match question.outdated(day).filter(|old| *old != truth && dice.happens(OUTDATED)) {
        Some(old) => old,
        None => other_than(dice, &question.answers, truth),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_history() {
        let (one, same, other) = (History::new(1), History::new(1), History::new(2));
        assert_eq!(one.said, same.said);
        assert_ne!(one.said, other.said);
        assert_eq!(one.questions.len(), 36);
        assert!(one.said.is_sorted_by_key(|said| said.day));
    }

    #[test]
    fn what_is_so_changes_on_its_day() {
        let question = Question {
            subject: "Maya",
            kind: ObservationKind::RelationshipFact,
            slot: "residence",
            answers: OF_PEOPLE[3].answers,
            truths: vec![(0, "Ghent"), (10, "Porto"), (20, "Graz")],
            lie: "Turku",
        };
        assert_eq!(
            [0, 9, 10, 19, 20, 99].map(|day| question.truth(day)),
            ["Ghent", "Ghent", "Porto", "Porto", "Graz", "Graz"]
        );
        assert_eq!([9, 10, 25].map(|day| question.outdated(day)), [None, Some("Ghent"), Some("Porto")]);
        assert_eq!(question.announced_on(10), Some(("Ghent", "Porto")));
        assert_eq!((question.announced_on(0), question.announced_on(11)), (None, None));
    }

    #[test]
    fn sources_are_as_reliable_as_they_are_said_to_be() {
        let mut right = std::collections::BTreeMap::<Voice, (f64, f64)>::new();
        for seed in 0..20 {
            let history = History::new(seed);
            for said in history.said.iter().filter(|said| said.document.is_none() && said.replaces.is_none())
            {
                let counted = right.entry(said.voice).or_default();
                counted.0 +=
                    f64::from(u8::from(history.questions[said.question].truth(said.day) == said.value));
                counted.1 += 1.0;
            }
        }
        for source in SOURCES.iter().filter(|source| source.voice != Voice::Agent) {
            let (true_ones, all) = right[&source.voice];
            assert!((true_ones / all - source.reliability).abs() < 0.05, "{:?}", source.voice);
        }
    }

    #[test]
    fn there_are_copies_and_announcements() {
        let history = History::new(3);
        assert!(history.said.iter().any(|said| said.copy > 0 && said.document.is_some()));
        let announced = history.said.iter().filter(|said| said.replaces.is_some());
        assert!(announced.clone().count() > 0);
        assert!(announced.clone().all(|said| said.voice == CAREFUL && said.replaces != Some(said.value)));
    }
}
