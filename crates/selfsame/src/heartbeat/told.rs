//! What becomes of what was said: it reaches somebody, is answered, waved away, or nobody fetched it in time.

use super::due::{self, Fate};
use crate::agent::Agent;
use crate::config::HeartbeatSettings;
use crate::error::StoreResult;
use crate::principal::Principal;
use selfsame_core::event::Act;
use selfsame_core::heartbeat::signal::names;
use selfsame_core::heartbeat::{Ladder, NudgeState, RefKind, Sighting};
use selfsame_core::id::{AgentId, MemoryId, MessageId, PrincipalId, ScheduleId};
use selfsame_core::time::Time;
use selfsame_store::heartbeat::moments::Known;
use selfsame_store::heartbeat::nudges::{self, Nudge};
use selfsame_store::{Writer, events, schedules};
use std::time::Duration;

/// The channel that carries nothing: a nudge waits there to be fetched.
pub const LIST: &str = "list";

/// It reached somebody: what it reminded of is settled. Says whether that is new. What was answered or waved away
/// meanwhile stays so.
pub(crate) fn delivered(
    writer: &mut Writer,
    grace: Duration,
    agent: AgentId,
    nudge: &Nudge,
    by: &str,
    now: Time,
) -> StoreResult<bool> {
    if by == LIST {
        nudges::tried(writer, agent, nudge.id, LIST, "delivered", None, now)?;
    }
    let is_new = nudges::deliver(writer, agent, nudge.id, nudge.state.once_delivered(), now, by)?;
    if is_new {
        settle_refs(writer, grace, agent, nudge, Fate::Delivered, now)?;
    }
    note(writer, agent, "delivered", nudge, now)?;
    Ok(is_new)
}

/// At `observe`, entering the agent's context is delivery. It counts neither as delivered to anybody nor as ignored.
pub(super) fn seen(
    writer: &mut Writer,
    grace: Duration,
    agent: AgentId,
    nudge: &Nudge,
    now: Time,
) -> StoreResult<()> {
    nudges::close(writer, agent, nudge.id, NudgeState::Observed, now, Some("context"))?;
    settle_refs(writer, grace, agent, nudge, Fate::Delivered, now)
}

/// Nobody will get it: what it reminded of is missed, and it stays on the list; the rest could not be said.
pub(super) fn given_up(
    writer: &mut Writer,
    grace: Duration,
    agent: AgentId,
    nudge: &Nudge,
    why: Option<&str>,
    now: Time,
) -> StoreResult<()> {
    let end = NudgeState::once_given_up(nudge.kind);
    nudges::close(writer, agent, nudge.id, end, now, why)?;
    settle_refs(writer, grace, agent, nudge, Fate::Missed, now)?;
    note(writer, agent, end.as_str(), nudge, now)
}

/// Reminders that nobody fetched within the grace are missed. A channel that is still being tried is waited for.
fn give_up_overdue(
    writer: &mut Writer,
    grace: Duration,
    agent: &Agent,
    principal: &Principal,
    now: Time,
) -> StoreResult<()> {
    for nudge in nudges::overdue(writer, agent.id, principal.id, now)? {
        let ways = nudges::deliveries(writer, agent.id, nudge.id)?;
        if !ways.iter().any(|way| way.channel != LIST && way.state == "waiting") {
            given_up(writer, grace, agent.id, &nudge, None, now)?;
        }
    }
    Ok(())
}

/// What is told of due moments and rungs is told once.
pub(super) fn surface_due(
    writer: &mut Writer,
    ladder: &Ladder,
    agent: AgentId,
    surfaced: &[Sighting],
    now: Time,
) -> StoreResult<()> {
    for sighting in surfaced {
        for finding in &sighting.listed {
            match (sighting.signal.name.as_str(), finding.due_at) {
                (names::SCHEDULED, Some(slot)) => {
                    schedules::surface(writer, agent, ScheduleId::of(finding.id), slot)?;
                }
                (names::DEADLINE, _) => {
                    if let Some(rung) = ladder.rung_called(&finding.status) {
                        due::tell_rung(writer, ladder, agent, MemoryId::of(finding.id), rung, now)?;
                    }
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Gives up what has waited for too long; says whether there may have been such. Looked for only where a known moment says
/// that it may be there.
pub(super) fn give_up_what_passed(
    writer: &mut Writer,
    settings: &HeartbeatSettings,
    whose: (&Agent, &Principal),
    known: &Known,
    is_held: bool,
    now: Time,
) -> StoreResult<bool> {
    let (agent, principal) = whose;
    let is_unfetched = known.grace.is_some_and(|grace| grace <= now);
    if is_unfetched {
        give_up_overdue(writer, settings.grace, agent, principal, now)?;
    }
    if known.reached {
        due::give_up_deadlines(writer, &settings.ladder, agent.id, principal.id, is_held, now)?;
    }
    if is_held {
        give_up_schedules(writer, settings, agent, principal, now)?;
    }
    Ok(is_unfetched || known.reached || is_held)
}

/// While nothing may be said, due moments whose grace is over are missed.
fn give_up_schedules(
    writer: &mut Writer,
    settings: &HeartbeatSettings,
    agent: &Agent,
    principal: &Principal,
    now: Time,
) -> StoreResult<()> {
    for row in schedules::due(writer, agent.id, principal.id, now)? {
        let Some(slot) = row.next_due_at else { continue };
        if now.since(slot) > due::grace_of(&row, settings.grace)? {
            due::settle(writer, settings.grace, agent.id, row.id, slot, Fate::Muted, now)?;
        }
    }
    Ok(())
}

/// The principal wrote: what was said to them shortly before is answered.
pub(crate) fn answered_by_writing(
    writer: &mut Writer,
    agent: AgentId,
    principal: PrincipalId,
    message: MessageId,
    within: Duration,
    now: Time,
) -> StoreResult<()> {
    for nudge in nudges::unanswered_since(writer, agent, principal, now.saturating_sub(within))? {
        nudges::close(writer, agent, nudge.id, NudgeState::Answered, now, Some(&message.to_string()))?;
        note(writer, agent, "answered", &nudge, now)?;
    }
    Ok(())
}

fn settle_refs(
    writer: &mut Writer,
    grace: Duration,
    agent: AgentId,
    nudge: &Nudge,
    fate: Fate,
    now: Time,
) -> StoreResult<()> {
    for one in nudges::refs(writer, agent, nudge.id)? {
        if let (RefKind::Schedule, Some(slot)) = (one.kind, one.due_at) {
            due::settle(writer, grace, agent, ScheduleId::of(one.id), slot, fate, now)?;
        }
    }
    Ok(())
}

pub(super) fn note(
    writer: &mut Writer,
    agent: AgentId,
    act: &'static str,
    nudge: &Nudge,
    now: Time,
) -> StoreResult<()> {
    let act = Act { act, subject_kind: "nudge", subject: nudge.id.id() };
    events::record(writer, agent, now, &[act]).map(drop)
}
