//! The journal: a file of each day with a line for each episode, in the agent's zone. It follows from the rows: what is
//! missing is added, what is damaged or forgotten is written anew. Losing it loses nothing.

use crate::error::{Error, Result};
use crate::mind::{Access, Mind, Speaker};
use selfsame_core::contemplation::{Episode, ToolClaim};
use selfsame_core::id::{EpisodeId, Id};
use selfsame_core::json::canonical;
use selfsame_core::kept::Kept;
use selfsame_core::local::{Moment, plain_date};
use selfsame_core::time::civil::Date;
use selfsame_store::StoreError;
use selfsame_store::contemplation::episodes;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

/// What was done to a day's file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum JournalReport {
    /// It was as it should be.
    Right,
    /// Lines were added.
    Added(usize),
    /// It was not what the rows say, and was written anew.
    Rebuilt,
}

impl Mind {
    /// Why the journal could not be written lately, if it could not.
    pub fn journal_trouble(&self) -> Option<String> {
        self.journal_trouble.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Looks after the journals of yesterday and today, of all agents.
    pub(crate) fn sweep_journals(&self) -> Result<()> {
        if self.journal.is_none() {
            return Ok(());
        }
        for agent in self.agents()? {
            let access = self.access(&agent.id.to_string(), Speaker::Agent(None))?;
            let today = access.zone()?.date(self.now());
            for day in today.yesterday().into_iter().chain([today]) {
                access.write_journal_if_it_may(day)?;
            }
        }
        Ok(())
    }
}

impl Access<'_> {
    /// Adds an episode to its day's file, where there are journals. The row is safe: a disk that is full for a file does
    /// not undo it, and the next sweep writes what is missing.
    pub(super) fn write_journal_of(&self, id: EpisodeId) -> Result<()> {
        let agent = self.agent.id;
        let episode =
            self.mind.store.read(&self.caller, &[agent], |reader| episodes::by_id(reader, agent, id))?;
        match episode {
            Some(episode) => self.write_journal_if_it_may(self.zone()?.date(episode.created_at)),
            None => Ok(()),
        }
    }

