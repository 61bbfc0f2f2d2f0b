//! Nudges that are on their way, without a heart that made them.

use crate::bench::Bench;
use selfsame::Mind;
use selfsame::agent::Agent;
use selfsame::heartbeat::deliver::send_out;
use selfsame::id::{AgentId, NudgeId, PrincipalId, ReceiptId};
use selfsame::time::{Clock as _, Time};
use selfsame::trust::Caller;
use selfsame_core::heartbeat::{Autonomy, NudgeKind, NudgeState, RefKind, StepName, Tier};
use selfsame_store::heartbeat::nudges::{self, Delivery, Nudge, NudgeRef};
use selfsame_store::heartbeat::receipts::{self, Receipt};
use std::time::Duration;

/// A nudge that was sent out.
#[derive(Clone, Copy, Debug)]
pub struct Nudged {
    /// Whose.
    pub agent: AgentId,
    /// Which.
    pub id: NudgeId,
}

impl Nudged {
    /// As it is stored now.
    pub fn nudge(&self, mind: &Mind) -> Nudge {
        let read =
            mind.store().read(&Caller::agent(None), &[self.agent], |r| nudges::by_id(r, self.agent, self.id));
        read.unwrap().unwrap()
    }

    /// What became of it.
    pub fn state(&self, mind: &Mind) -> NudgeState {
        self.nudge(mind).state
    }

    /// Its ways.
    pub fn ways(&self, mind: &Mind) -> Vec<Delivery> {
        let read = mind
            .store()
            .read(&Caller::agent(None), &[self.agent], |r| nudges::deliveries(r, self.agent, self.id));
        read.unwrap()
    }

    /// One of its ways.
    pub fn way(&self, mind: &Mind, channel: &str) -> Delivery {
        self.ways(mind).into_iter().find(|way| way.channel == channel).unwrap()
    }

    /// Somebody answers it, or something else becomes of it.
    pub fn close(&self, mind: &Mind, state: NudgeState, now: Time) {
        let written = mind.store().write(&Caller::agent(None), &[self.agent], None, |writer| {
            nudges::close(writer, self.agent, self.id, state, now, None)
        });
        written.unwrap();
    }
}

impl Bench {
    /// A nudge of that kind for the agent's operator, sent out through these channels.
    pub fn nudge(&self, agent: &Agent, kind: NudgeKind, channels: &[&str]) -> Nudged {
        self.nudge_for(agent, agent.operator, kind, channels)
    }

    /// The same for another principal.
    pub fn nudge_for(
        &self,
        agent: &Agent,
        principal: PrincipalId,
        kind: NudgeKind,
        channels: &[&str],
    ) -> Nudged {
        let (mind, now) = (self.mind(), self.clock().now());
        let receipt = receipt(ReceiptId::of(self.fresh_id()), principal, now);
        let nudge = nudge(NudgeId::of(self.fresh_id()), &receipt, kind);
        let about = NudgeRef {
            kind: RefKind::Memory,
            id: self.fresh_id(),
            signal: "scheduled".into(),
            status: "due".into(),
            due_at: Some(now),
        };
        let channels: Vec<String> = channels.iter().map(|&channel| channel.to_owned()).collect();
        let ways = mind.ways(&channels, now);
        let written = mind.store().write(&Caller::agent(None), &[agent.id], None, |writer| {
            receipts::insert(writer, agent.id, &receipt)?;
            nudges::insert(writer, agent.id, &nudge, std::slice::from_ref(&about))?;
            send_out(writer, agent.id, nudge.id, &ways, (now, now))
        });
        written.unwrap();
        Nudged { agent: agent.id, id: nudge.id }
    }
}

fn receipt(id: ReceiptId, principal: PrincipalId, now: Time) -> Receipt {
    Receipt {
        id,
        principal,
        first_at: now,
        last_at: now,
        ticks: 1,
        acted: true,
        step: StepName::Confluence,
        reason: "a reminder is due".into(),
        sameness: [1; 32],
        inputs: "{}".into(),
        outcome: "{}".into(),
        next_at: now.saturating_add(Duration::from_secs(300)),
        next_why: "pace".into(),
        took_micros: 100,
        statements: 10,
        tokens: 0,
        settings_hash: [2; 32],
    }
}

fn nudge(id: NudgeId, receipt: &Receipt, kind: NudgeKind) -> Nudge {
    Nudge {
        id,
        principal: receipt.principal,
        receipt: receipt.id,
        autonomy: Autonomy::Suggest,
        kind,
        urgency: Tier::Immediate,
        what: "Water the ferns".into(),
        why: r#"[{"signal":"scheduled","words":"every Monday"}]"#.into(),
        actions: r#"["done","later"]"#.into(),
        phrasing: None,
        quiet: false,
        created_at: receipt.first_at,
        grace_until: receipt.first_at.saturating_add(Duration::from_secs(7200)),
        state: NudgeState::Waiting,
        delivered_at: None,
        delivered_by: None,
        closed_at: None,
        answer: None,
    }
}
