//! How a memory goes on after it was stored. Every change of its life passes through [`carry_on`], so that state, times
//! of decline, history and the index of what is open never part.

use crate::heartbeat::due;
use crate::linking;
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, MemoryId};
use selfsame_core::memory::{Memory, State};
use selfsame_core::time::Time;
use selfsame_store::{StoreError, Writer, events, memory, memory_life};

/// Stores the life that a memory has from now on. Its state is judged here, not taken as given, but for `resolved`;
/// says whether the state changed.
pub(crate) fn carry_on(
    writer: &mut Writer,
    before: &Memory,
    mut after: Memory,
    reason: &'static str,
    now: Time,
) -> Result<bool, StoreError> {
    let (state, decline) = after.judged(now);
    after.life.state = state;
    after.life.decline = decline;
    after.life.updated_at = now;
    memory::live_on(writer, &after)?;
    keep_open_index(writer, before, &after)?;
    end_what_is_due(writer, before, &after, now)?;
    let changed = before.life.state != state;
    if changed {
        memory_life::note_states(writer, after.agent, now, &[(after.id, state, reason)])?;
        let act =
            Act { act: act_of(before.life.state, state), subject_kind: "memory", subject: after.id.id() };
        events::record(writer, after.agent, now, &[act])?;
    }
    Ok(changed)
}

fn act_of(before: State, after: State) -> &'static str {
    match (before, after) {
        (_, State::Archived) => "archived",
        (_, State::Resolved) => "resolved",
        (State::Active, State::Stale) => "went_stale",
        _ => "revived",
    }
}

fn keep_open_index(writer: &mut Writer, before: &Memory, after: &Memory) -> Result<(), StoreError> {
    match (before.is_open(), after.is_open()) {
        (true, false) => linking::close(writer, after.agent, after.id, &after.content),
        (false, true) => linking::open(writer, after),
        _ => Ok(()),
    }
}

/// What is done or put away is not brought up any more. A next edition takes over what the one before had.
fn end_what_is_due(
    writer: &mut Writer,
    before: &Memory,
    after: &Memory,
    now: Time,
) -> Result<(), StoreError> {
    match after.life.state {
        state if state == before.life.state => Ok(()),
        State::Resolved => due::resolved(writer, after.agent, after.id, now),
        State::Archived if after.life.replaced_by.is_none() && after.is_scheduled() => {
            due::put_away(writer, after.agent, after.id, now)
        }
        _ => Ok(()),
    }
}

/// Marks a plan, activity or question as done; says whether it was not yet.
pub(crate) fn resolve(
    writer: &mut Writer,
    agent: AgentId,
    id: MemoryId,
    now: Time,
) -> Result<bool, StoreError> {
    let Some(before) = memory::by_id(writer, agent, id)? else {
        return Ok(false);
    };
    if before.life.state == State::Resolved {
        return Ok(false);
    }
    let mut after = before.clone();
    after.life.state = State::Resolved;
    carry_on(writer, &before, after, "resolved", now)
}
