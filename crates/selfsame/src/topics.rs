//! What comes up: whoever a principal or the agent speaks of is heard of, and what a principal speaks of on some weekdays
//! becomes a habit. Both are settled when a memory is stored, so that SQL alone can find them later.

use selfsame_core::heartbeat::habit::{Day, habits};
use selfsame_core::id::{EntityId, PrincipalId};
use selfsame_core::memory::Memory;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Author;
use selfsame_store::principals::{self, Principal};
use selfsame_store::{StoreError, Writer, entities, topics};

/// A memory that feeds a principal's heartbeat speaks of these.
pub(crate) fn came_up(
    writer: &mut Writer,
    memory: &Memory,
    serves: PrincipalId,
    mentioned: &[EntityId],
    now: Time,
) -> Result<(), StoreError> {
    if mentioned.is_empty() {
        return Ok(());
    }
    entities::heard(writer, memory.agent, mentioned, now)?;
    // Habits are the principal's own: what the agent notes of them is the agent's rhythm.
    if memory.provenance.author() != Author::Principal {
        return Ok(());
    }
    match principals::by_id(writer, memory.agent, serves)? {
        Some(principal) => note_day(writer, memory, &principal, mentioned, now),
        None => Ok(()),
    }
}

/// Notes the day by the principal's calendar, and works out anew what is a habit where that is news.
fn note_day(
    writer: &mut Writer,
    memory: &Memory,
    principal: &Principal,
    mentioned: &[EntityId],
    now: Time,
) -> Result<(), StoreError> {
    let zone = Zone::parse(&principal.zone)
        .map_err(|unknown| StoreError::Damaged(format!("the zone of {}: {unknown}", principal.id)))?;
    let today = Day::of(&zone, now);
    // Who speaks is no topic of their own.
    for topic in mentioned.iter().filter(|topic| **topic != principal.entity) {
        if topics::add_day(writer, memory.agent, principal.id, *topic, today)? {
            let days = topics::days(writer, memory.agent, principal.id, *topic, today.first_in_sight())?;
            let habits = habits(&days, today, &zone);
            topics::set_habits(writer, memory.agent, principal.id, *topic, &habits)?;
        }
    }
    Ok(())
}
