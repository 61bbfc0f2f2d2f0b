//! The verb *import*, of what other systems wrote: it lands in the inbox as candidates that nobody vouches for, by runs that
//! are listed and can be undone. (Our own archives are read in whole: `archive/read.rs`.)
//!
//! What is imported waits for a decision as long as it takes: it is not counted among the pending candidates that a
//! conversation may have, takes nobody's place there, and does not expire.

mod files;

pub use files::{Cargo, MOST_BYTES, MOST_FILES, unpack, unpack_bytes};
pub use selfsame_core::foreign::{File, Format, Found, Item};
pub use selfsame_store::import_runs::Run;

use crate::error::{Error, Result, check_field};
use crate::forget::{BY_IMPORT, LedgerEntry};
use crate::mind::Access;
use crate::progress::Unit;
use selfsame_core::event::Act;
use selfsame_core::foreign;
use selfsame_core::id::{CandidateId, ErasureId, MemoryId, RunId};
use selfsame_core::inbox::review::IMPORTED_WAITS;
use selfsame_core::inbox::{Candidate, CandidateKind, Status};
use selfsame_core::kept::Kept;
use selfsame_core::memory::Memory;
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Caller, Privacy, Provenance};
use selfsame_store::erasures::{self, Buried, Erasure, Proof};
use selfsame_store::import_runs::{self, ItemKey};
use selfsame_store::{events, inbox, memory_life};
use std::collections::BTreeMap;

/// Items of one run, at most: more is more than anybody reviews.
pub const MOST_ITEMS: usize = 20_000;
/// How sure anybody is of what came from elsewhere.
const CONFIDENCE: f64 = 0.5;
/// Bytes of a source's name.
const MAX_NAME_BYTES: usize = 255;

/// What a run brought, or would bring.
#[derive(Clone, PartialEq, Debug)]
pub struct Imported {
    /// The run; none for a dry run, and where there was nothing new.
    pub run: Option<RunId>,
    /// What the source was taken for.
    pub format: Format,
    /// What was looked at.
    pub seen: BTreeMap<&'static str, u64>,
    /// What is new, by what it seems to be.
    pub kinds: BTreeMap<CandidateKind, u64>,
    /// Candidates that were filed, or would be.
    pub filed: u64,
    /// What was here already.
    pub known: u64,
    /// What could not be read, and why.
    pub unread: Vec<String>,
}

/// What undoing a run took away, or would take away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Undone {
    /// Candidates that went.
    pub candidates: u64,
    /// Memories that went with them.
    pub memories: u64,
    /// Memories that stay, since something else supports them.
    pub kept: u64,
}

