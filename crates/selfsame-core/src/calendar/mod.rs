//! The calendar: what takes place when, by the wall clock of its zone, once or by a rule of RFC 5545.
//!
//! [`rule`] reads a rule, [`recurrence`] lists its local times, [`event`] places them in a zone.

pub mod event;
pub mod recurrence;
pub mod rule;

pub use event::{BadEvent, CalendarDraft, CalendarEvent, Occurrence, Slot};
pub use rule::{BadRule, Rule};
