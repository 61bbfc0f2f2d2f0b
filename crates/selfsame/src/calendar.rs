//! The verbs of the calendar: add, check a range, remove an occurrence or the whole.

use crate::error::{Error, Result, check_field, check_limit};
use crate::heartbeat::due;
use crate::mind::Access;
use crate::sound::sound;
use selfsame_core::event::Act;
use selfsame_core::id::{CalendarId, ScheduleId};
use selfsame_core::kept::Kept;
use selfsame_core::local::Moment;
use selfsame_core::time::Time;
use selfsame_core::trust::Provenance;
use selfsame_store::{Idempotency, Replay, StoreError, calendar, events};
use std::collections::BTreeSet;
use std::time::Duration;

pub use selfsame_core::calendar::{CalendarDraft, CalendarEvent, Occurrence, Slot};

/// Occurrences in one answer, at most.
const MAX_LIMIT: usize = 1000;
/// Occurrences in one answer when the caller does not say.
const USUAL: usize = 100;
/// How far one looks ahead when the caller does not say.
const TWO_WEEKS: Duration = Duration::from_secs(14 * 86_400);
/// Bytes in a reason, at most.
const MAX_REASON_BYTES: usize = 4000;

/// An entry was added.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CalendarAdded {
    /// Which.
    pub id: CalendarId,
    /// When it takes place for the first time.
    pub first_at: Time,
}

/// What takes place in a range.
#[derive(Clone, PartialEq, Debug)]
pub struct Agenda {
    /// By their moments.
    pub occurrences: Vec<(Kept<CalendarEvent>, Occurrence)>,
    /// From when.
    pub from: Time,
    /// Until when.
    pub to: Time,
    /// Whether there are more than were asked for.
    pub more: bool,
    /// Entries that were left out because they are damaged.
    pub damaged: Vec<String>,
}

/// What became of an entry or occurrence that was to be removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CalendarRemoved {
    /// Which entry.
    pub id: CalendarId,
    /// Whether it was removed now, or earlier.
    pub now: bool,
}

