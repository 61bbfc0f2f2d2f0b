//! The verbs of the soul: add, remove, list. One truth at a time, by a deliberate call, with a reason.

use crate::error::{Error, Result, check_field};
use crate::mind::Access;
use crate::sound::all_sound;
use selfsame_core::event::Act;
use selfsame_core::id::{Id, SoulId};
use selfsame_core::kept::Kept;
use selfsame_core::soul::{MAX_REASON_BYTES, Removal, check, may_write};
use selfsame_core::tokens::count;
use selfsame_core::trust::{Privacy, Provenance};
use selfsame_store::{Idempotency, Replay, StoreError, events, soul};

pub use selfsame_core::soul::{SoulEntry, SoulKind};

/// Entries read at a time.
const PAGE: i64 = 500;

/// An entry was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SoulAdded {
    /// Which.
    pub id: SoulId,
}

/// What became of an entry that was to be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SoulRemoved {
    /// Which.
    pub id: SoulId,
    /// Whether it was removed now, or long ago.
    pub now: bool,
}

impl Access<'_> {
    /// Adds a truth. Only the agent itself and its operator may.
    pub fn add_to_soul(
        &self,
        kind: SoulKind,
        content: &str,
        reason: &str,
        key: Option<&Idempotency>,
    ) -> Result<SoulAdded> {
        self.check_soul_writer()?;
        let settings = &self.mind.settings.soul;
        let (content, reason) = (&*self.masked(content), &*self.masked(reason));
        check(content, reason, settings.max_characters)?;
        let now = self.mind.now();
        let entry = SoulEntry {
            id: SoulId::of(self.mind.mint.id(now)),
            agent: self.agent.id,
            kind,
            content: content.to_owned(),
            reason: reason.to_owned(),
            created_at: now,
            removed: None,
        };
        let provenance = Provenance::stated(&self.caller, None, Privacy::Shared);
        let entry = Kept::new(entry, provenance).counted(count(content));
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let there = all_sound(soul::active(writer, self.agent.id)?)?;
            check_room(&there, content, settings.max_entries)?;
            soul::insert(writer, &entry)?;
            let act = Act { act: "added", subject_kind: "soul", subject: entry.id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(SoulAdded { id: entry.id })
        })?)
    }

    /// Removes a truth; it stays as history. Twice is as once.
    pub fn remove_from_soul(
        &self,
        id: SoulId,
        reason: &str,
        key: Option<&Idempotency>,
    ) -> Result<SoulRemoved> {
        self.check_soul_writer()?;
        let reason = &*self.masked(reason);
        check_field("reason", reason, MAX_REASON_BYTES)?;
        let known = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            Ok(soul::by_id(reader, self.agent.id, id)?.is_some())
        })?;
        if !known {
            return Err(Error::NoSuch { what: "soul entry", id: id.to_string() });
        }
        let removal = Removal { at: self.mind.now(), reason: reason.to_owned(), by: self.caller.to_string() };
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let now = soul::remove(writer, self.agent.id, id, &removal)?;
            if now {
                let act = Act { act: "removed", subject_kind: "soul", subject: id.id() };
                events::record(writer, self.agent.id, removal.at, &[act])?;
            }
            Ok(SoulRemoved { id, now })
        })?)
    }

    /// What the agent is at heart, in the order of addition; with `history` also what it once was.
    pub fn soul(&self, history: bool) -> Result<Vec<Kept<SoulEntry>>> {
        let mut all = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            if !history {
                return all_sound(soul::active(reader, self.agent.id)?);
            }
            let (mut all, mut after) = (Vec::new(), Id::NIL);
            loop {
                let page = soul::page(reader, self.agent.id, after, PAGE)?;
                let page = all_sound(page)?;
                let Some(last) = page.last() else {
                    return Ok(all);
                };
                after = last.id.id();
                all.extend(page);
            }
        })?;
        all.retain(|entry| entry.provenance.is_visible_to(&self.caller));
        Ok(all)
    }

    fn check_soul_writer(&self) -> Result<()> {
        match may_write(&self.caller) {
            true => Ok(()),
            false => Err(Error::Forbidden(
                "only the agent itself, by its own call, and its operator may write its soul".into(),
            )),
        }
    }
}

fn check_room(there: &[Kept<SoulEntry>], content: &str, max: usize) -> std::result::Result<(), StoreError> {
    if let Some(same) = there.iter().find(|entry| entry.content == content) {
        return Err(StoreError::Conflict(format!("the soul has these very words already: {}", same.id)));
    }
    if there.len() >= max {
        return Err(StoreError::Conflict(format!(
            "the soul has {} entries, as many as it may have (soul.max_entries): remove one first",
            there.len()
        )));
    }
    Ok(())
}

impl Replay for SoulAdded {
    fn encode(&self) -> String {
        format!("\"{}\"", self.id)
    }

    fn decode(stored: &str) -> std::result::Result<SoulAdded, StoreError> {
        let id: String = serde_json::from_str(stored).map_err(|_| StoreError::unreadable_reply())?;
        Ok(SoulAdded { id: id.parse().map_err(|_| StoreError::unreadable_reply())? })
    }
}

impl Replay for SoulRemoved {
    fn encode(&self) -> String {
        format!("[\"{}\",{}]", self.id, self.now)
    }

    fn decode(stored: &str) -> std::result::Result<SoulRemoved, StoreError> {
        let (id, now): (String, bool) =
            serde_json::from_str(stored).map_err(|_| StoreError::unreadable_reply())?;
        Ok(SoulRemoved { id: id.parse().map_err(|_| StoreError::unreadable_reply())?, now })
    }
}
