//! What an older backup still has is forgotten again before anything is served, and what the database alone knows is written
//! down in the ledger.

use super::ledger::Entry;
use super::take::Taking;
use super::trace::{Reach, Roots, trace};
use crate::error::Result;
use crate::mind::{Access, Mind, Speaker};
use selfsame_core::id::{AgentId, ErasureId};
use selfsame_core::time::civil::Date;
use selfsame_core::trust::Caller;
use selfsame_store::agents;
use selfsame_store::erasures::{self, Erasure, Proof};
use std::collections::BTreeSet;
use std::fs;

impl Mind {
    /// Makes the database and the ledger say the same: what was forgotten after an older database was made goes again, and
    /// what a process died over is finished.
    pub(crate) fn agree_with_ledger(&self) -> Result<()> {
        if self.ledger.folder().is_none() {
            return Ok(());
        }
        let written = self.ledger.entries(self.now())?;
        self.forget_again(&written)?;
        let known: BTreeSet<ErasureId> = written.iter().map(|entry| entry.proof.erasure).collect();
        let proofs = self.store.system(erasures::all_proofs)?;
        let unfinished: Vec<Proof> =
            proofs.into_iter().filter(|proof| !known.contains(&proof.erasure)).collect();
        if unfinished.is_empty() {
            return Ok(());
        }
        let agents: BTreeSet<AgentId> = unfinished.iter().map(|proof| proof.agent).collect();
        for agent in agents {
            self.put_journals_right(agent)?;
        }
        self.store.compact()?;
        let entries = unfinished.into_iter().map(|proof| self.entry_of(proof)).collect::<Result<Vec<_>>>()?;
        self.ledger.add(&entries)
    }

    /// Every act that the database knows, as the ledger has it.
    pub(crate) fn erasure_entries(&self) -> Result<Vec<Entry>> {
        let proofs = self.store.system(erasures::all_proofs)?;
        proofs.into_iter().map(|proof| self.entry_of(proof)).collect()
    }

    pub(super) fn entry_of(&self, proof: Proof) -> Result<Entry> {
        let agent = proof.agent;
        let items = self
            .store
            .read(&Caller::agent(None), &[agent], |reader| erasures::under(reader, agent, proof.erasure))?;
        Ok(Entry { proof, items })
    }

    /// Forgets again what is in these entries and not forgotten here.
    pub(crate) fn forget_again(&self, entries: &[Entry]) -> Result<u64> {
        let known: BTreeSet<ErasureId> =
            self.store.system(erasures::all_proofs)?.into_iter().map(|proof| proof.erasure).collect();
        let mut again = 0;
        for entry in entries.iter().filter(|entry| !known.contains(&entry.proof.erasure)) {
            let agent = entry.proof.agent;
            let is_here = self.store.system(|reader| agents::by_id(reader, agent))?.is_some();
            if is_here {
                self.forget_entry(entry)?;
                again += 1;
            }
        }
        if again > 0 {
            self.store.compact()?;
        }
        Ok(again)
    }

    /// Forgets in a mind that was packed what was forgotten since; gives how many acts there were. An agent that was
    /// forgotten whole and is brought back on purpose is brought back without what was forgotten of it before.
    pub(crate) fn forget_what_was_forgotten(&self, entries: &[Entry]) -> Result<u64> {
        let mut again = 0;
        let takes_something = |entry: &&Entry| !entry.items.is_empty() || !entry.proof.rewritten.is_empty();
        for entry in entries.iter().filter(|entry| !entry.is_of_agent()).filter(takes_something) {
            let (agent, erasure) = (entry.proof.agent, entry.proof.erasure);
            let is_known = self
                .store
                .read(&Caller::agent(None), &[agent], |reader| erasures::is_done(reader, agent, erasure))?;
            if !is_known {
                self.forget_entry(entry)?;
                again += 1;
            }
        }
        Ok(again)
    }

    fn forget_entry(&self, entry: &Entry) -> Result<()> {
        let proof = &entry.proof;
        let access = self.access(&proof.agent.to_string(), Speaker::Operator)?;
        let erasure =
            Erasure { id: proof.erasure, agent: proof.agent, reason: proof.how.clone(), at: proof.at };
        if entry.is_of_agent() {
            return access.erase_whole_agent(&erasure, &proof.actor, None).map(drop);
        }
        if entry.is_of_link() {
            return self.take_back_again(entry);
        }
        if let Some(run) = entry.import() {
            return access.undo_again(run, entry);
        }
        let (zone, now, items) = (access.zone()?, self.now(), entry.named());
        self.take_away_copies(&access.agent, &items)?;
        let mut days = BTreeSet::new();
        self.store.write(&access.caller, &[proof.agent], None, |writer| {
            let mut found = trace(&access, writer, &Roots::Items(&items), Reach::Everything)?;
            found.reword_again(entry.reworded());
            let mut taking = Taking { access: &access, zone: &zone, now, days: BTreeSet::new() };
            erasures::erase(writer, &erasure, |writer| {
                let mut buried = entry.items.clone();
                // What the act took away is buried as it was then, also if this database never had it.
                let more = taking.take_all(writer, &found)?;
                let is_new = |one: &erasures::Buried| !entry.items.iter().any(|known| known.item == one.item);
                buried.extend(more.into_iter().filter(is_new));
                Ok(buried)
            })?;
            days = taking.days;
            erasures::prove(writer, proof)
        })?;
        access.put_days_right(days)
    }

    /// The proof of an act that this database never needed, or has seen to.
    pub(crate) fn prove_again(&self, entry: &Entry) -> Result<()> {
        let proof = &entry.proof;
        let erasure =
            Erasure { id: proof.erasure, agent: proof.agent, reason: proof.how.clone(), at: proof.at };
        Ok(self.store.background("forget", &[proof.agent], |writer| {
            erasures::erase(writer, &erasure, |_| Ok(entry.items.clone()))?;
            erasures::prove(writer, proof)
        })?)
    }

    /// Puts all journals of an agent right; of one that is gone, takes them away.
    pub(crate) fn put_journals_right(&self, agent: AgentId) -> Result<()> {
        match self.store.system(|reader| agents::by_id(reader, agent))? {
            Some(_) => {
                let access = self.access(&agent.to_string(), Speaker::Operator)?;
                access.put_days_right(access.journal_days())
            }
            None => self.remove_orphaned_journals(),
        }
    }

    /// Journals are in a folder that has the agent's name: one of an agent that is gone has nobody's.
    pub(super) fn remove_orphaned_journals(&self) -> Result<()> {
        let Some(root) = &self.journal else { return Ok(()) };
        let names: BTreeSet<String> = self.agents()?.into_iter().map(|agent| agent.name).collect();
        for entry in fs::read_dir(root).into_iter().flatten().flatten() {
            let is_journal = entry.path().join("memory").join("contemplation").is_dir();
            if is_journal && !names.contains(entry.file_name().to_string_lossy().as_ref()) {
                fs::remove_dir_all(entry.path()).map_err(|cause| {
                    crate::data_folder::FolderError::Unusable { path: entry.path(), cause }
                })?;
            }
        }
        Ok(())
    }
}

impl Access<'_> {
    pub(crate) fn put_days_right(&self, days: BTreeSet<Date>) -> Result<()> {
        days.into_iter().try_for_each(|day| self.write_journal_if_it_may(day))
    }
}
