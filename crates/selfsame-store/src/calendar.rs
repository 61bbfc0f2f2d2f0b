//! Entries of the calendar, found by the bounds of their series; and the occurrences that do not take place.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::provenance::{believed, provenance_columns, sealed};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use selfsame_core::calendar::{CalendarEvent, Rule, Slot};
use selfsame_core::id::{AgentId, CalendarId, Id};
use selfsame_core::kept::Kept;
use selfsame_core::time::{Time, Zone};
use std::collections::{BTreeMap, BTreeSet};

macro_rules! select {
    ($rest:literal) => {
        concat!(
            "SELECT id, title, description, location, starts, ends, zone, recurrence, created_at, remind_minutes,
             removed_at, ",
            provenance_columns!(),
            ", row_hash FROM calendar_events WHERE agent_id = $1 AND ",
            $rest
        )
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO calendar_events (agent_id, id, title, description, location, starts, ends, zone,
        recurrence, created_at, remind_minutes, first_at, last_at, updated_at, ", provenance_columns!(), ", row_hash)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $10, $14, $15, $16, $17, $18, $19)");
    agent BY_ID = select!("id = $2");
    agent BETWEEN = select!("removed_at IS NULL AND first_at < $3 AND COALESCE(last_at, $2) >= $2 ORDER BY id");
    agent PAGE = select!("id > $2 ORDER BY id LIMIT $3");
    agent REMOVE = "UPDATE calendar_events SET removed_at = $3, removed_reason = $4, updated_at = $3
        WHERE agent_id = $1 AND id = $2 AND removed_at IS NULL";
    agent EXCEPT = "INSERT INTO calendar_exceptions (agent_id, event_id, starts, created_at) VALUES ($1, $2, $3, $4)
        ON CONFLICT (agent_id, event_id, starts) DO NOTHING";
    agent EXCEPTIONS = "SELECT event_id, starts FROM calendar_exceptions WHERE agent_id = $1 AND event_id IN ({list})";
}

/// The local starts that do not take place, by entry.
pub type Exceptions = BTreeMap<Id, BTreeSet<String>>;

/// Adds an entry, with the bounds of its series.
pub fn insert(writer: &mut Writer, event: &Kept<CalendarEvent>, bounds: (Time, Option<Time>)) -> Result<()> {
    let mut bound: Vec<Value> = params![
        event.id.id(),
        &event.title,
        event.description.as_deref(),
        event.location.as_deref(),
        event.slot.starts(),
        event.slot.ends(),
        event.zone.name(),
        event.recurrence.as_ref().map(Rule::to_string),
        event.created_at,
        event.remind_minutes,
        bounds.0,
        bounds.1,
    ]
    .to_vec();
    bound.extend(sealed(event));
    writer.execute(&INSERT, event.agent, &bound)?;
    Ok(())
}

/// One entry, taken off or not.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: CalendarId) -> Result<Option<Kept<CalendarEvent>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| event(agent, row)).transpose()
}

/// What may take place between two moments; a damaged entry comes as the error that it is.
pub fn between(
    reader: &mut Reader,
    agent: AgentId,
    from: Time,
    to: Time,
) -> Result<Vec<Result<Kept<CalendarEvent>>>> {
    let rows = reader.rows(&BETWEEN, agent, params![from, to])?;
    Ok(rows.into_iter().map(|row| event(agent, row)).collect())
}

/// The next entries after an id.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<CalendarEvent>>>> {
    let rows = reader.rows(&PAGE, agent, params![after, limit])?;
    Ok(rows.into_iter().map(|row| event(agent, row)).collect())
}

/// Takes an entry off; false if it was already.
pub fn remove(
    writer: &mut Writer,
    agent: AgentId,
    id: CalendarId,
    at: Time,
    reason: Option<&str>,
) -> Result<bool> {
    Ok(writer.execute(&REMOVE, agent, params![id.id(), at, reason])? > 0)
}

/// Takes one occurrence off; false if it was already.
pub fn except(writer: &mut Writer, agent: AgentId, id: CalendarId, starts: &str, at: Time) -> Result<bool> {
    Ok(writer.execute(&EXCEPT, agent, params![id.id(), starts, at])? > 0)
}

/// What was taken off of these entries.
pub fn exceptions(reader: &mut Reader, agent: AgentId, ids: &[Id]) -> Result<Exceptions> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(*id)).collect();
    let mut found = Exceptions::new();
    for row in reader.rows_in(&EXCEPTIONS, agent, &[], &list)? {
        let mut fields = row.fields();
        found.entry(fields.id()?).or_default().insert(fields.text()?);
    }
    Ok(found)
}

fn event(agent: AgentId, row: Row) -> Result<Kept<CalendarEvent>> {
    let damaged = |what: &str| StoreError::Damaged(format!("{what} of a calendar entry cannot be read"));
    let mut fields = row.fields();
    let id = CalendarId::of(fields.id()?);
    let (title, description, location) = (fields.text()?, fields.opt_text()?, fields.opt_text()?);
    let (starts, ends) = (fields.text()?, fields.opt_text()?);
    let zone = fields.text()?;
    let recurrence = fields.opt_text()?.map(|rule| Rule::parse(&rule)).transpose();
    let words = CalendarEvent {
        id,
        agent,
        title,
        description,
        location,
        slot: Slot::parse(&starts, ends.as_deref()).ok_or_else(|| damaged("the time"))?,
        zone: Zone::parse(&zone).map_err(|_| damaged("the zone"))?,
        recurrence: recurrence.map_err(|_| damaged("the recurrence"))?,
        created_at: fields.time()?,
        remind_minutes: fields.opt_int()?.map(|minutes| u32::try_from(minutes).unwrap_or(u32::MAX)),
        removed_at: fields.opt_time()?,
    };
    believed(words, &mut fields)
}