    /// Puts a day's file right, where there are journals. What the disk refuses is told by `status`, and tried again.
    pub(crate) fn write_journal_if_it_may(&self, day: Date) -> Result<()> {
        let Some(folder) = self.journal_folder() else { return Ok(()) };
        let written = self.write_journal(&folder, day);
        let trouble = written.as_ref().err().map(ToString::to_string);
        *self.mind.journal_trouble.lock().unwrap_or_else(PoisonError::into_inner) = trouble;
        match written {
            Err(Error::Broken(_)) | Ok(_) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Where this agent's journal is, if it has one.
    fn journal_folder(&self) -> Option<PathBuf> {
        let wanted = self.mind.settings.contemplation_of(&self.agent.name).journal;
        let root = self.mind.journal.as_ref().filter(|_| wanted)?;
        Some(root.join(&self.agent.name).join("memory").join("contemplation"))
    }

    /// The days that have a file.
    pub(crate) fn journal_days(&self) -> BTreeSet<Date> {
        let files = self.journal_folder().and_then(|folder| fs::read_dir(folder).ok());
        let day = |entry: fs::DirEntry| plain_date(entry.path().file_stem()?.to_str()?);
        files.into_iter().flatten().flatten().filter_map(day).collect()
    }

    /// Every day's journal as text, by the name of its file: for `export --journal`, wherever the database is.
    pub fn journal(&self) -> Result<Vec<(String, String)>> {
        let (agent, zone) = (self.agent.id, self.zone()?);
        let mut days: Vec<(String, String)> = Vec::new();
        let mut after = EpisodeId::of(Id::NIL);
        loop {
            let page = self.mind.store.read(&self.caller, &[agent], |reader| {
                let page = episodes::after(reader, agent, after, crate::verify::PAGE)?;
                let last = page.last().map(|row| match row {
                    Ok(row) => row.id,
                    Err(StoreError::Spoiled(spoiled)) => EpisodeId::of(spoiled.id),
                    Err(_) => EpisodeId::of(Id::from_bytes([0xff; 16])),
                });
                Ok((crate::sound::sound(page)?.0, last))
            })?;
            let (rows, Some(last)) = page else { return Ok(days) };
            after = last;
            for row in rows {
                let name = format!("{}.jsonl", zone.date(row.created_at));
                let text = format!("{}\n", canonical(&line(&row)));
                match days.iter_mut().find(|(known, _)| *known == name) {
                    Some((_, day)) => day.push_str(&text),
                    None => days.push((name, text)),
                }
            }
        }
    }

    /// Sees to it that a day's file in `folder` says what the rows say.
    pub fn write_journal(&self, folder: &Path, day: Date) -> Result<JournalReport> {
        let zone = self.zone()?;
        let begin = |day: Date| Moment::Day(day).begin(&zone);
        let (from, until) = (begin(day), day.tomorrow().map_or(begin(day), begin));
        let agent = self.agent.id;
        let rows = self.mind.store.read(&self.caller, &[agent], |reader| {
            let rows = episodes::between(reader, agent, from, until)?;
            Ok(crate::sound::sound(rows)?.0)
        })?;
        let lines: Vec<String> = rows.iter().map(|row| format!("{}\n", canonical(&line(row)))).collect();
        let path = folder.join(format!("{day}.jsonl"));
        put_right(&path, &lines).map_err(|error| {
            Error::Broken(format!("the journal {} cannot be written: {error}", path.display()))
        })
    }
}

/// An episode, as the journal and `episodes --json` show it.
pub fn line(episode: &Kept<Episode>) -> Value {
    let mut body = episode.captured.account.to_json();
    let system = json!({
        "id": episode.id.to_string(),
        "at": episode.created_at.to_string(),
        "began_at": episode.began_at.to_string(),
        "cycle": episode.cycle.to_string(),
        "memory": episode.memory.to_string(),
        "thinker": episode.thinker,
        "model": episode.model,
        "tokens": episode.tokens_spent,
        "duration_ms": episode.millis,
        "seed": episode.seed,
        "parse": episode.captured.parse.as_str(),
        "repairs": episode.captured.repairs,
        "successful": episode.successful,
        "why_not": episode.why_not,
        "tools": episode.tools.iter().map(ToolClaim::to_json).collect::<Value>(),
    });
    if let (Value::Object(body), Value::Object(system)) = (&mut body, system) {
        // What the record says wins over what a thinker called by the same name.
        body.extend(system);
    }
    body
}

fn put_right(path: &Path, lines: &[String]) -> io::Result<JournalReport> {
    let there = match fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == io::ErrorKind::NotFound && lines.is_empty() => {
            return Ok(JournalReport::Right);
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error),
    };
    let wanted = lines.concat();
    if there == wanted.as_bytes() {
        return Ok(JournalReport::Right);
    }
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    let is_beginning = wanted.as_bytes().starts_with(&there) && (there.is_empty() || there.ends_with(b"\n"));
    if is_beginning {
        let rest = &wanted.as_bytes()[there.len()..];
        let mut file = OpenOptions::new().create(true).append(true).open(path)?;
        file.write_all(rest)?;
        file.sync_data()?;
        return Ok(JournalReport::Added(rest.iter().filter(|byte| **byte == b'\n').count()));
    }
    rewrite(path, wanted.as_bytes())?;
    Ok(JournalReport::Rebuilt)
}

/// Whole or not at all: who reads it meanwhile reads the old one.
fn rewrite(path: &Path, wanted: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("jsonl.new");
    let mut file = fs::File::create(&beside)?;
    file.write_all(wanted)?;
    file.sync_data()?;
    fs::rename(&beside, path)
}
