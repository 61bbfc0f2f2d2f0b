//! Measuring on outside data, recall first: what such data is, how it is read, filed, asked and judged.
//!
//! [`load`] recognises a format by what is in a folder; [`locomo`], [`beam`] and [`jsonl`] read one each into the same
//! [`Dataset`]. [`filing`] puts a sample into a mind of its own, [`run`] asks its questions, [`report`] makes figures of
//! the answers, [`learning`] tries weights, [`nonsense`] makes questions that nothing answers. The figures themselves
//! are in the core (`recall/metrics.rs`); what is printed is `commands/bench.rs`. [`knowledge`] measures what is believed, on
//! the same BEAM chats and on histories that it makes up. No data is in this repository.

mod beam;
mod dates;
mod dice;
mod filing;
mod jsonl;
pub(crate) mod knowledge;
pub(crate) mod learning;
pub(crate) mod lent;
mod locomo;
mod nonsense;
mod off_topic;
pub(crate) mod report;
mod room;
pub(crate) mod run;

pub(crate) use filing::As;

use selfsame::time::Time;
use selfsame_daemon::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What is measured on.
pub(crate) struct Dataset {
    /// The name of the format.
    pub(crate) format: &'static str,
    pub(crate) samples: Vec<Sample>,
    /// What became of image captions, where there are any.
    pub(crate) captions: Option<Captions>,
}

/// What could not be used. Outside data has faults; they are counted, not hidden.
#[derive(Default)]
pub(crate) struct Trouble {
    /// Evidence that names no turn.
    pub(crate) skipped_ids: usize,
    /// Questions that should have an answer but name no evidence that can be found.
    pub(crate) left_out: usize,
}

/// Whether a turn's image captions are part of its text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Captions {
    Appended,
    LeftOut,
}

/// One conversation or collection with its questions: an agent of its own.
pub(crate) struct Sample {
    pub(crate) name: String,
    /// In the order of their times.
    pub(crate) turns: Vec<Turn>,
    pub(crate) questions: Vec<Asked>,
    pub(crate) trouble: Trouble,
}

/// Something that was said or is known.
pub(crate) struct Turn {
    /// Its name in the data.
    pub(crate) id: String,
    pub(crate) voice: Voice,
    pub(crate) text: String,
    pub(crate) at: Time,
}

/// Whose words a turn holds.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Voice {
    /// Whom the agent serves, in a conversation of that name.
    User(String),
    /// The agent itself.
    Assistant(String),
    /// Somebody else.
    Person { conversation: String, name: String },
    /// Nobody's turn: a memory.
    Memory,
}

/// A question with the turns that answer it; without any it has no answer.
pub(crate) struct Asked {
    pub(crate) text: String,
    /// The sort of question, in the data's words.
    pub(crate) kind: String,
    /// Places in the sample's turns.
    pub(crate) evidence: BTreeSet<usize>,
}

/// A turn whose time is not known before its neighbours' are.
struct Undated {
    id: String,
    voice: Voice,
    text: String,
    at: Option<Time>,
}

impl Sample {
    /// A sample without questions. Who has no time follows a second after who came before; times never go back.
    fn new(name: String, turns: Vec<Undated>) -> Sample {
        let first = turns.iter().find_map(|turn| turn.at).unwrap_or(Time::from_micros(0));
        let mut before = first.saturating_sub(SECOND);
        let dated = turns.into_iter().map(|Undated { id, voice, text, at }| {
            before = at.unwrap_or_else(|| before.saturating_add(SECOND));
            Turn { id, voice, text, at: before }
        });
        let mut turns: Vec<Turn> = dated.collect();
        turns.sort_by_key(|turn| turn.at);
        Sample { name, turns, questions: Vec::new(), trouble: Trouble::default() }
    }

    /// Where each turn stands.
    fn places(&self) -> BTreeMap<String, usize> {
        let mut places = BTreeMap::new();
        for (place, turn) in self.turns.iter().enumerate() {
            places.entry(turn.id.clone()).or_insert(place);
        }
        places
    }

    /// Adds a question that must have evidence. Ids that name no turn are counted; a question with no other is left out.
    fn ask(&mut self, text: String, kind: String, ids: &[String], places: &BTreeMap<String, usize>) {
        let evidence: BTreeSet<usize> = ids.iter().filter_map(|id| places.get(id)).copied().collect();
        self.trouble.skipped_ids += ids.iter().filter(|id| !places.contains_key(*id)).count();
        match evidence.is_empty() {
            true => self.trouble.left_out += 1,
            false => self.questions.push(Asked { text, kind, evidence }),
        }
    }

    /// Adds a question that has no answer.
    fn ask_in_vain(&mut self, text: String, kind: String) {
        self.questions.push(Asked { text, kind, evidence: BTreeSet::new() });
    }

    /// So many questions, spread evenly.
    pub(crate) fn keep_questions(&mut self, most: usize) {
        let count = self.questions.len();
        if count <= most {
            return;
        }
        let kept: BTreeSet<usize> = (0..most).map(|nth| nth * count / most).collect();
        let mut place = 0..;
        self.questions.retain(|_| place.next().is_some_and(|place| kept.contains(&place)));
    }
}

const SECOND: Duration = Duration::from_secs(1);

/// Reads what is in a folder, in whichever format it is.
pub(crate) fn load(path: &Path, captions: Captions) -> Result<Dataset, Failure> {
    if path.is_file() {
        return locomo::load(path, captions);
    }
    let entries = entries(path)?;
    let has = |name: &str| path.join(name).is_file();
    if has("locomo.json") {
        return locomo::load(&path.join("locomo.json"), captions);
    }
    if has(jsonl::MEMORIES) || has(jsonl::QUESTIONS) {
        return jsonl::load(path);
    }
    let samples = beam::samples(path, &entries);
    if !samples.is_empty() {
        return beam::load(&samples);
    }
    let is_json = |entry: &&PathBuf| entry.extension().is_some_and(|extension| extension == "json");
    match entries.iter().filter(is_json).collect::<Vec<_>>()[..] {
        [only] => locomo::load(only, captions),
        _ => Err(unknown(path)),
    }
}

/// What is in a folder, numbers in their order.
fn entries(path: &Path) -> Result<Vec<PathBuf>, Failure> {
    let read = fs::read_dir(path).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut entries: Vec<PathBuf> =
        read.map_err(|error| bad(path, error))?.iter().map(fs::DirEntry::path).collect();
    let number = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u64>().ok();
    entries.sort_by_cached_key(|path| (number(path).unwrap_or(u64::MAX), path.clone()));
    Ok(entries)
}

fn unknown(path: &Path) -> Failure {
    bad(
        path,
        "no data in a known format: put locomo.json (LoCoMo) there, folders with chat.json and \
         probing_questions.json (BEAM), or memories.jsonl with questions.jsonl",
    )
}

/// The data is not what it should be.
fn bad(path: &Path, what: impl std::fmt::Display) -> Failure {
    Failure::bad_request("bad_data", format!("{}: {what}", path.display()))
}

fn read(path: &Path) -> Result<String, Failure> {
    fs::read_to_string(path).map_err(|error| bad(path, error))
}

fn read_json<T: serde::de::DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    serde_json::from_str(&read(path)?).map_err(|error| bad(path, error))
}
