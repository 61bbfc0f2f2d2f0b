//! What a stretch of episodes comes to: how many got anywhere, how the mood went, what keeps coming up, which tools fail.
//! Plain sentences from counts; equal episodes give equal words.

use crate::contemplation::{CallOutcome, Episode};
use crate::lesson::extract::{LedgerEntry, fitting, teaches};
use crate::local::show_day;
use crate::time::Zone;
use std::collections::{BTreeMap, BTreeSet};

/// The mood has changed if it moved by at least so much, on a scale from -2 to 2.
const MOVED: f64 = 0.5;
/// What came out so often keeps coming out.
const REPEATED: usize = 2;
/// A tool that failed so often is worth a word.
const FAILED: usize = 2;
/// Outcomes, reasons and tools that are named, at most.
const NAMED: usize = 3;
/// Characters of somebody's words that are repeated.
const QUOTED: usize = 80;

/// What the episodes that teach anything come to; none if there is none. They are in their order in time.
pub fn evaluate(episodes: &[&Episode], ledger: &[LedgerEntry], zone: &Zone) -> Option<String> {
    let teaching: Vec<&Episode> = episodes.iter().copied().filter(|episode| teaches(episode)).collect();
    let sentences = [
        Some(success(&teaching, zone)?),
        obstacles(&teaching),
        Some(mood(&teaching)),
        repetitions(&teaching),
        tools(&teaching, ledger),
    ];
    Some(sentences.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

fn success(episodes: &[&Episode], zone: &Zone) -> Option<String> {
    let (first, last) = (episodes.first()?, episodes.last()?);
    let (from, until) = (zone.date(first.created_at), zone.date(last.created_at));
    let when = match from == until {
        true => format!("on {}", show_day(from)),
        false => format!("from {} to {}", show_day(from), show_day(until)),
    };
    let (all, good) = (episodes.len(), episodes.iter().filter(|episode| episode.successful).count());
    let share = (100 * good + all / 2) / all;
    Some(match all {
        1 => format!("One episode {when}: it {}.", if good == 1 { "got somewhere" } else { "got nowhere" }),
        _ => format!("{all} episodes {when}: {good} got somewhere ({share}%)."),
    })
}

/// Why the others got nowhere, the most frequent reason first.
fn obstacles(episodes: &[&Episode]) -> Option<String> {
    let reasons = episodes.iter().filter_map(|episode| episode.why_not.as_deref());
    let counted = most_frequent(reasons, 1);
    (!counted.is_empty()).then(|| format!("What stood in the way: {}.", listed(&counted)))
}

/// How it felt in the first half, and how in the second.
fn mood(episodes: &[&Episode]) -> String {
    let (early, late) = episodes.split_at(episodes.len() / 2);
    let now = episodes.last().map(|last| quoted(&last.captured.account.mood.state)).unwrap_or_default();
    let now = if now.is_empty() { String::new() } else { format!(", last {now:?}") };
    let (Some(before), Some(after)) = (valence(early), valence(late)) else {
        return format!("The mood was {:.1}{now}.", valence(episodes).unwrap_or_default());
    };
    let way = match after - before {
        change if change >= MOVED => "rose",
        change if change <= -MOVED => "fell",
        _ => {
            return format!("The mood held steady around {:.1}{now}.", valence(episodes).unwrap_or_default());
        }
    };
    format!("The mood {way} from {before:.1} to {after:.1}{now}.")
}

/// How it felt on average, -2 to 2.
fn valence(episodes: &[&Episode]) -> Option<f64> {
    let sum: f64 = episodes.iter().map(|episode| episode.captured.account.valence).sum();
    (!episodes.is_empty()).then(|| sum / episodes.len() as f64 + 0.0)
}

fn repetitions(episodes: &[&Episode]) -> Option<String> {
    let results = episodes.iter().map(|episode| episode.captured.account.outcome.result.as_str());
    let counted = most_frequent(results, REPEATED);
    (!counted.is_empty()).then(|| format!("The same outcome came up again: {}.", listed(&counted)))
}

fn tools(episodes: &[&Episode], ledger: &[LedgerEntry]) -> Option<String> {
    let ids: BTreeSet<_> = episodes.iter().map(|episode| episode.id).collect();
    let mut calls: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for entry in ledger.iter().filter(|entry| ids.contains(&entry.episode)) {
        let (made, failed) = calls.entry(&entry.tool).or_default();
        *made += usize::from(entry.outcome != CallOutcome::Refused);
        *failed += usize::from(entry.outcome == CallOutcome::Failed);
    }
    let mut failing: Vec<_> = calls.into_iter().filter(|(_, (_, failed))| *failed >= FAILED).collect();
    failing.sort_by(|(one, (_, fewer)), (other, (_, more))| more.cmp(fewer).then(one.cmp(other)));
    let told: Vec<String> = failing
        .iter()
        .take(NAMED)
        .map(|(tool, (made, failed))| format!("{tool} in {failed} of {made} calls"))
        .collect();
    (!told.is_empty()).then(|| format!("Tools that failed: {}.", told.join(", ")))
}

/// What occurs at least so often, the most frequent first, with its count.
fn most_frequent<'t>(texts: impl Iterator<Item = &'t str>, least: usize) -> Vec<(String, usize)> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for text in texts.map(quoted).filter(|text| !text.is_empty()) {
        *counts.entry(text).or_default() += 1;
    }
    let mut frequent: Vec<(String, usize)> =
        counts.into_iter().filter(|(_, count)| *count >= least).collect();
    frequent.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(&other.0)));
    frequent.truncate(NAMED);
    frequent
}

fn listed(counted: &[(String, usize)]) -> String {
    let one = |(text, count): &(String, usize)| match count {
        1 => text.clone(),
        many => format!("{text} ({many} times)"),
    };
    counted.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// Somebody's words, short and on one line.
fn quoted(text: &str) -> String {
    let own = fitting(text).unwrap_or_default();
    own.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(QUOTED).collect()
}