impl Access<'_> {
    /// Reads what another system wrote into the inbox. What an earlier run brought is not brought again; with `dry_run`
    /// nothing is.
    pub fn import(
        &self,
        source: &str,
        files: &[File],
        format: Option<Format>,
        dry_run: bool,
    ) -> Result<Imported> {
        self.must_be_operator()?;
        check_field("name", source, MAX_NAME_BYTES)?;
        let format = match format {
            Some(format) => format,
            None => foreign::detect(files).map_err(|error| Error::Unfit(error.to_string()))?,
        };
        let found = foreign::read(format, files);
        if found.items.len() > MOST_ITEMS {
            return Err(Error::Unfit(format!(
                "it holds {} items, and one run takes {MOST_ITEMS}: import a part of it",
                found.items.len()
            )));
        }
        let (now, run) = (self.mind.now(), RunId::of(self.mind.mint.id(self.mind.now())));
        let rows: Vec<(ItemKey, Kept<Candidate>)> = found
            .items
            .iter()
            .filter(|item| item.content.len() <= self.mind.settings.memory.max_content_bytes)
            .map(|item| (item.key(), self.imported(run, item, now)))
            .collect();
        let new = if dry_run { self.new_of(&rows)? } else { self.file_run(run, source, format, &rows, now)? };
        let mut kinds = BTreeMap::new();
        for (_, row) in rows.iter().filter(|(_, row)| new.contains(&row.id)) {
            *kinds.entry(row.kind).or_default() += 1;
        }
        Ok(Imported {
            run: (!dry_run && !new.is_empty()).then_some(run),
            format,
            seen: found.seen,
            kinds,
            filed: new.len() as u64,
            known: (rows.len() - new.len()) as u64,
            unread: found.unread,
        })
    }

    fn imported(&self, run: RunId, item: &Item, now: Time) -> Kept<Candidate> {
        let caller = Caller::import(self.caller.principal_id());
        let source = format!("{run} {}", self.masked(&item.place));
        let candidate = Candidate {
            id: CandidateId::of(self.mind.mint.id(self.mind.now())),
            agent: self.agent.id,
            kind: item.kind,
            content: self.masked(&item.content).into_owned(),
            confidence: CONFIDENCE,
            cue: "import".into(),
            conversation: None,
            message: None,
            memory_kind: item.kind.memory_kind(),
            importance: item.kind.importance(),
            entity: None,
            created_at: now,
            expires_at: now.saturating_add(IMPORTED_WAITS),
            status: Status::Pending,
            decided_at: None,
            decided_by: None,
            reason: None,
            memory: None,
        };
        Kept::new(candidate, Provenance::stated(&caller, Some(source), Privacy::Shared))
    }

    /// Which of these are not known yet.
    fn new_of(&self, rows: &[(ItemKey, Kept<Candidate>)]) -> Result<Vec<CandidateId>> {
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let keys: Vec<ItemKey> = rows.iter().map(|(key, _)| *key).collect();
            let known = import_runs::known(reader, self.agent.id, &keys)?;
            let mut new = Vec::new();
            for (_, row) in rows.iter().filter(|(key, _)| !known.contains(key.as_slice())) {
                if !inbox::is_filed(reader, row)? {
                    new.push(row.id);
                }
            }
            Ok(new)
        })?)
    }

    fn file_run(
        &self,
        run: RunId,
        source: &str,
        format: Format,
        rows: &[(ItemKey, Kept<Candidate>)],
        now: Time,
    ) -> Result<Vec<CandidateId>> {
        let caller = Caller::import(self.caller.principal_id());
        let agent = self.agent.id;
        let mut new = Vec::new();
        let count = self.mind.watch.count("filing what is there", Unit::Items, || Ok(rows.len() as u64))?;
        self.mind.store.write(&caller, &[agent], None, |writer| {
            new.clear();
            let keys: Vec<ItemKey> = rows.iter().map(|(key, _)| *key).collect();
            let known = import_runs::known(writer, agent, &keys)?;
            let mut items = Vec::new();
            for (key, row) in rows.iter().filter(|(key, _)| !known.contains(key.as_slice())) {
                writer.next_page();
                count.add(1);
                let filed = inbox::file(writer, agent, std::slice::from_ref(row), usize::MAX, now)?;
                if filed.iter().all(|one| one.is_new) {
                    items.push((*key, row.id));
                    new.push(row.id);
                }
            }
            if new.is_empty() {
                return Ok(());
            }
            let run = Run {
                id: run,
                format: format.as_str().to_owned(),
                source: source.to_owned(),
                filed: new.len() as u64,
                known: (rows.len() - new.len()) as u64,
                at: now,
                undone_at: None,
            };
            import_runs::insert(writer, agent, &run, &items)?;
            let act = Act { act: "imported", subject_kind: "import", subject: run.id.id() };
            events::record(writer, agent, now, &[act]).map(drop)
        })?;
        Ok(new)
    }

    /// Every run, the oldest first.
    pub fn import_runs(&self) -> Result<Vec<Run>> {
        self.must_be_operator()?;
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| import_runs::all(reader, agent))?)
    }

    /// Takes back what a run brought: its candidates, and the memories that came of them unless something else supports
    /// them. What it brought can then be brought again. Interrupted, it can be asked for again.
    pub fn undo_import(&self, id: RunId, dry_run: bool) -> Result<Undone> {
        self.must_be_operator()?;
        let agent = self.agent.id;
        let (run, ids) = self.mind.store.read(&self.caller, &[agent], |reader| {
            Ok((import_runs::by_id(reader, agent, id)?, import_runs::candidates(reader, agent, id)?))
        })?;
        let run = run.ok_or_else(|| Error::NoSuch { what: "import run", id: id.to_string() })?;
        if run.undone_at.is_some() {
            return Err(Error::Unfit(format!("{id} was undone already: nothing of it is left")));
        }
        let candidates = self.in_order(&ids)?;
        let mut undone = Undone { candidates: candidates.len() as u64, ..Undone::default() };
        for candidate in candidates.iter().filter(|one| one.status == Status::Promoted) {
            match candidate.memory.map(|memory| self.made_only_of(memory, candidate)).transpose()?.flatten() {
                Some(memory) if !dry_run => {
                    self.forget(memory, None)?;
                    undone.memories += 1;
                }
                Some(_) => undone.memories += 1,
                None => undone.kept += 1,
            }
        }
        if !dry_run {
            self.take_back(id, &ids)?;
        }
        Ok(undone)
    }

    /// The memory that came of a candidate and of nothing else.
    fn made_only_of(&self, id: MemoryId, candidate: &Kept<Candidate>) -> Result<Option<MemoryId>> {
        let agent = self.agent.id;
        let others =
            self.mind.store.read(&self.caller, &[agent], |reader| memory_life::sources(reader, agent, id))?;
        let is_its_own = |memory: &Memory| {
            memory.provenance.author() == Author::Import
                && memory.provenance.source() == candidate.provenance.source()
        };
        Ok(self.memory(id)?.filter(is_its_own).filter(|_| others.is_empty()).map(|memory| memory.id))
    }

    fn take_back(&self, id: RunId, ids: &[CandidateId]) -> Result<()> {
        let now = self.mind.now();
        let erasure = Erasure {
            id: ErasureId::of(self.mind.mint.id(now)),
            agent: self.agent.id,
            reason: "undo an import".into(),
            at: now,
        };
        self.take_back_as(id, ids, &erasure, None)?;
        let _ = self.mind.store.compact();
        self.mind.write_down(erasure.id)
    }

    /// Takes the candidates of a run away, with a proof; done again after a restore, with that of the first time.
    fn take_back_as(
        &self,
        id: RunId,
        ids: &[CandidateId],
        erasure: &Erasure,
        known: Option<&Proof>,
    ) -> Result<()> {
        let (agent, now) = (self.agent.id, self.mind.now());
        Ok(self.mind.store.write(&self.caller, &[agent], None, |writer| {
            let mut buried = Vec::new();
            let bury = |kind: &str, item| Buried { kind: kind.into(), item, words_hash: None };
            erasures::erase(writer, erasure, |writer| {
                for candidate in ids {
                    if inbox::delete(writer, agent, *candidate)? {
                        buried.push(bury("candidate", candidate.id()));
                    }
                }
                buried.push(bury(BY_IMPORT, id.id()));
                Ok(buried.clone())
            })?;
            import_runs::undone(writer, agent, id, now)?;
            let act = Act { act: "undone", subject_kind: "import", subject: id.id() };
            events::record(writer, agent, now, &[act])?;
            let counts = [("candidate", buried.len() as u64 - 1), (BY_IMPORT, 1)];
            let proof = Proof {
                agent,
                erasure: erasure.id,
                at: erasure.at,
                actor: self.caller.to_string(),
                how: BY_IMPORT.into(),
                removed: counts.map(|(kind, count)| (kind.to_owned(), count)).into(),
                rewritten: BTreeMap::new(),
                items_hash: self.mind.ledger.items_hash(&buried).to_vec(),
            };
            erasures::prove(writer, known.unwrap_or(&proof))
        })?)
    }

    /// A run that was undone, and that an older database still has, is undone again.
    pub(crate) fn undo_again(&self, id: RunId, entry: &LedgerEntry) -> Result<()> {
        let agent = self.agent.id;
        let (run, ids) = self.mind.store.read(&self.caller, &[agent], |reader| {
            Ok((import_runs::by_id(reader, agent, id)?, import_runs::candidates(reader, agent, id)?))
        })?;
        let proof = &entry.proof;
        match run {
            Some(run) if run.undone_at.is_none() => {
                let erasure =
                    Erasure { id: proof.erasure, agent, reason: "undo an import".into(), at: proof.at };
                self.take_back_as(id, &ids, &erasure, Some(proof))
            }
            _ => self.mind.prove_again(entry),
        }
    }

    pub(crate) fn must_be_operator(&self) -> Result<()> {
        match self.caller.is_operator() {
            true => Ok(()),
            false => Err(Error::Forbidden("only the operator imports, and undoes imports".into())),
        }
    }
}
