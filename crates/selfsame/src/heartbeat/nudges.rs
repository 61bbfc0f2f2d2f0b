//! The list of what was said: fetched by people and agents, answered or waved away.

use super::{afterthought, told};
use crate::error::{Error, Result, StoreResult, check_limit};
use crate::mind::Access;
use crate::principal::Principal;
use selfsame_core::heartbeat::NudgeState;
use selfsame_core::id::{AgentId, Id, NudgeId, PrincipalId};
use selfsame_core::text::check_text;
use selfsame_store::heartbeat::nudges::{self, Delivery, Nudge, NudgeRef};
use selfsame_store::{Idempotency, Reader};

/// Nudges in one answer, at most.
pub(super) const MAX_LIMIT: usize = 200;
/// Bytes of an answer's reference, at most.
const MAX_ANSWER_BYTES: usize = 256;
const LAST: Id = Id::from_bytes([0xff; 16]);

/// A nudge with what it speaks of and the ways it went.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NudgeCard {
    /// The nudge.
    pub nudge: Nudge,
    /// What it speaks of.
    pub refs: Vec<NudgeRef>,
    /// The ways it went, besides the list.
    pub deliveries: Vec<Delivery>,
}

/// Some of a principal's nudges.
#[derive(Clone, PartialEq, Debug)]
pub struct NudgePage {
    /// Whose.
    pub principal: Principal,
    /// The newest first.
    pub nudges: Vec<NudgeCard>,
}

