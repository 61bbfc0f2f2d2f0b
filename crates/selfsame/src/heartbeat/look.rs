//! What is known of a principal when the heart beats: rules, state and signals, all by SQL and from one moment.

use crate::agent::Agent;
use crate::config::HeartbeatSettings;
use crate::error::StoreResult;
use crate::principal::Principal;
use crate::signals::Seen;
use selfsame_core::heartbeat::response::counted;
use selfsame_core::heartbeat::signal::may_hide_fresh;
use selfsame_core::heartbeat::state::{Acted, Held};
use selfsame_core::heartbeat::{Moment, Period, Rules, Sighting, State};
use selfsame_core::time::{Time, Zone};
use selfsame_store::heartbeat::moments::Known;
use selfsame_store::heartbeat::standing::{Standing, Wishes};
use selfsame_store::heartbeat::{nudges, standing};
use selfsame_store::signals::{self, Bounds, Mark};
use selfsame_store::{Reader, StoreError};
use std::collections::BTreeSet;

/// Everything that a decision is made from, and what else the tick wants to know.
pub(crate) struct Look {
    pub(crate) rules: Rules,
    pub(crate) state: State,
    pub(crate) sightings: Vec<Sighting>,
    pub(crate) wishes: Wishes,
    /// How things stand, for the next time.
    pub(crate) marks: Vec<Mark>,
}

/// The rules that hold for a principal.
pub(crate) fn rules_for(
    settings: &HeartbeatSettings,
    principal: &Principal,
    wishes: &Wishes,
) -> StoreResult<Rules> {
    let zone = Zone::parse(&principal.zone).map_err(|error| StoreError::Damaged(error.to_string()))?;
    let mut rules = Rules { zone, ..settings.rules.clone() };
    rules.autonomy = wishes.autonomy.unwrap_or(rules.autonomy);
    if let Some(from) = wishes.quiet_from {
        rules.periods[Period::Quiet as usize].from = from;
    }
    if let Some(until) = wishes.quiet_until {
        rules.periods[Period::Morning as usize].from = until;
    }
    Ok(rules)
}

impl Look {
    /// Looks at somebody as they stand; `custom` is what the operator's own signals found before.
    pub(crate) fn at(
        reader: &mut Reader,
        settings: &HeartbeatSettings,
        whose: (&Agent, &Principal),
        (standing, held): (Standing, Option<Held>),
        custom: &Seen,
        now: Time,
    ) -> StoreResult<Look> {
        let (agent, principal) = whose;
        let rules = rules_for(settings, principal, &standing.wishes)?;
        let bounds = Bounds::at(now, &rules.zone, standing.acted_at, agent.operator, settings.scans());
        let state = State { held, ..state(reader, &rules, agent, principal, &standing, &bounds)? };
        let mut found = signals::scan(reader, agent.id, principal.id, &bounds)?;
        found.extend(custom.found.iter().cloned());
        let marks = signals::marks_now(&found);
        let topics: BTreeSet<_> = state.surfaced.keys().copied().collect();
        let told_after = silence_began(&rules, now);
        let mut sightings = Vec::with_capacity(found.len());
        for (signal, first) in found {
            let fresh = match may_hide_fresh(&signal, &first, &topics) {
                true => signals::scan_fresh(reader, agent.id, principal.id, &bounds, &signal, told_after)?,
                false => Vec::new(),
            };
            sightings.extend(Sighting::of(signal, first, fresh, &topics));
        }
        Ok(Look { rules, state, sightings, wishes: standing.wishes, marks })
    }
}

/// What was spoken of before this may be spoken of again, whatever it is.
fn silence_began(rules: &Rules, now: Time) -> Time {
    now.saturating_sub(rules.max_silence)
}

fn state(
    reader: &mut Reader,
    rules: &Rules,
    agent: &Agent,
    principal: &Principal,
    standing: &Standing,
    bounds: &Bounds,
) -> StoreResult<State> {
    let now = bounds.now;
    let surfaced = standing::surfaced(reader, agent.id, principal.id, silence_began(rules, now))?;
    let counts = signals::state_counts(reader, agent.id, principal.id, bounds, rules.first_contact.memories)?;
    let (delivered, answered) = rate(reader, agent, principal, rules, now)?;
    // Two introductions are a while apart, whether or not somebody wrote in between. Who has met needs none.
    let a_while_ago = now.saturating_sub(rules.first_contact.every);
    let introduced_after = counts.wrote_at.unwrap_or(Time::MIN).min(a_while_ago);
    let introduced = match counts.memories < rules.first_contact.memories {
        true => nudges::introduced(reader, agent.id, principal.id, introduced_after)?,
        false => Vec::new(),
    };
    Ok(State {
        held: None,
        memories: counts.memories,
        wrote_at: counts.wrote_at,
        introduced,
        last_message_at: counts.last_message_at,
        host_active_until: counts.host_active_until,
        new_memories: counts.new_memories,
        acted: standing.calm.map(|(at, fingerprint)| Acted { at, fingerprint }),
        acted_at: standing.acted_at,
        surfaced,
        delivered,
        answered,
    })
}

/// Why nothing may be said at all; `paused` is the whole house.
pub(super) fn held(paused: bool, wishes: &Wishes, now: Time) -> Option<Held> {
    Held::of(paused, wishes.muted_at.is_some(), wishes.snoozed_until, now)
}

/// Of the last nudges that count, how many were delivered and answered.
fn rate(
    reader: &mut Reader,
    agent: &Agent,
    principal: &Principal,
    rules: &Rules,
    now: Time,
) -> StoreResult<(u32, u32)> {
    let responses = &rules.responses;
    let since = now.saturating_sub(responses.within);
    let rated = nudges::rated(reader, agent.id, principal.id, since, responses.last)?;
    Ok(counted(responses, &rated, now))
}

/// What is known to happen, in words: the next tick is not later.
pub(crate) fn known_moments(known: &Known) -> Vec<Moment> {
    let moments = [
        (known.schedule, "something scheduled falls due"),
        (known.rung, "a deadline comes nearer"),
        (known.grace, "a reminder that nobody fetched is given up"),
    ];
    moments.into_iter().filter_map(|(at, what)| at.map(|at| Moment { at, what })).collect()
}
