//! Monitors: a memory that wants to be looked after. Recalling it is no check; saying so is.

use crate::error::{Error, Result, check_limit};
use crate::mind::Access;
use selfsame_core::event::Act;
use selfsame_core::id::MemoryId;
use selfsame_core::memory::{Draft, Memory, MemoryKind};
use selfsame_core::monitor::parse_every;
use selfsame_core::seal::sha256;
use selfsame_core::time::Time;
use selfsame_core::trust::Privacy;
use selfsame_store::{Idempotency, Writer, events, memory, monitors};

pub use selfsame_core::monitor::Monitor;

/// Monitors in one answer, at most.
const MAX_LIMIT: usize = 500;

/// A monitor with the memory that it looks after.
#[derive(Clone, PartialEq, Debug)]
pub struct MonitorCard {
    /// The monitor.
    pub monitor: Monitor,
    /// The memory.
    pub memory: Memory,
    /// Whether somebody should have looked by now.
    pub overdue: bool,
}

impl Access<'_> {
    /// Looks after a memory from now on, every so often (`7d`); asked for again, it begins anew.
    pub fn monitor(&self, id: MemoryId, every: &str, key: Option<&Idempotency>) -> Result<MonitorCard> {
        let every = parse_every(every)?;
        self.require_memory(id)?;
        let now = self.mind.now();
        let monitor = Monitor::new(self.agent.id, id, every, now);
        self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            monitors::insert(writer, &monitor)?;
            self.record_monitor(writer, "monitored", id, now)
        })?;
        self.monitor_of(id)
    }

    /// The monitors that have not ended: the one that has been due the longest first.
    pub fn monitors(&self, limit: usize) -> Result<Vec<MonitorCard>> {
        check_limit(limit, MAX_LIMIT)?;
        let now = self.mind.now();
        let (running, memories) = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let running = monitors::running(reader, self.agent.id, limit as i64)?;
            let ids: Vec<MemoryId> = running.iter().map(|monitor| monitor.memory).collect();
            Ok((running, memory::by_ids(reader, self.agent.id, &ids)?))
        })?;
        let memories = memories.into_iter().collect::<std::result::Result<Vec<_>, _>>()?;
        let card = |monitor: Monitor| {
            let memory = memories.iter().find(|memory| memory.id == monitor.memory)?;
            let overdue = monitor.is_overdue(now);
            let visible = memory.provenance.is_visible_to(&self.caller);
            visible.then(|| MonitorCard { monitor, memory: memory.clone(), overdue })
        };
        Ok(running.into_iter().filter_map(card).collect())
    }

    /// Somebody looked: the next check is due after one pause. A note is kept as a memory of its own.
    pub fn monitor_checked(
        &self,
        id: MemoryId,
        note: Option<&str>,
        key: Option<&Idempotency>,
    ) -> Result<MonitorCard> {
        let card = self.monitor_of(id)?;
        if card.monitor.ended_at.is_some() {
            return Err(Error::Unfit(format!(
                "the monitor of {id} has ended: begin it anew with monitor_add"
            )));
        }
        if let Some(note) = note {
            self.keep_note(&card.memory, note, key)?;
        }
        let now = self.mind.now();
        let next = now.saturating_add(card.monitor.every);
        self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            if !monitors::checked(writer, self.agent.id, id, now, next)? {
                return Ok(());
            }
            self.record_monitor(writer, "checked", id, now)
        })?;
        self.monitor_of(id)
    }

    /// Ends a monitor; one that has ended stays as it is.
    pub fn monitor_end(&self, id: MemoryId, key: Option<&Idempotency>) -> Result<MonitorCard> {
        self.monitor_of(id)?;
        let now = self.mind.now();
        self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            if !monitors::end(writer, self.agent.id, id, now)? {
                return Ok(());
            }
            self.record_monitor(writer, "ended", id, now)
        })?;
        self.monitor_of(id)
    }

    /// What was seen is a fact of its own, and no less private than what it is about.
    fn keep_note(&self, about: &Memory, note: &str, key: Option<&Idempotency>) -> Result<()> {
        let mut draft = Draft::new(note);
        draft.kind = MemoryKind::Activity;
        draft.source = Some(format!("check of {}", about.id));
        draft.privacy = if about.provenance.is_private() { Privacy::Private } else { Privacy::Shared };
        let key = key.map(|key| Idempotency {
            key: format!("note {}", selfsame_core::seal::hex(&sha256(&[key.key.as_bytes()]))),
            ..key.clone()
        });
        self.remember(draft, key.as_ref()).map(drop)
    }

    fn monitor_of(&self, id: MemoryId) -> Result<MonitorCard> {
        let memory = self.require_memory(id)?;
        let found = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| monitors::by_memory(reader, self.agent.id, id))?;
        let Some(monitor) = found else {
            return Err(Error::NoSuch { what: "monitor of", id: id.to_string() });
        };
        let overdue = monitor.is_overdue(self.mind.now());
        Ok(MonitorCard { monitor, memory, overdue })
    }

    fn require_memory(&self, id: MemoryId) -> Result<Memory> {
        self.memory(id)?.ok_or_else(|| Error::NoSuch { what: "memory", id: id.to_string() })
    }

    fn record_monitor(
        &self,
        writer: &mut Writer,
        act: &'static str,
        id: MemoryId,
        now: Time,
    ) -> std::result::Result<(), selfsame_store::StoreError> {
        let act = Act { act, subject_kind: "monitor", subject: id.id() };
        events::record(writer, self.agent.id, now, &[act]).map(drop)
    }
}
