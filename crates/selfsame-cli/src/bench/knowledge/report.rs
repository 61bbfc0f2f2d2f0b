//! Figures of a run, as programs read them; `commands/bench/knowledge.rs` puts them in words.

use super::super::beam::{LabelledChat, Sort};
use super::chat::Beliefs;
use super::labels::{Outcome, judge};
use super::life::{Believed, Life};
use selfsame::knowledge::calibration::{Forecast, Tenth, brier, reliability};
use selfsame::knowledge::confidence::FORMULA;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Days of a history that are one line of its course.
const COURSE: u32 = 60;

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) chats: Chats,
    /// The same of the chats that the rules may be written against, and of the others; nothing of a single chat.
    pub(crate) chat_halves: Vec<ChatHalf>,
    /// The development half, on which a formula may be fitted, and the other.
    pub(crate) histories: Vec<Half>,
    /// Every pair and every belief, for a dump.
    #[serde(skip)]
    details: Vec<Value>,
}

/// What was found in one half of the chats.
#[derive(Serialize)]
pub(crate) struct ChatHalf {
    pub(crate) half: &'static str,
    #[serde(flatten)]
    pub(crate) chats: Chats,
}

/// A chat, and what is believed after it.
type Told<'a> = (&'a LabelledChat, &'a Beliefs);

/// What was found in chats.
#[derive(Serialize)]
pub(crate) struct Chats {
    pub(crate) chats: usize,
    pub(crate) messages: usize,
    pub(crate) memories: usize,
    /// What is believed in the end.
    pub(crate) beliefs: usize,
    pub(crate) contradictions: Found,
    pub(crate) updates: Found,
    /// Updates of which one of the messages is behind something that is believed.
    pub(crate) updates_read: usize,
    /// Updates of which the newest value is what is believed.
    pub(crate) updates_current: usize,
    pub(crate) update_accuracy: f64,
    /// Two messages that are held to be at odds.
    pub(crate) flagged_pairs: usize,
    pub(crate) flagged_per_100_messages: f64,
    pub(crate) skipped_ids: usize,
    pub(crate) labels_left_out: usize,
    /// Kinds of belief of which some could not be looked at.
    pub(crate) kinds_cut: usize,
}

/// Labelled pairs, and how many of them were found.
#[derive(Serialize)]
pub(crate) struct Found {
    pub(crate) labelled: usize,
    pub(crate) found: usize,
    pub(crate) recall: f64,
}

/// What was believed in one half of the histories.
#[derive(Serialize)]
pub(crate) struct Half {
    pub(crate) half: &'static str,
    pub(crate) histories: usize,
    pub(crate) beliefs: usize,
    /// The share of them that was true.
    pub(crate) accuracy: f64,
    /// Each formula for confidence, the first first.
    pub(crate) formulas: Vec<Calibration>,
    pub(crate) course: Vec<Stretch>,
}

/// How well a formula says how far a belief is true.
#[derive(Serialize)]
pub(crate) struct Calibration {
    pub(crate) formula: u32,
    pub(crate) brier: f64,
    pub(crate) reliability: Vec<Row>,
}

/// A tenth of the reliability table.
#[derive(Serialize)]
pub(crate) struct Row {
    pub(crate) from: f64,
    pub(crate) beliefs: usize,
    pub(crate) confidence: f64,
    #[serde(rename = "true")]
    pub(crate) is_true: f64,
}

/// Some days of the histories.
#[derive(Serialize)]
pub(crate) struct Stretch {
    pub(crate) from_day: u32,
    pub(crate) to_day: u32,
    /// The share of the questions that were spoken of and had an answer that was believed.
    pub(crate) answered: f64,
    /// The share of those answers that was true.
    pub(crate) accuracy: f64,
}

impl Report {
    pub(super) fn new(chats: &[LabelledChat], found: &[Beliefs], lives: &[Life]) -> Report {
        let halves = [("development", 0), ("test", 1)];
        let half = |(name, rest): (&'static str, u64)| {
            let of_it: Vec<&Life> = lives.iter().filter(|life| life.seed % 2 == rest).collect();
            (!of_it.is_empty()).then(|| Half::new(name, &of_it))
        };
        let told: Vec<Told> = chats.iter().zip(found).collect();
        Report {
            chats: Chats::new(&told),
            chat_halves: chat_halves(told),
            histories: halves.into_iter().filter_map(half).collect(),
            details: details(chats, found, lives),
        }
    }

    /// Writes every flagged pair and every belief that was looked at, one to a line.
    pub(crate) fn dump(&self, file: impl Write) -> io::Result<()> {
        let mut file = io::BufWriter::new(file);
        for detail in &self.details {
            serde_json::to_writer(&mut file, detail)?;
            file.write_all(b"\n")?;
        }
        file.flush()
    }
}

