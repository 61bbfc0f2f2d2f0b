//! One beat of the heart: look, decide, write down. Everything that it writes is one transaction.

use super::afterthought::{waits_until, work_about};
use super::deliver::{self, Way};
use super::look::{Look, held, known_moments};
use super::told;
use crate::agent::Agent;
use crate::config::{CHANNELS, HeartbeatSettings};
use crate::error::{Error, Result, StoreResult};
use crate::mind::{Access, Mind};
use crate::principal::Principal;
use crate::signals::{BrokenSignal, Seen};
use selfsame_core::event::Act;
use selfsame_core::heartbeat::nudge::{Labels, Voice, phrase};
use selfsame_core::heartbeat::receipt::{self, sameness};
use selfsame_core::heartbeat::{
    Autonomy, Decision, Finding, NextTick, NudgeState, Period, Sighting, decide, next_tick,
};
use selfsame_core::id::{NudgeId, ReceiptId, WorkId};
use selfsame_core::time::Time;
use selfsame_store::heartbeat::nudges::{self, Nudge, NudgeRef};
use selfsame_store::heartbeat::receipts::{self, Again, Receipt};
use selfsame_store::heartbeat::{beats, moments, standing};
use selfsame_store::work::items;
use selfsame_store::{Writer, events, signals};
use std::time::Duration;

/// What a beat saw, decided and did.
#[derive(Clone, Debug)]
pub struct Tick {
    /// For whom.
    pub principal: Principal,
    /// When.
    pub at: Time,
    /// What was found.
    pub sightings: Vec<Sighting>,
    /// What came of it.
    pub decision: Decision,
    /// When the next one is, and why then.
    pub next: NextTick,
    /// Its record; none if it was only looked at.
    pub receipt: Option<ReceiptId>,
    /// What was said.
    pub nudge: Option<NudgeId>,
    /// Statements that it asked of the database.
    pub statements: u64,
    /// Rows that it was given.
    pub rows: u64,
    /// How long it took.
    pub took: Duration,
    /// What is wrong with signals of the operator's own.
    pub broken: Vec<BrokenSignal>,
}

/// Ids of what a beat may write: made before its transaction, which may be run again.
#[derive(Clone)]
pub(super) struct Ids {
    receipt: ReceiptId,
    nudge: NudgeId,
    ways: Vec<Way>,
    /// Of the second thoughts, where there may be some.
    work: Option<WorkId>,
}

impl Ids {
    pub(super) fn new(mind: &Mind, now: Time) -> Ids {
        let channels = CHANNELS.map(str::to_owned);
        Ids {
            receipt: ReceiptId::of(mind.mint.id(now)),
            nudge: NudgeId::of(mind.mint.id(now)),
            ways: mind.ways(&channels, now),
            work: mind.settings.heartbeat.afterthought.then(|| WorkId::of(mind.mint.id(now))),
        }
    }
}

/// A beat that is about to happen.
pub(super) struct Beating<'b> {
    pub(super) mind: &'b Mind,
    pub(super) agent: &'b Agent,
    pub(super) principal: &'b Principal,
    pub(super) custom: &'b Seen,
    pub(super) ids: Ids,
    pub(super) now: Time,
}

