//! What is shown of ticks afterwards: their receipts, told as a colleague would, and judged again.

use super::tick::Tick;
use crate::error::{Error, Result, check_limit};
use crate::mind::Access;
use crate::principal::Principal;
use selfsame_core::heartbeat::decision::Seen;
use selfsame_core::heartbeat::explain::{self, explain};
use selfsame_core::heartbeat::nudge::Labels;
use selfsame_core::heartbeat::receipt::{
    first_sameness, outcome, read_inputs, read_outcome, replay, rules_hash, sameness,
};
use selfsame_core::heartbeat::score::Account as Score;
use selfsame_core::heartbeat::{Decision, NextTick, NudgeState, Sighting};
use selfsame_core::id::{NudgeId, ReceiptId};
use selfsame_core::local::show_day;
use selfsame_core::time::{Time, Zone};
use selfsame_store::heartbeat::nudges;
use selfsame_store::heartbeat::receipts::{self, Receipt};
use selfsame_store::{StoreError, deadlines, todos};
use std::collections::BTreeMap;
use std::time::Duration;

/// Receipts in one answer, at most.
const MAX_LIMIT: usize = 500;
pub(crate) const SCORED: Duration = Duration::from_secs(7 * 24 * 3600);

/// A receipt with its decision.
#[derive(Clone, PartialEq, Debug)]
pub struct ReceiptCard {
    /// As stored.
    pub receipt: Receipt,
    /// What came of it.
    pub decision: Decision,
}

impl ReceiptCard {
    /// With its decision as it was written down, not judged again: for a list.
    pub fn as_written(receipt: Receipt) -> Result<ReceiptCard> {
        let decision = read_outcome(&receipt.outcome)
            .map_err(|error| Error::Broken(format!("{}: {error}", receipt.id)))?;
        Ok(ReceiptCard { receipt, decision })
    }

    /// The signals that were there, each with how many of it.
    pub fn seen(&self) -> &[Seen] {
        // The first step sees everything.
        self.decision.trace.first().map_or(&[], |step| &step.saw)
    }
}

/// What became of what a tick said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said {
    /// Which nudge.
    pub id: NudgeId,
    /// Where it stands.
    pub state: NudgeState,
    /// Whether a thinker found other words for it.
    pub rephrased: bool,
}

/// Why it spoke up or was silent, for a person.
#[derive(Clone, Debug)]
pub struct Explained {
    /// For whom.
    pub principal: Principal,
    /// The moment that is explained.
    pub at: Time,
    /// Whether it spoke up.
    pub acts: bool,
    /// The receipt that says so; none if it was looked at just now.
    pub receipt: Option<ReceiptId>,
    /// In words, line by line.
    pub lines: Vec<String>,
}

