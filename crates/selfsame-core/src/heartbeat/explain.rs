//! A tick explained: what a good colleague would answer to "why did you say that", or "why did you say nothing".

use super::decision::{Decision, Seen, StepName, StepTrace};
use super::next_tick::NextTick;
use super::nudge::{Labels, shown};
use super::signal::Sighting;
use super::wording::{clock, counted, in_period, many, span};
use crate::time::{Time, Zone};
use std::time::Duration;

/// No line is wider.
pub const WIDTH: usize = 80;

/// Things of one signal that are named.
const NAMED: usize = 3;

/// A tick, as it is to be explained.
#[derive(Clone, Copy, Debug)]
pub struct Tick<'a> {
    /// What came of it.
    pub decision: &'a Decision,
    /// What was found.
    pub sightings: &'a [Sighting],
    /// The words of what was found, as far as they are still known.
    pub labels: &'a Labels,
    /// The principal's clock.
    pub zone: &'a Zone,
    /// When it was.
    pub now: Time,
    /// When the next one is.
    pub next: &'a NextTick,
    /// How long it took.
    pub took: Duration,
    /// SQL statements that it executed.
    pub statements: u64,
    /// Whether it was only looked what would come of it.
    pub imagined: bool,
}

/// The explanation, in lines of at most [`WIDTH`] characters.
pub fn explain(tick: &Tick<'_>) -> Vec<String> {
    let mut page = Page::default();
    page.line("", &verdict(tick));
    seen(tick, &mut page);
    steps(tick.decision, &mut page);
    change(tick.decision, &mut page);
    cost(tick, &mut page);
    page.lines
}

/// The answer first.
fn verdict(tick: &Tick<'_>) -> String {
    let decision = tick.decision;
    let when = clock(tick.zone, tick.now, tick.now);
    let said = match (decision.verdict.is_act(), decision.verdict.step(), tick.imagined) {
        (true, StepName::FirstContact, false) => "I introduced myself",
        (true, StepName::FirstContact, true) => "I would introduce myself",
        (true, _, false) => "I spoke up",
        (true, _, true) => "I would speak up",
        (false, _, false) => "I said nothing",
        (false, _, true) => "I would say nothing",
    };
    let day = tick.zone.date(tick.now);
    let (step, reason) = (step_words(decision.verdict.step()), decision.verdict.reason());
    let decided = match (decision.verdict.is_act(), decision.verdict.step()) {
        (true, StepName::Topic) => "nothing stood against it".to_owned(),
        _ => format!("step {} decided ({step})", decision.verdict.step().number()),
    };
    format!(
        "On {} at {when}, {}, {said}: {reason}; {decided}.",
        crate::local::show_day(day),
        in_period(decision.period)
    )
}

fn seen(tick: &Tick<'_>, page: &mut Page) {
    if tick.sightings.is_empty() {
        page.line("", "Seen: nothing.");
        return;
    }
    page.line("", "Seen:");
    for sighting in tick.sightings {
        let signal = &sighting.signal;
        let named: Vec<String> = sighting
            .listed
            .iter()
            .filter_map(|finding| {
                let label = tick.labels.get(&finding.id).unwrap_or(&finding.label);
                Some(shown(label, 40)).filter(|label| !label.is_empty())
            })
            .take(NAMED)
            .collect();
        let more = if sighting.count > named.len() && !named.is_empty() { ", ..." } else { "" };
        let what = if named.is_empty() { String::new() } else { format!(": {}{more}", named.join("; ")) };
        let told = if is_told(tick.decision, sighting) { "told" } else { "not told" };
        let name = shown(&signal.name, 40);
        page.line(
            "  ",
            &format!(
                "{} {name} ({}, weight {}, {told}){what}",
                many(sighting.count),
                signal.tier.as_str(),
                signal.weight
            ),
        );
    }
}

fn is_told(decision: &Decision, sighting: &Sighting) -> bool {
    decision.surfaced.iter().any(|told| told.signal.name == sighting.signal.name)
}

fn steps(decision: &Decision, page: &mut Page) {
    page.line("", "Steps:");
    for trace in &decision.trace {
        let dropped = dropped(trace);
        page.line(
            "  ",
            &format!("{} {}: {}{dropped}", trace.step.number(), step_words(trace.step), trace.note),
        );
    }
}

fn dropped(trace: &StepTrace) -> String {
    let one = |seen: &Seen| format!("{} {}", many(seen.count), shown(&seen.signal, 40));
    match trace.dropped.as_slice() {
        [] => String::new(),
        dropped => format!("; held back: {}", dropped.iter().map(one).collect::<Vec<_>>().join(", ")),
    }
}

/// What would have made a difference: at the step that ended it, or where something was held back.
fn change(decision: &Decision, page: &mut Page) {
    let changes: Vec<String> = decision
        .trace
        .iter()
        .filter_map(|trace| Some(format!("{}, if {}", step_words(trace.step), trace.unless.as_ref()?)))
        .collect();
    if !changes.is_empty() {
        page.line("", "It would go another way:");
        for change in changes {
            page.line("  ", &change);
        }
    }
}

fn cost(tick: &Tick<'_>, page: &mut Page) {
    let statements = counted(tick.statements as usize, "statement", "statements");
    page.line("", &format!("It took {} and {statements}; 0 tokens.", took(tick.took)));
    let next = clock(tick.zone, tick.next.at, tick.now);
    page.line(
        "",
        &format!("Next look at {next}, in {}: {}.", span(tick.next.at.since(tick.now)), tick.next.why),
    );
}

/// To a hundredth of a millisecond: ticks are short.
fn took(took: Duration) -> String {
    format!("{:.2} ms", took.as_micros() as f64 / 1000.0)
}

const fn step_words(step: StepName) -> &'static str {
    match step {
        StepName::Held => "held",
        StepName::FirstContact => "first contact",
        StepName::CriticalDeadline => "critical deadline",
        StepName::TimeOfDay => "time of day",
        StepName::Conversation => "conversation",
        StepName::Confluence => "confluence",
        StepName::Novelty => "novelty and cooldown",
        StepName::Topic => "topic",
    }
}

#[derive(Default)]
struct Page {
    lines: Vec<String>,
}

impl Page {
    /// Adds a text, broken between words; what goes on is indented further.
    fn line(&mut self, indent: &str, text: &str) {
        let mut line = indent.to_owned();
        let mut empty = true;
        for word in text.split(' ').flat_map(pieces) {
            if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.lines.push(std::mem::replace(&mut line, format!("{indent}    ")));
                empty = true;
            }
            if !empty {
                line.push(' ');
            }
            line.push_str(&word);
            empty = false;
        }
        self.lines.push(line);
    }
}

/// A word that is wider than a line in pieces that are not.
fn pieces(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    if letters.is_empty() {
        return vec![String::new()];
    }
    letters.chunks(WIDTH - 10).map(|piece| piece.iter().collect()).collect()
}
