//! LoCoMo: two people talk in many sessions over months, and questions name the turns that answer them.

use super::{Captions, Dataset, Sample, Undated, Voice, bad, dates, read_json};
use selfsame::time::Time;
use selfsame_daemon::Failure;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::path::Path;
use std::time::Duration;

#[derive(Deserialize)]
struct RawSample {
    sample_id: Option<String>,
    conversation: Map<String, Value>,
    qa: Vec<RawQuestion>,
}

#[derive(Deserialize)]
struct RawTurn {
    speaker: String,
    dia_id: String,
    text: String,
    blip_caption: Option<String>,
}

#[derive(Deserialize)]
struct RawQuestion {
    question: String,
    #[serde(default)]
    evidence: Vec<String>,
    category: u8,
}

/// Reads a file with a list of samples.
pub(super) fn load(path: &Path, captions: Captions) -> Result<Dataset, Failure> {
    let raw: Vec<RawSample> = read_json(path)?;
    let mut samples = Vec::new();
    for (place, raw) in raw.into_iter().enumerate() {
        let name = raw.sample_id.clone().unwrap_or_else(|| format!("sample {}", place + 1));
        let sample = sample(&name, raw, captions);
        samples.push(sample.map_err(|what| bad(path, format!("{name}: {what}")))?);
    }
    Ok(Dataset { format: "LoCoMo", samples, captions: Some(captions) })
}

fn sample(name: &str, raw: RawSample, captions: Captions) -> Result<Sample, String> {
    let mut turns = Vec::new();
    for (number, said) in sessions(&raw.conversation) {
        let key = format!("session_{number}_date_time");
        let begin = begin(&raw.conversation, &key)?;
        let said: Vec<RawTurn> =
            serde_json::from_value(said.clone()).map_err(|error| format!("session_{number}: {error}"))?;
        let in_session = said.into_iter().zip(0..).map(|(turn, nth)| (turn, at(begin, nth)));
        turns.extend(in_session.filter_map(|(turn, at)| undated(turn, at, captions)));
    }
    let mut sample = Sample::new(name.to_owned(), turns);
    let places = sample.places();
    for asked in raw.qa {
        let kind = kind(asked.category)?.to_owned();
        if asked.category == ADVERSARIAL {
            // It names turns too: those that mislead.
            sample.ask_in_vain(asked.question, kind);
            continue;
        }
        let ids: Vec<String> = asked.evidence.iter().flat_map(|ids| repaired(ids)).collect();
        sample.ask(asked.question, kind, &ids, &places);
    }
    Ok(sample)
}

/// The sessions with their numbers, in order.
fn sessions(conversation: &Map<String, Value>) -> Vec<(u32, &Value)> {
    let number = |key: &str| key.strip_prefix("session_")?.parse::<u32>().ok();
    let mut sessions: Vec<_> =
        conversation.iter().filter_map(|(key, said)| Some((number(key)?, said))).collect();
    sessions.sort_by_key(|(number, _)| *number);
    sessions
}

fn begin(conversation: &Map<String, Value>, key: &str) -> Result<Time, String> {
    let text = conversation.get(key).and_then(Value::as_str).ok_or_else(|| format!("{key} is missing"))?;
    dates::of_session(text).ok_or_else(|| {
        format!("{key} is {text:?}, which is no time: write it like \"1:56 pm on 8 May, 2023\"")
    })
}

/// A turn each second: sessions are days apart, and where one ends is for the engine to see.
fn at(begin: Time, nth: u64) -> Time {
    begin.saturating_add(Duration::from_secs(nth))
}

/// One conversation for all sessions. A turn without words is no turn.
fn undated(turn: RawTurn, at: Time, captions: Captions) -> Option<Undated> {
    let mut text = turn.text.trim().to_owned();
    if let (Some(caption), Captions::Appended) = (&turn.blip_caption, captions) {
        text = format!("{text} [image: {}]", caption.trim()).trim_start().to_owned();
    }
    let voice = Voice::Person { conversation: "locomo".into(), name: turn.speaker };
    let id = repaired(&turn.dia_id).into_iter().next().unwrap_or(turn.dia_id);
    (!text.is_empty()).then_some(Undated { id, voice, text, at: Some(at) })
}

const ADVERSARIAL: u8 = 5;

fn kind(category: u8) -> Result<&'static str, String> {
    Ok(match category {
        1 => "multi-hop",
        2 => "temporal",
        3 => "open domain",
        4 => "single-hop",
        ADVERSARIAL => "adversarial",
        other => return Err(format!("a question has category {other}; there are 1 to 5")),
    })
}

/// The ids in one piece of evidence, mended where it is plain what was meant: several in one text (`D8:6; D9:17`), a
/// colon too many (`D:11:26`), a leading zero (`D30:05`), blanks. What cannot be read stays as it is and names no turn.
fn repaired(text: &str) -> Vec<String> {
    let pieces = text.split([';', ',', ' ', '\n', '\t']).filter(|piece| !piece.is_empty());
    pieces.map(|piece| mended(piece).unwrap_or_else(|| piece.to_owned())).collect()
}

fn mended(piece: &str) -> Option<String> {
    let numbers = piece.trim_matches(['(', ')']).strip_prefix(['D', 'd'])?;
    let (session, turn) = numbers.trim_start_matches(':').split_once(':')?;
    let (session, turn): (u32, u32) = (session.parse().ok()?, turn.parse().ok()?);
    Some(format!("D{session}:{turn}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_plainly_meant_is_mended() {
        assert_eq!(repaired("D8:6; D9:17"), ["D8:6", "D9:17"]);
        assert_eq!(repaired("D4:36 D4:37"), ["D4:36", "D4:37"]);
        assert_eq!(repaired(" D:11:26 "), ["D11:26"]);
        assert_eq!(repaired("D30:05"), ["D30:5"]);
        assert_eq!(repaired("D1:3"), ["D1:3"]);
        assert_eq!(repaired("  "), Vec::<String>::new());
    }

    #[test]
    fn what_cannot_be_read_stays_as_it_is() {
        for odd in ["D", "D1", "1:3", "D1:x", "D1:2:3"] {
            assert_eq!(repaired(odd), [odd]);
        }
    }
}