impl Access<'_> {
    /// Puts something in the calendar.
    pub fn add_to_calendar(&self, draft: CalendarDraft, key: Option<&Idempotency>) -> Result<CalendarAdded> {
        let draft = self.without_secrets(draft);
        let now = self.mind.now();
        let provenance = Provenance::stated(&self.caller, None, draft.privacy);
        let id = CalendarId::of(self.mind.mint.id(now));
        let event = draft.check(id, self.agent.id, &self.zone()?, now)?;
        let bounds = event.bounds()?;
        let event = Kept::new(event, provenance);
        let reminder = ScheduleId::of(self.mind.mint.id(now));
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            calendar::insert(writer, &event, bounds)?;
            due::keep_entry(writer, &self.agent, &event, reminder, now)?;
            let act = Act { act: "added", subject_kind: "calendar", subject: id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(CalendarAdded { id, first_at: bounds.0 })
        })?)
    }

    /// What takes place from `from` (now) to `to` (two weeks on), as written; what still runs at `from` too. A date as
    /// `to` means the whole day.
    pub fn check_calendar(
        &self,
        from: Option<&str>,
        to: Option<&str>,
        limit: Option<usize>,
    ) -> Result<Agenda> {
        let limit = limit.unwrap_or(USUAL);
        check_limit(limit, MAX_LIMIT)?;
        let (zone, now) = (self.zone()?, self.mind.now());
        let read = |text| Moment::parse(text, zone.date(now));
        let from = from.map(read).transpose()?.map_or(now, |from| from.begin(&zone));
        let to = match to.map(read).transpose()? {
            Some(Moment::Day(day)) => Moment::Day(day.tomorrow().unwrap_or(day)).begin(&zone),
            Some(to) => to.begin(&zone),
            None => from.saturating_add(TWO_WEEKS),
        };
        if to <= from {
            return Err(Error::Unfit(format!("from {from} to {to} is no range: `to` must be later")));
        }
        let (events, damaged, exceptions) =
            self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
                let events = calendar::between(reader, self.agent.id, from, to)?;
                let (events, damaged) = sound(events)?;
                let ids: Vec<_> = events.iter().map(|event| event.id.id()).collect();
                Ok((events, damaged, calendar::exceptions(reader, self.agent.id, &ids)?))
            })?;
        let (none, mut found) = (BTreeSet::new(), Vec::new());
        for event in events.iter().filter(|event| event.provenance.is_visible_to(&self.caller)) {
            let without = exceptions.get(&event.id.id()).unwrap_or(&none);
            // No series needs to give more than are shown.
            let all = event.occurrences(from, without).take_while(|one| one.begin < to).take(limit + 1);
            found.extend(all.map(|one| (event, one)));
        }
        found.sort_by_key(|(event, one)| (one.begin, event.id));
        let more = found.len() > limit;
        found.truncate(limit);
        let occurrences = found.into_iter().map(|(event, one)| (event.clone(), one)).collect();
        Ok(Agenda { occurrences, from, to, more, damaged })
    }

    /// Takes an entry off the calendar, or one occurrence of it by its local start. Twice is as once.
    pub fn remove_from_calendar(
        &self,
        id: CalendarId,
        occurrence: Option<&str>,
        reason: Option<&str>,
        key: Option<&Idempotency>,
    ) -> Result<CalendarRemoved> {
        if let Some(reason) = reason {
            check_field("reason", reason, MAX_REASON_BYTES)?;
        }
        let event = self.calendar_event(id)?;
        let starts = occurrence.map(|text| self.occurrence_start(&event, text)).transpose()?;
        let now = self.mind.now();
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let (removed, act) = match &starts {
                Some(starts) => {
                    (calendar::except(writer, self.agent.id, id, starts, now)?, "occurrence_removed")
                }
                None => (calendar::remove(writer, self.agent.id, id, now, reason)?, "removed"),
            };
            if removed {
                match &starts {
                    Some(_) => due::occurrence_removed(writer, self.agent.id, &event, now)?,
                    None => due::entry_removed(writer, self.agent.id, id, now)?,
                }
                let act = Act { act, subject_kind: "calendar", subject: id.id() };
                events::record(writer, self.agent.id, now, &[act])?;
            }
            Ok(CalendarRemoved { id, now: removed })
        })?)
    }

    fn calendar_event(&self, id: CalendarId) -> Result<Kept<CalendarEvent>> {
        let found = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| calendar::by_id(reader, self.agent.id, id))?;
        found
            .filter(|event| event.provenance.is_visible_to(&self.caller))
            .ok_or_else(|| Error::NoSuch { what: "calendar entry", id: id.to_string() })
    }

    /// The local start of an occurrence as it is stored; an error that names the next ones if there is none.
    fn occurrence_start(&self, event: &CalendarEvent, text: &str) -> Result<String> {
        let moment = Moment::parse(text, event.zone.date(self.mind.now()))?;
        let (begin, none) = (moment.begin(&event.zone), BTreeSet::new());
        // A date is enough where it takes place once a day.
        let fits = |one: &Occurrence| match moment {
            Moment::Day(day) => event.zone.date(one.begin) == day,
            _ => one.begin == begin,
        };
        let next: Vec<Occurrence> =
            event.occurrences(begin, &none).skip_while(|one| one.begin < begin).take(3).collect();
        match next.first().filter(|one| fits(one)) {
            Some(one) => Ok(one.slot.starts()),
            None => {
                let starts: Vec<String> = next.iter().map(|one| one.slot.starts()).collect();
                let next = if starts.is_empty() { "none".to_owned() } else { starts.join(", ") };
                Err(Error::Unfit(format!(
                    "occurrence: it does not take place at {text}; from there on: {next}"
                )))
            }
        }
    }
}

impl Replay for CalendarAdded {
    fn encode(&self) -> String {
        format!("[\"{}\",{}]", self.id, self.first_at.micros())
    }

    fn decode(stored: &str) -> std::result::Result<CalendarAdded, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (id, first_at): (String, i64) = serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(CalendarAdded { id: id.parse().map_err(|_| damaged())?, first_at: Time::from_micros(first_at) })
    }
}

impl Replay for CalendarRemoved {
    fn encode(&self) -> String {
        format!("[\"{}\",{}]", self.id, self.now)
    }

    fn decode(stored: &str) -> std::result::Result<CalendarRemoved, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (id, now): (String, bool) = serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(CalendarRemoved { id: id.parse().map_err(|_| damaged())?, now })
    }
}
