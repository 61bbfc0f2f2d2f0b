//! JSON Lines, for data of one's own: `memories.jsonl` and `questions.jsonl`.
//!
//! A line of the one is `{"id", "text", "at"?, "speaker"?, "conversation"?}`: with a conversation it is a message there,
//! by `user` (who is meant if nobody is named), `assistant` or whoever is named; without, it is remembered. A line of
//! the other is `{"question", "evidence": [ids], "type"?}`; no evidence means that there is no answer.

use super::{Asked, Dataset, Sample, Undated, Voice, bad, read};
use selfsame::local::Moment;
use selfsame::time::{Time, Zone, civil};
use selfsame_daemon::Failure;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(super) const MEMORIES: &str = "memories.jsonl";
pub(super) const QUESTIONS: &str = "questions.jsonl";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMemory {
    id: String,
    text: String,
    at: Option<String>,
    speaker: Option<String>,
    conversation: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawQuestion {
    question: String,
    evidence: Vec<String>,
    #[serde(rename = "type")]
    kind: Option<String>,
}

pub(super) fn load(folder: &Path) -> Result<Dataset, Failure> {
    let name = folder.file_name().map_or("data".into(), |name| name.to_string_lossy().into_owned());
    let mut seen = BTreeSet::new();
    let turns = lines(&folder.join(MEMORIES), |raw: RawMemory| {
        let turn = turn(raw)?;
        match seen.insert(turn.id.clone()) {
            true => Ok(turn),
            false => Err(format!("id {:?} is there already: give each line its own", turn.id)),
        }
    })?;
    let mut sample = Sample::new(name, turns);
    let places = sample.places();
    sample.questions = lines(&folder.join(QUESTIONS), |raw| asked(raw, &places))?;
    Ok(Dataset { format: "JSON Lines", samples: vec![sample], captions: None })
}

/// Reads every line that is not blank; what is wrong with one names the file and the line.
fn lines<R: DeserializeOwned, T>(
    path: &Path,
    mut make: impl FnMut(R) -> Result<T, String>,
) -> Result<Vec<T>, Failure> {
    let text = read(path)?;
    let lines = text.lines().zip(1..).filter(|(line, _)| !line.trim().is_empty());
    lines
        .map(|(line, number)| {
            let raw = serde_json::from_str(line).map_err(|error| column(&error));
            raw.and_then(&mut make).map_err(|what| bad(path, format!("line {number}: {what}")))
        })
        .collect()
}

/// Of a line by itself, only the column says anything.
fn column(error: &serde_json::Error) -> String {
    error.to_string().replace("at line 1 column", "at column")
}

fn turn(raw: RawMemory) -> Result<Undated, String> {
    if raw.text.trim().is_empty() {
        return Err("text is empty: give it words, or leave the line out".into());
    }
    let at = raw.at.as_deref().map(moment).transpose()?;
    let voice = match (raw.conversation, raw.speaker) {
        (Some(conversation), None) => Voice::User(conversation),
        (Some(conversation), Some(name)) => match name.as_str() {
            "user" => Voice::User(conversation),
            "assistant" => Voice::Assistant(conversation),
            _ => Voice::Person { conversation, name },
        },
        (None, None) => Voice::Memory,
        (None, Some(_)) => {
            return Err(
                "speaker without conversation: name the conversation, or leave the speaker out".into()
            );
        }
    };
    Ok(Undated { id: raw.id, voice, text: raw.text, at })
}

fn moment(text: &str) -> Result<Time, String> {
    // The words today and tomorrow have no place in data: here they mean a day that nothing else does.
    let moment = Moment::parse(text, civil::Date::ZERO).map_err(|error| format!("at: {error}"))?;
    Ok(moment.begin(&Zone::utc()))
}

fn asked(raw: RawQuestion, places: &BTreeMap<String, usize>) -> Result<Asked, String> {
    if raw.question.trim().is_empty() {
        return Err("question is empty: give it words, or leave the line out".into());
    }
    let place = |id: &String| {
        let place = places.get(id).copied();
        place.ok_or_else(|| format!("evidence names {id:?}, which is no id in {MEMORIES}: mend or remove it"))
    };
    let evidence: BTreeSet<usize> = raw.evidence.iter().map(place).collect::<Result<_, _>>()?;
    let kind = raw.kind.unwrap_or_else(|| "question".into());
    Ok(Asked { text: raw.question, kind, evidence })
}