impl Access<'_> {
    /// Why it spoke up or was silent: at a moment of the past by its receipt, now and later by looking.
    pub fn heartbeat_explain(&self, whose: Option<&str>, at: Option<Time>) -> Result<Explained> {
        let now = self.mind.now();
        match at.filter(|at| *at < now) {
            None => self.explained(self.heartbeat_peek(whose, at)?),
            Some(past) => {
                let principal = self.heart_of(whose)?;
                let agent = self.agent.id;
                let found = self
                    .mind
                    .store
                    .read(&self.caller, &[agent], |reader| receipts::at(reader, agent, principal.id, past))?;
                let receipt = match found {
                    Some(receipt) => receipt,
                    None => {
                        let past = minute(&Zone::parse(&principal.zone)?, past);
                        let hint = "`selfsame heartbeat receipts` lists them";
                        return Err(Error::Unfit(format!("{past} is before the first receipt: {hint}")));
                    }
                };
                self.explain_receipt(principal, &receipt)
            }
        }
    }

    /// Why it spoke up or was silent, by a receipt.
    pub fn receipt_explain(&self, id: ReceiptId) -> Result<Explained> {
        let card = self.receipt(id)?;
        let principal = self.heart_of(Some(&card.receipt.principal.to_string()))?;
        self.explain_receipt(principal, &card.receipt)
    }

    fn explained(&self, tick: Tick) -> Result<Explained> {
        let zone = Zone::parse(&tick.principal.zone)?;
        let lines = explain(&explain::Tick {
            decision: &tick.decision,
            sightings: &tick.sightings,
            labels: &Labels::new(),
            zone: &zone,
            now: tick.at,
            next: &tick.next,
            took: tick.took,
            statements: tick.statements,
            imagined: tick.receipt.is_none(),
        });
        Ok(Explained {
            at: tick.at,
            acts: tick.decision.verdict.is_act(),
            receipt: tick.receipt,
            lines,
            principal: tick.principal,
        })
    }

    fn explain_receipt(&self, principal: Principal, receipt: &Receipt) -> Result<Explained> {
        let (sightings, decision) = judged_again(receipt)?;
        let zone = Zone::parse(&principal.zone)?;
        let mut lines = explain(&explain::Tick {
            decision: &decision,
            sightings: &sightings,
            labels: &Labels::new(),
            zone: &zone,
            now: receipt.first_at,
            next: &NextTick { at: receipt.next_at, why: receipt.next_why.clone() },
            took: Duration::from_micros(receipt.took_micros),
            statements: receipt.statements,
            imagined: false,
        });
        if receipt.ticks > 1 {
            let last = minute(&zone, receipt.last_at);
            lines.push(format!("It was the same {} times, until {last}.", receipt.ticks));
        }
        let (at, acts, receipt) = (receipt.first_at, receipt.acted, Some(receipt.id));
        Ok(Explained { principal, at, acts, receipt, lines })
    }

    /// The receipts of a principal's ticks before a moment, the newest first.
    pub fn receipts(
        &self,
        whose: Option<&str>,
        before: Option<Time>,
        acts_only: bool,
        limit: usize,
    ) -> Result<Vec<Receipt>> {
        check_limit(limit, MAX_LIMIT)?;
        let principal = self.heart_of(whose)?;
        let (agent, before) = (self.agent.id, before.unwrap_or(Time::MAX));
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            receipts::page(reader, agent, principal.id, before, acts_only, limit as i64)
        })?)
    }

    /// What became of what ticks of one principal said, by their receipts.
    pub fn said_in(&self, receipts: &[Receipt]) -> Result<BTreeMap<ReceiptId, Said>> {
        let spoke = || receipts.iter().filter(|receipt| receipt.acted);
        let moments = spoke().map(|receipt| receipt.first_at);
        let (Some(first), Some(from), Some(to)) = (spoke().next(), moments.clone().min(), moments.max())
        else {
            return Ok(BTreeMap::new());
        };
        let agent = self.agent.id;
        let made = self.mind.store.read(&self.caller, &[agent], |reader| {
            nudges::said_between(reader, agent, first.principal, (from, to))
        })?;
        let said = |nudge: nudges::Nudge| {
            (nudge.receipt, Said { id: nudge.id, state: nudge.state, rephrased: nudge.phrasing.is_some() })
        };
        Ok(made.into_iter().map(said).collect())
    }

    /// One receipt.
    pub fn receipt(&self, id: ReceiptId) -> Result<ReceiptCard> {
        let agent = self.agent.id;
        let found =
            self.mind.store.read(&self.caller, &[agent], |reader| receipts::by_id(reader, agent, id))?;
        let receipt = found.ok_or_else(|| Error::NoSuch { what: "receipt", id: id.to_string() })?;
        self.heart_of(Some(&receipt.principal.to_string()))?;
        let (_, decision) = judged_again(&receipt)?;
        Ok(ReceiptCard { receipt, decision })
    }

    /// How the agent kept its word to a principal in the last seven days.
    pub fn heartbeat_score(&self, whose: Option<&str>) -> Result<Score> {
        let principal = self.heart_of(whose)?;
        let (agent, now) = (self.agent.id, self.mind.now());
        let since = now.saturating_sub(SCORED);
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let promises = deadlines::ended_since(reader, agent, principal.id, since)?;
            let todos = todos::fell_due(reader, agent, principal.id, self.agent.operator, (since, now))?;
            Ok(Score::of(&promises, &todos, &nudges::count_since(reader, agent, principal.id, since)?))
        })?)
    }
}

/// `2026-12-24 18:00`, as the principal's clock shows it.
fn minute(zone: &Zone, at: Time) -> String {
    let local = zone.local(at);
    format!("{} {:02}:{:02}", show_day(local.date()), local.hour(), local.minute())
}

/// What was seen, and the decision judged again from what the receipt kept. One that comes out otherwise was changed.
fn judged_again(receipt: &Receipt) -> Result<(Vec<Sighting>, Decision)> {
    let broken = |error: &dyn std::fmt::Display| {
        Error::from(StoreError::Damaged(format!("receipt {}: {error}", receipt.id)))
    };
    let inputs = read_inputs(&receipt.inputs).map_err(|error| broken(&error))?;
    let again = replay(&receipt.inputs).map_err(|error| broken(&error))?;
    let verdict = &again.verdict;
    let said = (receipt.acted, receipt.step, receipt.reason.as_str());
    let (hash, sightings) = (rules_hash(&inputs.rules), &inputs.sightings);
    let saw_the_same = sameness(&hash, sightings, &again) == receipt.sameness
        || first_sameness(&inputs.rules, sightings, &again) == receipt.sameness;
    let is_same = outcome(&again) == receipt.outcome
        && said == (verdict.is_act(), verdict.step(), verdict.reason())
        && inputs.now == receipt.first_at
        && hash == receipt.settings_hash
        && saw_the_same;
    match is_same {
        true => Ok((inputs.sightings, again)),
        false => Err(broken(&"it does not say what it was judged from, so somebody changed it")),
    }
}