impl Access<'_> {
    /// What a beat would see and decide at a moment, now if none is given. Nothing changes.
    pub fn heartbeat_peek(&self, whose: Option<&str>, at: Option<Time>) -> Result<Tick> {
        if self.caller.is_unattended() {
            return Err(Error::Forbidden(
                "what a beat sees is in the words of whoever said it: it is not shown where nobody watches"
                    .into(),
            ));
        }
        let principal = self.heart_of(whose)?;
        let began = self.mind.now();
        let now = at.unwrap_or(began);
        let custom = self.mind.scan_custom(&self.mind.own_signals(), &self.agent, &principal, now)?;
        let settings = &self.mind.settings.heartbeat;
        let mut tick = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let paused = beats::paused_since(reader)?.is_some();
            let standing = standing::of(reader, self.agent.id, principal.id)?;
            let held = held(paused, &standing.wishes, now);
            let whose = (&self.agent, &principal);
            let look = Look::at(reader, settings, whose, (standing, held), &custom, now)?;
            let decision = decide(&look.rules, &look.state, &look.sightings, now);
            let known = known_moments(&moments::known(reader, self.agent.id, principal.id, now)?);
            let next = next_tick(&look.rules, &look.state, &look.sightings, &decision, &known, now);
            Ok(Tick {
                principal: principal.clone(),
                at: now,
                sightings: look.sightings,
                decision,
                next,
                receipt: None,
                nudge: None,
                statements: reader.asked(),
                rows: reader.given(),
                took: Duration::ZERO,
                broken: custom.broken.clone(),
            })
        })?;
        tick.took = self.mind.now().since(began);
        Ok(tick)
    }

    /// Lets the heart beat now, whenever it was to.
    pub fn heartbeat_tick(&self, whose: Option<&str>) -> Result<Tick> {
        let principal = self.heart_of(whose)?;
        let now = self.mind.now();
        let custom = self.mind.scan_custom(&self.mind.own_signals(), &self.agent, &principal, now)?;
        let beating = Beating {
            mind: self.mind,
            agent: &self.agent,
            principal: &principal,
            custom: &custom,
            ids: Ids::new(self.mind, now),
            now,
        };
        Ok(self.mind.store.background("heartbeat", &[self.agent.id], |writer| {
            let paused = beats::paused_since(writer)?.is_some();
            let tick = beating.beat(writer, paused)?;
            beats::ensure(writer, self.agent.id, principal.id, tick.next.at)?;
            beats::take(writer, self.agent.id, principal.id, tick.next.at)?;
            Ok(tick)
        })?)
    }
}

