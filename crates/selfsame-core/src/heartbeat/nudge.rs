//! What is said: a template's words for what a decision tells. A thinker may rephrase them, never press harder.

use super::decision::{Decision, StepName};
use super::signal::{Finding, MAX_COUNTED, RefKind, Sighting, Tier, names, rung_before};
use super::wording::{counted, day_and_clock, many};
use crate::id::Id;
use crate::json::canonical;
use crate::time::{Time, Zone};
use crate::word::words;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

words! {
    /// What sort of thing is said.
    NudgeKind, "kind of nudge":
    /// The agent introduces itself.
    Introduction = "introduction",
    /// Something that was asked for is due.
    Reminder = "reminder",
    /// A deadline is near or past.
    Deadline = "deadline",
    /// Something seems worth a word.
    Suggestion = "suggestion",
}

words! {
    /// What the principal could do.
    NudgeAction, "action":
    /// Answer it.
    Answer = "answer",
    /// Say that it is done.
    Done = "done",
    /// Hear of it later.
    Snooze = "snooze",
    /// Hear no more of it.
    Dismiss = "dismiss",
}

/// Why something is said: a signal and its words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Why {
    /// Which signal.
    pub signal: String,
    /// What it means, and how many of it.
    pub words: String,
}

/// Something said unasked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Nudge {
    /// What sort of thing.
    pub kind: NudgeKind,
    /// The words.
    pub what: String,
    /// Why.
    pub why: Vec<Why>,
    /// What could be done.
    pub actions: Vec<NudgeAction>,
    /// How much it presses: the highest tier that is told, neither more nor less.
    pub urgency: Tier,
}

impl Nudge {
    /// Why, as canonical JSON.
    pub fn why_json(&self) -> String {
        let one = |why: &Why| serde_json::json!({"signal": why.signal, "words": why.words});
        canonical(&self.why.iter().map(one).collect())
    }

    /// What could be done, as canonical JSON.
    pub fn actions_json(&self) -> String {
        canonical(&self.actions.iter().map(|action| action.as_str()).collect())
    }
}

/// The words of what was found, by its id, where the findings do not carry them.
pub type Labels = BTreeMap<Id, String>;

/// Who speaks to whom, by which clock.
#[derive(Clone, Copy, Debug)]
pub struct Voice<'a> {
    /// Who is spoken to.
    pub principal: &'a str,
    /// Who speaks.
    pub agent: &'a str,
    /// The principal's clock.
    pub zone: &'a Zone,
    /// When.
    pub now: Time,
}

/// Characters of a label that are shown.
const LABEL: usize = 120;
/// Characters of a name that are shown.
const NAME: usize = 60;
/// Things that are named one by one, over all signals.
const NAMED: usize = 7;

/// The words for what a decision tells; nothing if it is silent.
pub fn phrase(decision: &Decision, labels: &Labels, voice: &Voice<'_>) -> Option<Nudge> {
    if !decision.verdict.is_act() {
        return None;
    }
    let kind = kind(decision);
    let what = match kind {
        NudgeKind::Introduction => introduction(voice),
        _ => list(&decision.surfaced, labels, voice),
    };
    Some(Nudge {
        kind,
        what,
        why: decision.surfaced.iter().map(why).collect(),
        actions: actions(kind),
        urgency: decision.tier.unwrap_or(Tier::Low),
    })
}

/// What is due gives its name to what is said with it: whether it reached somebody is followed up.
fn kind(decision: &Decision) -> NudgeKind {
    let tells = |name: &str| decision.surfaced.iter().any(|sighting| sighting.signal.name == name);
    match decision.verdict.step() {
        StepName::FirstContact => NudgeKind::Introduction,
        _ if tells(names::SCHEDULED) => NudgeKind::Reminder,
        _ if tells(names::DEADLINE) => NudgeKind::Deadline,
        _ => NudgeKind::Suggestion,
    }
}

fn actions(kind: NudgeKind) -> Vec<NudgeAction> {
    match kind {
        NudgeKind::Introduction => vec![NudgeAction::Answer, NudgeAction::Dismiss],
        NudgeKind::Reminder | NudgeKind::Deadline => {
            vec![NudgeAction::Done, NudgeAction::Snooze, NudgeAction::Dismiss]
        }
        NudgeKind::Suggestion => vec![NudgeAction::Answer, NudgeAction::Snooze, NudgeAction::Dismiss],
    }
}