impl Chats {
    fn new(told: &[Told]) -> Chats {
        let outcomes: Vec<Outcome> = told
            .iter()
            .flat_map(|(chat, found)| chat.labels.iter().map(|label| judge(label, found)))
            .collect();
        let updates = outcomes.iter().filter(|outcome| outcome.sort == Sort::Update);
        let updates_current = updates.clone().filter(|outcome| outcome.is_current).count();
        let sum = |count: fn(&Beliefs) -> usize| told.iter().map(|(_, found)| count(found)).sum::<usize>();
        let (messages, flagged_pairs) = (sum(|one| one.messages), sum(|one| one.flagged.len()));
        let trouble = told.iter().map(|(chat, _)| &chat.sample.trouble);
        Chats {
            chats: told.len(),
            messages,
            memories: sum(|one| one.memories),
            beliefs: sum(|one| one.active.len()),
            contradictions: Found::of(&outcomes, Sort::Contradiction),
            updates_read: updates.clone().filter(|outcome| outcome.is_read).count(),
            updates_current,
            update_accuracy: share(updates_current, updates.count()),
            updates: Found::of(&outcomes, Sort::Update),
            flagged_pairs,
            flagged_per_100_messages: 100.0 * share(flagged_pairs, messages),
            skipped_ids: trouble.clone().map(|trouble| trouble.skipped_ids).sum(),
            labels_left_out: trouble.map(|trouble| trouble.left_out).sum(),
            kinds_cut: sum(|one| one.cut),
        }
    }
}

/// The first half by number is what the rules may be written against.
fn chat_halves(mut told: Vec<Told>) -> Vec<ChatHalf> {
    if told.len() < 2 {
        return Vec::new();
    }
    told.sort_by_key(|(chat, _)| (chat.sample.name.len(), &chat.sample.name));
    let (development, test) = told.split_at(told.len().div_ceil(2));
    [("development", development), ("test", test)]
        .map(|(half, told)| ChatHalf { half, chats: Chats::new(told) })
        .into()
}

impl Found {
    fn of(outcomes: &[Outcome], sort: Sort) -> Found {
        let labelled = outcomes.iter().filter(|outcome| outcome.sort == sort);
        let found = labelled.clone().filter(|outcome| outcome.is_found).count();
        let labelled = labelled.count();
        Found { labelled, found, recall: share(found, labelled) }
    }
}

impl Half {
    fn new(half: &'static str, lives: &[&Life]) -> Half {
        let looks = || lives.iter().flat_map(|life| &life.looks);
        let all: Vec<&Believed> = looks().flat_map(|look| &look.believed).collect();
        let last = looks().map(|look| look.day).max().unwrap_or(0);
        let stretch = |from: u32| {
            let of_it = || looks().filter(|look| (from..from + COURSE).contains(&look.day));
            let believed = of_it().flat_map(|look| &look.believed);
            let (count, right) = (believed.clone().count(), believed.filter(|one| one.is_true).count());
            Stretch {
                from_day: from,
                to_day: (from + COURSE - 1).min(last),
                answered: share(count, of_it().map(|look| look.questions).sum()),
                accuracy: share(right, count),
            }
        };
        Half {
            half,
            histories: lives.len(),
            beliefs: all.len(),
            accuracy: share(all.iter().filter(|one| one.is_true).count(), all.len()),
            formulas: (1..=FORMULA).map(|formula| Calibration::of(formula, &all)).collect(),
            course: (0..=last).step_by(COURSE as usize).map(stretch).collect(),
        }
    }
}

impl Calibration {
    fn of(formula: u32, believed: &[&Believed]) -> Calibration {
        let forecast = |one: &&Believed| Forecast {
            confidence: one.components.confidence_by(formula),
            is_true: one.is_true,
        };
        let forecasts: Vec<Forecast> = believed.iter().map(forecast).collect();
        let row = |tenth: Tenth| Row {
            from: tenth.from,
            beliefs: tenth.count,
            confidence: tenth.confidence,
            is_true: tenth.is_true,
        };
        Calibration {
            formula,
            brier: brier(&forecasts).unwrap_or(0.0),
            reliability: reliability(&forecasts).into_iter().map(row).collect(),
        }
    }
}

fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn details(chats: &[LabelledChat], found: &[Beliefs], lives: &[Life]) -> Vec<Value> {
    let mut details = Vec::new();
    for (chat, found) in chats.iter().zip(found) {
        for ((earlier, later), flag) in &found.flagged {
            let ids = [earlier, later].map(|place| &chat.sample.turns[*place].id);
            details.push(json!({
                "what": "pair",
                "chat": chat.sample.name,
                "messages": ids,
                "about": flag.about,
                "words": flag.words,
            }));
        }
        for active in &found.active {
            let ids: Vec<&String> =
                active.said_in.iter().map(|place| &chat.sample.turns[*place].id).collect();
            details.push(json!({
                "what": "held",
                "chat": chat.sample.name,
                "messages": ids,
                "about": active.about,
                "value": active.value,
                "summary": active.summary,
            }));
        }
    }
    for life in lives {
        for look in &life.looks {
            details.extend(look.believed.iter().map(|one| {
                json!({
                    "what": "belief",
                    "history": life.seed,
                    "day": look.day,
                    "true": one.is_true,
                    "components": one.components.json(),
                })
            }));
        }
    }
    details
}