impl Beating<'_> {
    /// Looks, decides, and writes down what came of it; `paused` is the whole house.
    pub(super) fn beat(&self, writer: &mut Writer, paused: bool) -> StoreResult<Tick> {
        let Beating { agent, principal, custom, now, .. } = *self;
        let (asked_before, given_before) = (writer.asked(), writer.given());
        let standing = standing::of(writer, agent.id, principal.id)?;
        let held = held(paused, &standing.wishes, now);
        let mut known = moments::known(writer, agent.id, principal.id, now)?;
        let whose = (agent, principal);
        let is_held = held.is_some();
        let given_up = told::give_up_what_passed(writer, self.settings(), whose, &known, is_held, now)?;
        let mut look = Look::at(writer, self.settings(), whose, (standing, held), custom, now)?;
        let decision = decide(&look.rules, &look.state, &look.sightings, now);
        let nudge = self.speak(&look, &decision);
        if decision.verdict.is_act() {
            self.note_what_is_told(writer, &look, &decision)?;
        }
        // What was told or given up is due no more: the moments that are known are those that are left.
        if given_up || decision.verdict.is_act() {
            known = moments::known(writer, agent.id, principal.id, now)?;
        }
        let known = known_moments(&known);
        let next = next_tick(&look.rules, &look.state, &look.sightings, &decision, &known, now);
        let mut tick = Tick {
            principal: principal.clone(),
            at: now,
            sightings: Vec::new(),
            decision,
            next,
            receipt: None,
            nudge: nudge.as_ref().map(|(nudge, _)| nudge.id),
            statements: writer.asked() - asked_before,
            rows: writer.given() - given_before,
            took: self.mind.now().since(now),
            broken: custom.broken.clone(),
        };
        tick.receipt = Some(self.write_receipt(writer, &look, &tick)?);
        if let Some((nudge, refs)) = nudge {
            self.tell(writer, &look, &nudge, &refs)?;
        }
        tick.sightings = std::mem::take(&mut look.sightings);
        Ok(tick)
    }

    fn settings(&self) -> &HeartbeatSettings {
        &self.mind.settings.heartbeat
    }

    /// Equal silent ticks in a row are one receipt, and one event.
    fn write_receipt(&self, writer: &mut Writer, look: &Look, tick: &Tick) -> StoreResult<ReceiptId> {
        let Beating { agent, principal, ids, now, .. } = self;
        let decision = &tick.decision;
        let rules_hash = receipt::rules_hash(&look.rules);
        let sameness = sameness(&rules_hash, &look.sightings, decision);
        let (took_micros, statements) = (tick.took.as_micros() as u64, tick.statements);
        if !decision.verdict.is_act()
            && let Some((latest, before)) = receipts::latest_silence(writer, agent.id, principal.id)?
            && before == sameness
        {
            let (next_at, next_why) = (tick.next.at, tick.next.why.as_str());
            let again = Again { at: *now, next_at, next_why, took_micros, statements };
            receipts::repeat(writer, agent.id, latest, &again)?;
            return Ok(latest);
        }
        let receipt = Receipt {
            id: ids.receipt,
            principal: principal.id,
            first_at: *now,
            last_at: *now,
            ticks: 1,
            acted: decision.verdict.is_act(),
            step: decision.verdict.step(),
            reason: decision.verdict.reason().to_owned(),
            sameness,
            inputs: receipt::inputs(&look.rules, &look.state, &look.sightings, *now),
            outcome: receipt::outcome(decision),
            next_at: tick.next.at,
            next_why: tick.next.why.clone(),
            took_micros,
            statements,
            tokens: 0,
            settings_hash: rules_hash,
        };
        receipts::insert(writer, agent.id, &receipt)?;
        let act = Act { act: "ticked", subject_kind: "receipt", subject: receipt.id.id() };
        events::record(writer, agent.id, *now, &[act])?;
        Ok(receipt.id)
    }

    /// What is said, by template, and what it speaks of; nothing if it is silent.
    fn speak(&self, look: &Look, decision: &Decision) -> Option<(Nudge, Vec<NudgeRef>)> {
        let voice = Voice {
            principal: &self.principal.name,
            agent: &self.agent.name,
            zone: &look.rules.zone,
            now: self.now,
        };
        let said = phrase(decision, &Labels::new(), &voice)?;
        let observe = look.rules.autonomy == Autonomy::Observe;
        let nudge = Nudge {
            id: self.ids.nudge,
            principal: self.principal.id,
            receipt: self.ids.receipt,
            autonomy: look.rules.autonomy,
            kind: said.kind,
            urgency: said.urgency,
            what: said.what.clone(),
            why: said.why_json(),
            actions: said.actions_json(),
            phrasing: None,
            quiet: decision.period == Period::Quiet,
            created_at: self.now,
            grace_until: self.now.saturating_add(self.settings().grace),
            state: if observe { NudgeState::Observed } else { NudgeState::Waiting },
            delivered_at: None,
            delivered_by: None,
            closed_at: None,
            answer: None,
        };
        let refs = decision.surfaced.iter().flat_map(refs_of).collect();
        Some((nudge, refs))
    }

    /// What is told is not told again: topics for a while, due moments and rungs for good.
    fn note_what_is_told(&self, writer: &mut Writer, look: &Look, decision: &Decision) -> StoreResult<()> {
        let Beating { agent, principal, now, .. } = self;
        let fingerprint = decision.fingerprint.as_ref().filter(|_| decision.starts_cooldown());
        standing::acted(writer, agent.id, principal.id, *now, fingerprint)?;
        let old = now.saturating_sub(look.rules.max_silence);
        standing::surface(writer, agent.id, principal.id, &decision.topics(), *now, old)?;
        told::surface_due(writer, &self.settings().ladder, agent.id, &decision.surfaced, *now)?;
        signals::keep_marks(writer, agent.id, principal.id, &look.marks, *now)
    }

    /// Stores it and sends it on its way.
    fn tell(&self, writer: &mut Writer, look: &Look, nudge: &Nudge, refs: &[NudgeRef]) -> StoreResult<()> {
        let Beating { agent, principal, ids, now, .. } = self;
        nudges::insert(writer, agent.id, nudge, refs)?;
        let mut acts = vec![Act { act: "nudged", subject_kind: "nudge", subject: nudge.id.id() }];
        if nudge.state == NudgeState::Waiting {
            let channels = look.wishes.channels.as_ref().unwrap_or(&self.settings().channels);
            let ways: Vec<Way> = ids.ways.iter().filter(|way| way.is_among(channels)).cloned().collect();
            let thinker = ids.work.zip(self.mind.thinks_again(&agent.name));
            let from = if thinker.is_some() { waits_until(self.settings(), nudge) } else { *now };
            deliver::send_out(writer, agent.id, nudge.id, &ways, (*now, from))?;
            if let Some((id, thinker)) = thinker {
                items::insert(writer, agent.id, &work_about(id, nudge.id, thinker), *now)?;
            }
        }
        if nudge.autonomy == Autonomy::Act {
            acts.push(Act { act: "woken", subject_kind: "principal", subject: principal.id.id() });
        }
        events::record(writer, agent.id, *now, &acts).map(drop)
    }
}

fn refs_of(sighting: &Sighting) -> impl Iterator<Item = NudgeRef> + '_ {
    let one = |finding: &Finding| NudgeRef {
        kind: finding.kind,
        id: finding.id,
        signal: sighting.signal.name.clone(),
        status: finding.status.clone(),
        due_at: finding.due_at,
    };
    sighting.listed.iter().map(one)
}