fn introduction(voice: &Voice<'_>) -> String {
    let (principal, agent) = (shown(voice.principal, NAME), shown(voice.agent, NAME));
    let hello = if principal.is_empty() { "Hello".to_owned() } else { format!("Hello {principal}") };
    let who = if agent.is_empty() { "your assistant".to_owned() } else { format!("{agent}, your assistant") };
    format!(
        "{hello}, I am {who}. I remember what you tell me, remind you of what is due, and otherwise stay quiet. \
         What are you working on these days?"
    )
}

/// One thing is a sentence; several are a short list, what presses most first.
fn list(surfaced: &[Sighting], labels: &Labels, voice: &Voice<'_>) -> String {
    let (mut lines, mut count, mut said) = (Vec::new(), 0, BTreeSet::new());
    // Where a signal was counted no further, the sum is no less.
    let mut least = "";
    for sighting in surfaced {
        // What an earlier signal named is not named again; a count and a mood are both of the principal, and two things.
        let is_new = |finding: &&Finding| {
            finding.kind == RefKind::Principal || said.insert((finding.kind, finding.id))
        };
        let fresh: Vec<&Finding> = sighting.listed.iter().filter(is_new).collect();
        let unlisted = sighting.count.saturating_sub(sighting.listed.len());
        let named = fresh.len().min(NAMED.saturating_sub(lines.len()).max(1));
        lines.extend(fresh[..named].iter().map(|finding| item(sighting, finding, labels, voice)));
        let more = fresh.len() - named + unlisted;
        let plus = if sighting.count < MAX_COUNTED { "" } else { "+" };
        if more > 0 {
            lines.push(format!("and {more}{plus} more ({})", shown(&sighting.signal.name, NAME)));
        }
        least = if plus.is_empty() { least } else { "At least " };
        count += fresh.len() + unlisted;
    }
    match lines.as_slice() {
        [one] => one.clone(),
        several => {
            let head = format!("{least}{}:", counted(count, "thing", "things"));
            let items = several.iter().map(|line| format!("- {line}"));
            [head].into_iter().chain(items).collect::<Vec<_>>().join("\n")
        }
    }
}

/// One thing that was found: `Reminder: pay rent (due today at 09:00)`.
fn item(sighting: &Sighting, finding: &Finding, labels: &Labels, voice: &Voice<'_>) -> String {
    let label = labels.get(&finding.id).unwrap_or(&finding.label);
    let label = shown(label, LABEL);
    let meaning = shown(&sighting.signal.meaning, LABEL);
    let label = if label.is_empty() { meaning.clone() } else { label };
    let due = finding.due_at.map(|at| day_and_clock(voice.zone, at, voice.now));
    match (sighting.signal.name.as_str(), due) {
        (names::SCHEDULED, Some(due)) => format!("Reminder: {label} (due {due})"),
        (names::SCHEDULED, None) => format!("Reminder: {label}"),
        (names::DEADLINE, due) => {
            let when = due.map(|due| format!(", {due}")).unwrap_or_default();
            format!("Deadline: {label} ({}{when})", stands(&finding.status))
        }
        (_, Some(due)) => format!("{label} (due {due})"),
        (_, None) if label == meaning => label,
        (_, None) => format!("{label} ({meaning})"),
    }
}

/// Where a deadline stands, in words.
fn stands(rung: &str) -> String {
    match rung_before(rung) {
        Some(Duration::ZERO) => "due now".to_owned(),
        Some(_) => format!("within {rung}"),
        None => match rung.strip_prefix("overdue_").map(|after| (after, after.parse())) {
            Some((_, Ok(days))) => format!("{} overdue", counted(days, "day", "days")),
            Some((after, Err(_))) => format!("{} overdue", shown(after, NAME)),
            None => "overdue".to_owned(),
        },
    }
}

fn why(sighting: &Sighting) -> Why {
    let signal = &sighting.signal;
    let meaning = shown(&signal.meaning, LABEL);
    let words = if signal.aggregate { meaning } else { format!("{meaning}: {}", many(sighting.count)) };
    Why { signal: signal.name.clone(), words }
}

/// A text as one plain line of at most so many characters: it was written by others, and must not end the line, colour the
/// terminal or turn the direction of what follows.
pub(super) fn shown(text: &str, most: usize) -> String {
    let unseen = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    let plain: String = text.chars().map(|c| if unseen(c) { ' ' } else { c }).collect();
    let words: Vec<&str> = plain.split_whitespace().collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        None => line,
        Some(_) => {
            let cut: String = line.chars().take(most.saturating_sub(1)).collect();
            format!("{}…", cut.trim_end())
        }
    }
}