impl Access<'_> {
    /// A principal's nudges, the newest first: those that stand on the list, or all there ever were. Nothing changes. Their
    /// words are those of what they speak of, whoever said that: where nobody watches, none is shown.
    pub fn nudges(
        &self,
        whose: Option<&str>,
        all: bool,
        before: Option<NudgeId>,
        limit: usize,
    ) -> Result<NudgePage> {
        check_limit(limit, MAX_LIMIT)?;
        let principal = self.heart_of(whose)?;
        if self.caller.is_unattended() {
            return Ok(NudgePage { principal, nudges: Vec::new() });
        }
        let agent = self.agent.id;
        let states = (!all).then_some(NudgeState::LISTED);
        let before = before.map_or(LAST, NudgeId::id);
        let nudges = self.mind.store.read(&self.caller, &[agent], |reader| {
            let found = nudges::newest(reader, agent, principal.id, before, states, limit as i64)?;
            cards(reader, agent, found)
        })?;
        Ok(NudgePage { principal, nudges })
    }

    /// Fetches what stands on the list: with that it has been delivered.
    pub fn fetch_nudges(&self, whose: Option<&str>, limit: usize) -> Result<NudgePage> {
        check_limit(limit, MAX_LIMIT)?;
        let principal = self.heart_of(whose)?;
        self.take_waiting(&principal, limit, |_| true)?;
        self.nudges(Some(&principal.id.to_string()), false, None, limit)
    }

    /// Delivers what waits on the list and may be told; gives what that is, the newest first.
    pub(super) fn take_waiting(
        &self,
        principal: &Principal,
        limit: usize,
        may_be_told: impl Fn(&Nudge) -> bool,
    ) -> Result<Vec<NudgeId>> {
        let settings = &self.mind.settings.heartbeat;
        let (agent, now, grace) = (self.agent.id, self.mind.now(), settings.grace);
        let waiting = [NudgeState::Waiting, NudgeState::Missed];
        let mut taken = Vec::new();
        self.mind.store.write(&self.caller, &[agent], None, |writer| {
            taken.clear();
            let listed = nudges::newest(writer, agent, principal.id, LAST, Some(&waiting), limit as i64)?;
            let thought_over = afterthought::waiting(writer, settings, agent, &listed, now)?;
            let may_be_told = |nudge: &&Nudge| may_be_told(nudge) && !thought_over.contains(&nudge.id);
            for nudge in listed.iter().filter(may_be_told) {
                if told::delivered(writer, grace, agent, nudge, told::LIST, now)? {
                    taken.push(nudge.id);
                }
            }
            Ok(())
        })?;
        Ok(taken)
    }

    /// What waits to be said, or is for the agent's own eyes; the newest first. For a context.
    pub(crate) fn pending_nudges(&self, limit: usize) -> Result<Vec<Nudge>> {
        if self.caller.is_unattended() {
            return Ok(Vec::new());
        }
        let principal = self.caller.principal_id().unwrap_or(self.agent.operator);
        let agent = self.agent.id;
        let pending = [NudgeState::Observed, NudgeState::Waiting, NudgeState::Missed];
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let found = nudges::newest(reader, agent, principal, LAST, Some(&pending), limit as i64)?;
            Ok(found.into_iter().filter(is_unseen).collect())
        })?)
    }

    /// What is for the agent's own eyes has been seen: with that it is delivered.
    pub(crate) fn note_seen_in_context(&self, shown: &[String]) -> Result<()> {
        let ids: Vec<NudgeId> = shown.iter().filter_map(|id| id.parse().ok()).collect();
        if ids.is_empty() {
            return Ok(());
        }
        let (agent, now, grace) = (self.agent.id, self.mind.now(), self.mind.settings.heartbeat.grace);
        Ok(self.mind.store.write(&self.caller, &[agent], None, |writer| {
            for id in &ids {
                let found = nudges::by_id(writer, agent, *id)?;
                if let Some(nudge) = found.filter(|nudge| nudge.state == NudgeState::Observed) {
                    told::seen(writer, grace, agent, &nudge, now)?;
                }
            }
            Ok(())
        })?)
    }

    /// One nudge.
    pub fn nudge(&self, id: NudgeId) -> Result<NudgeCard> {
        let agent = self.agent.id;
        let found = self.mind.store.read(&self.caller, &[agent], |reader| {
            let found = nudges::by_id(reader, agent, id)?.filter(|_| !self.caller.is_unattended());
            cards(reader, agent, found.into_iter().collect())
        })?;
        let card =
            found.into_iter().next().ok_or_else(|| Error::NoSuch { what: "nudge", id: id.to_string() })?;
        self.heart_of(Some(&card.nudge.principal.to_string()))?;
        Ok(card)
    }

    /// Somebody answered a nudge: by a message, or just so.
    pub fn nudge_answer(
        &self,
        id: NudgeId,
        answer: Option<&str>,
        key: Option<&Idempotency>,
    ) -> Result<NudgeCard> {
        let answer = answer.map(|answer| self.masked(answer));
        let answer = answer.as_deref();
        if let Some(answer) = answer {
            check_text(answer, MAX_ANSWER_BYTES)
                .map_err(|problem| Error::Unfit(format!("answer: {problem}")))?;
        }
        self.close_nudge(id, NudgeState::Answered, "answered", answer, key)
    }

    /// What somebody made of a nudge is said by them, the operator, or the host that runs their conversation and heard it.
    /// The agent is not the judge of how much it may speak, nor of what they need not hear.
    fn require_their_answer(&self, principal: PrincipalId) -> Result<()> {
        let hosts_them = self.is_host && self.caller.principal_id() == Some(principal);
        match self.caller.is_operator() || self.is_principal(principal) || hosts_them {
            true => Ok(()),
            false => Err(Error::Forbidden(
                "what a principal made of a nudge is said by the principal, the operator or the host of their \
                 conversation, not by the agent: give the host a key of its own (`selfsame key create`)"
                    .into(),
            )),
        }
    }

    /// Somebody waved a nudge away.
    pub fn nudge_dismiss(&self, id: NudgeId, key: Option<&Idempotency>) -> Result<NudgeCard> {
        self.close_nudge(id, NudgeState::Dismissed, "dismissed", None, key)
    }

    fn close_nudge(
        &self,
        id: NudgeId,
        state: NudgeState,
        act: &'static str,
        answer: Option<&str>,
        key: Option<&Idempotency>,
    ) -> Result<NudgeCard> {
        let card = self.nudge(id)?;
        self.require_their_answer(card.nudge.principal)?;
        if !card.nudge.state.is_listed() {
            let now = card.nudge.state.as_str();
            return Err(Error::Unfit(format!(
                "{id} is {now} already: `selfsame nudge list` shows what is open"
            )));
        }
        let (agent, now, grace) = (self.agent.id, self.mind.now(), self.mind.settings.heartbeat.grace);
        self.mind.store.write(&self.caller, &[agent], key, |writer| {
            // Who answers has seen it.
            told::delivered(writer, grace, agent, &card.nudge, told::LIST, now)?;
            nudges::close(writer, agent, id, state, now, answer)?;
            told::note(writer, agent, act, &card.nudge, now)
        })?;
        self.nudge(id)
    }
}

fn is_unseen(nudge: &Nudge) -> bool {
    nudge.state.is_unseen(nudge.delivered_at.is_some(), nudge.closed_at.is_some())
}

/// Nudges with all that is shown of them, in two reads however many they are.
fn cards(reader: &mut Reader, agent: AgentId, found: Vec<Nudge>) -> StoreResult<Vec<NudgeCard>> {
    let ids: Vec<NudgeId> = found.iter().map(|nudge| nudge.id).collect();
    let mut refs = nudges::refs_of(reader, agent, &ids)?;
    let mut deliveries = nudges::deliveries_of(reader, agent, &ids)?;
    let card = |nudge: Nudge| NudgeCard {
        refs: refs.remove(&nudge.id).unwrap_or_default(),
        deliveries: deliveries.remove(&nudge.id).unwrap_or_default(),
        nudge,
    };
    Ok(found.into_iter().map(card).collect())
}
