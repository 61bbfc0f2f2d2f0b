//! The inbox: what principals say is captured, reviewed, and becomes memory only by a decision.
//!
//! Filing is one transaction, promotion another, through [`Access::remember`] and under a key that follows from the
//! candidate: whoever dies in between leaves a pending candidate, and the next review or sweep makes the same memory.

use crate::error::{Error, Result, check_field, check_limit};
use crate::mind::Access;
use selfsame_core::id::{CandidateId, ConversationId, Id, MemoryId, MessageId};
use selfsame_core::inbox::review::{self, Overdue, WAITS};
use selfsame_core::inbox::{Found, capture};
use selfsame_core::kept::Kept;
use selfsame_core::memory::{Draft, MemoryKind};
use selfsame_core::seal::sha256;
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Caller, Privacy, Provenance};
use selfsame_store::inbox::{self, BY_CAPTURE, BY_RULES, Decided};
use selfsame_store::{Idempotency, Replay, StoreError, Writer};
use std::collections::BTreeSet;

pub use selfsame_core::inbox::{Candidate, CandidateKind, Status, Verdict};

/// Candidates in one answer, and decisions in one review, at most.
const MAX_LIMIT: usize = 1000;
/// Bytes in a reason, at most.
const MAX_REASON_BYTES: usize = 1000;
/// Candidates that one sweep looks at.
const SWEPT_AT_ONCE: i64 = 1000;

/// What came of a text.
#[derive(Clone, PartialEq, Debug)]
pub struct Captured {
    /// What it yielded, as it stands now.
    pub candidates: Vec<Kept<Candidate>>,
}

/// A reviewer's word on one candidate.
#[derive(Clone, PartialEq, Debug)]
pub struct Decision {
    /// On which.
    pub id: CandidateId,
    /// What.
    pub verdict: Verdict,
    /// The memory that says it already, for a merge.
    pub into: Option<MemoryId>,
    /// Another type than the hint, for a promotion.
    pub kind: Option<MemoryKind>,
    /// Another importance than the hint, for a promotion.
    pub importance: Option<f64>,
    /// Why.
    pub reason: Option<String>,
}

impl Decision {
    /// A bare verdict.
    pub fn new(id: CandidateId, verdict: Verdict) -> Decision {
        Decision { id, verdict, into: None, kind: None, importance: None, reason: None }
    }
}

/// What came of a decision.
#[derive(Clone, PartialEq, Debug)]
pub struct Reviewed {
    /// The candidate, as it stands now.
    pub candidate: Kept<Candidate>,
    /// It had been decided in the same way before.
    pub already: bool,
}

/// What a sweep does to the candidates of one agent.
pub struct SweepPlan(Vec<(CandidateId, Overdue)>);

impl SweepPlan {
    /// Does it. May be run again.
    pub fn carry_out(
        &self,
        writer: &mut Writer,
        agent: selfsame_core::id::AgentId,
        now: Time,
    ) -> std::result::Result<(), StoreError> {
        self.0.iter().try_for_each(|(id, overdue)| match overdue {
            Overdue::Until(time) => inbox::extend(writer, agent, *id, *time, now),
            Overdue::Expires => inbox::expire(writer, agent, *id, "nobody decided in time", now).map(drop),
        })
    }
}

/// The ids that were filed: what a repeated request is told.
struct Filing(Vec<CandidateId>);

impl Access<'_> {
    /// Files what a principal says: what was asked to be remembered is promoted at once, the rest waits for review.
    pub fn capture(&self, text: &str, privacy: Privacy, key: Option<&Idempotency>) -> Result<Captured> {
        if self.caller.author() != Author::Principal {
            return Err(Error::Forbidden(
                "only what a principal says is captured: the agent stores its own words with remember".into(),
            ));
        }
        let text = &*self.masked(text);
        check_field("text", text, self.mind.settings.memory.max_content_bytes)?;
        let now = self.mind.now();
        let provenance = Provenance::stated(&self.caller, None, privacy);
        let rows = self.candidates_of(text, &provenance, None, None, now);
        let filing = self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let max = self.mind.settings.inbox.max_pending;
            let filed = inbox::file(writer, self.agent.id, &rows, max, now)?;
            Ok(Filing(filed.into_iter().map(|filed| filed.id).collect()))
        })?;
        let asked: Vec<CandidateId> =
            filing.0.iter().zip(&rows).filter(|(_, row)| row.is_explicit()).map(|(id, _)| *id).collect();
        self.promote_asked_for(&asked)?;
        Ok(Captured { candidates: self.in_order(&filing.0)? })
    }

    /// What a message yields, ready to be filed in its transaction. Only a principal's words yield anything.
    pub(crate) fn candidates_of(
        &self,
        text: &str,
        provenance: &Provenance,
        conversation: Option<ConversationId>,
        message: Option<MessageId>,
        now: Time,
    ) -> Vec<Kept<Candidate>> {
        if provenance.author() != Author::Principal {
            return Vec::new();
        }
        let row = |found: Found| {
            let candidate = Candidate {
                // A moment of its own each, so that they are listed in the order in which they were said.
                id: CandidateId::of(self.mind.mint.id(self.mind.now())),
                agent: self.agent.id,
                kind: found.kind,
                content: found.content,
                confidence: found.confidence,
                cue: found.cue.into(),
                conversation,
                message,
                memory_kind: found.memory_kind,
                importance: found.importance,
                entity: None,
                created_at: now,
                expires_at: now.saturating_add(WAITS),
                status: Status::Pending,
                decided_at: None,
                decided_by: None,
                reason: None,
                memory: None,
            };
            Kept::new(candidate, provenance.clone())
        };
        capture(text).into_iter().map(row).collect()
    }

    /// Promotes what was asked for, after it was filed.
    pub(crate) fn promote_asked_for(&self, ids: &[CandidateId]) -> Result<()> {
        for candidate in self.in_order(ids)?.into_iter().filter(|one| one.status == Status::Pending) {
            let memory = self.promoted(&candidate, None, None)?;
            let reason = Some("asked for".to_owned());
            let id = candidate.id;
            self.settle(
                &self.caller,
                &[Decided {
                    id,
                    status: Status::Promoted,
                    by: BY_CAPTURE.into(),
                    reason,
                    memory: Some(memory),
                }],
            )?;
        }
        Ok(())
    }

    /// The candidates of a status, the oldest first, as far as the caller may see them.
    pub fn inbox(&self, status: Status, limit: usize) -> Result<Vec<Kept<Candidate>>> {
        check_limit(limit, MAX_LIMIT)?;
        // Nobody vouches for what was imported: where nobody watches, it takes no place among what can be seen.
        let mut found = match self.caller.is_unattended() {
            true => self.live(status, limit as i64)?,
            false => self.of_status(status, limit as i64)?,
        };
        found.retain(|candidate| candidate.provenance.is_visible_to(&self.caller));
        if self.caller.is_unattended() {
            // Whoever decided gave the reason, in words that nobody vouches for.
            found.iter_mut().for_each(|candidate| candidate.reason = None);
        }
        Ok(found)
    }

    /// Decides. Either every decision is fit, or nothing is changed; the same decision again changes nothing.
    pub fn review_inbox(&self, decisions: &[Decision]) -> Result<Vec<Reviewed>> {
        let decisions = &self.without_secrets(decisions.to_vec());
        if decisions.len() > MAX_LIMIT {
            let given = decisions.len() as u64;
            return Err(Error::Range { field: "decisions", least: 1, most: MAX_LIMIT as u64, given });
        }
        let ids: Vec<CandidateId> = decisions.iter().map(|decision| decision.id).collect();
        if ids.iter().collect::<BTreeSet<_>>().len() < ids.len() {
            return Err(Error::Unfit("decisions: a candidate is named twice; decide once on each".into()));
        }
        let candidates = self.in_order(&ids)?;
        let mut already = BTreeSet::new();
        for decision in decisions {
            let candidate = candidates.iter().find(|candidate| candidate.id == decision.id);
            if self.check_decision(decision, candidate)? {
                already.insert(decision.id);
            }
        }
        let mut decided = Vec::new();
        for (decision, candidate) in
            decisions.iter().zip(&candidates).filter(|(one, _)| !already.contains(&one.id))
        {
            let memory = match decision.verdict {
                Verdict::Promote => Some(self.promoted(candidate, decision.kind, decision.importance)?),
                Verdict::Merge => decision.into,
                Verdict::Reject => None,
            };
            let (by, reason) = (self.caller.to_string(), decision.reason.clone());
            decided.push(Decided { id: decision.id, status: decision.verdict.status(), by, reason, memory });
        }
        self.settle(&self.caller, &decided)?;
        let now_so = self.in_order(&ids)?.into_iter();
        Ok(now_so.map(|candidate| Reviewed { already: already.contains(&candidate.id), candidate }).collect())
    }

    /// Whether the decision was made before. Refuses what does not fit.
    fn check_decision(&self, decision: &Decision, candidate: Option<&Kept<Candidate>>) -> Result<bool> {
        let missing = || Error::NoSuch { what: "candidate", id: decision.id.to_string() };
        let candidate =
            candidate.filter(|one| one.provenance.is_visible_to(&self.caller)).ok_or_else(missing)?;
        if !candidate.provenance.may_be_changed_by(&self.caller) {
            return Err(Error::Forbidden(
                "only the agent, its operator or who said it may decide on it".into(),
            ));
        }
        self.check_details(decision)?;
        let id = decision.id;
        match candidate.status {
            Status::Pending => Ok(false),
            status if status == decision.verdict.status() => {
                let same = decision.verdict != Verdict::Merge || candidate.memory == decision.into;
                same.then_some(true).ok_or_else(|| decided_otherwise(id, "merged into another memory"))
            }
            status => Err(decided_otherwise(id, status.as_str())),
        }
    }

    fn check_details(&self, decision: &Decision) -> Result<()> {
        decision.reason.iter().try_for_each(|reason| check_field("reason", reason, MAX_REASON_BYTES))?;
        let promotes = decision.verdict == Verdict::Promote;
        if !promotes && (decision.kind.is_some() || decision.importance.is_some()) {
            return Err(Error::Unfit("type and importance are for promote: leave them out".into()));
        }
        if decision.importance.is_some_and(|importance| !(0.0..=1.0).contains(&importance)) {
            return Err(Error::Unfit("importance is outside 0 to 1: give a number such as 0.5".into()));
        }
        match (decision.verdict, decision.into) {
            (Verdict::Merge, None) => {
                Err(Error::Unfit("merge needs `into`: the memory that says it already".into()))
            }
            (Verdict::Merge, Some(into)) if self.memory(into)?.is_none() => {
                Err(Error::NoSuch { what: "memory", id: into.to_string() })
            }
            (Verdict::Promote | Verdict::Reject, Some(_)) => {
                Err(Error::Unfit("`into` is for merge: leave it out".into()))
            }
            _ => Ok(()),
        }
    }

    /// Lets the rules decide on everything that is pending; gives what they decided on, as far as the caller may see it.
    pub fn review_inbox_by_rules(&self) -> Result<Vec<Reviewed>> {
        let mut reviewed = self.decide_by_rules(|_| true)?;
        reviewed.retain(|one| one.candidate.provenance.is_visible_to(&self.caller));
        Ok(reviewed)
    }

    /// What the sweep lets the rules do: all they are sure of, or only what was asked for and not yet promoted.
    pub(crate) fn sweep_by_rules(&self) -> Result<()> {
        let all = self.mind.settings.inbox.review_by_rules;
        self.decide_by_rules(|candidate| all || candidate.is_explicit()).map(drop)
    }

    fn decide_by_rules(&self, concerns: impl Fn(&Candidate) -> bool) -> Result<Vec<Reviewed>> {
        let mut decided = Vec::new();
        let pending = self.live(Status::Pending, SWEPT_AT_ONCE)?;
        for candidate in pending.into_iter().filter(|candidate| concerns(candidate)) {
            let said_in = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
                inbox::conversations_with(reader, &candidate)
            })?;
            let Some(verdict) = review::by_rules(&candidate, said_in) else { continue };
            let memory = match verdict {
                Verdict::Promote => Some(self.promoted(&candidate, None, None)?),
                Verdict::Merge | Verdict::Reject => None,
            };
            let reason = Some(format!("rule {}", candidate.cue));
            decided.push(Decided {
                id: candidate.id,
                status: verdict.status(),
                by: BY_RULES.into(),
                reason,
                memory,
            });
        }
        self.settle(&Caller::agent(None), &decided)?;
        let ids: Vec<CandidateId> = decided.iter().map(|one| one.id).collect();
        let now_so = self.in_order(&ids)?.into_iter();
        Ok(now_so.map(|candidate| Reviewed { candidate, already: false }).collect())
    }

    /// What the clock does to the candidates whose wait is over; none if there are none.
    pub(crate) fn overdue_candidates(&self, now: Time) -> Result<Option<SweepPlan>> {
        let (overdue, last_review) = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let overdue = inbox::overdue(reader, self.agent.id, now, SWEPT_AT_ONCE)?;
            Ok((overdue, inbox::last_review(reader, self.agent.id)?))
        })?;
        let judged = overdue.iter().map(|one| {
            let mut verdict = review::overdue(one.created_at, one.expires_at, last_review);
            // Slept through for longer than the extension: it would be overdue again at once.
            while let Overdue::Until(time) = verdict {
                if time > now {
                    break;
                }
                verdict = review::overdue(one.created_at, time, last_review);
            }
            (one.id, verdict)
        });
        let plan: Vec<_> = judged.collect();
        Ok((!plan.is_empty()).then_some(SweepPlan(plan)))
    }

    /// The memory that a candidate becomes: in the words and with the provenance of who said it, whoever decides.
    fn promoted(
        &self,
        candidate: &Kept<Candidate>,
        kind: Option<MemoryKind>,
        importance: Option<f64>,
    ) -> Result<MemoryId> {
        let provenance = &candidate.provenance;
        let mut draft = Draft::new(candidate.content.clone());
        draft.kind = kind.unwrap_or(candidate.memory_kind);
        draft.importance = importance.unwrap_or(candidate.importance);
        draft.tags = candidate.kind.tags();
        draft.entity = candidate.entity;
        draft.privacy = if provenance.is_private() { Privacy::Private } else { Privacy::Shared };
        let message = candidate.message.map(|message| message.to_string());
        draft.source =
            message.or_else(|| provenance.source().map(str::to_owned)).or(Some(candidate.id.to_string()));
        let key = Idempotency {
            key: format!("promote {}", candidate.id),
            request: sha256(&[b"promote", &candidate.id.id().bytes()]),
            at: self.mind.now(),
        };
        let caller = self.who_said(provenance);
        let said = Access { mind: self.mind, agent: self.agent.clone(), caller, is_host: false };
        Ok(said.remember(draft, Some(&key))?.id)
    }

    fn who_said(&self, provenance: &Provenance) -> Caller {
        match (provenance.author(), provenance.principal_id()) {
            (Author::Principal, Some(id)) if id == self.agent.operator => Caller::operator(id),
            (Author::Principal, Some(id)) => Caller::principal(id),
            (Author::Import, principal) => Caller::import(principal),
            (_, principal) => Caller::agent(principal),
        }
    }

    fn settle(&self, caller: &Caller, decided: &[Decided]) -> Result<()> {
        if decided.is_empty() {
            return Ok(());
        }
        let now = self.mind.now();
        Ok(self.mind.store.write(caller, &[self.agent.id], None, |writer| {
            decided.iter().try_for_each(|one| inbox::decide(writer, self.agent.id, one, now).map(drop))
        })?)
    }

    /// The same without what was imported.
    fn live(&self, status: Status, limit: i64) -> Result<Vec<Kept<Candidate>>> {
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            inbox::live_of_status(reader, self.agent.id, status, CandidateId::of(Id::NIL), limit)
        })?)
    }

    fn of_status(&self, status: Status, limit: i64) -> Result<Vec<Kept<Candidate>>> {
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            inbox::of_status(reader, self.agent.id, status, CandidateId::of(Id::NIL), limit)
        })?)
    }

    /// The candidates of these ids, in that order; what is missing is left out.
    pub(crate) fn in_order(&self, ids: &[CandidateId]) -> Result<Vec<Kept<Candidate>>> {
        let mut found = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| inbox::by_ids(reader, self.agent.id, ids))?;
        found.sort_by_key(|candidate| ids.iter().position(|id| *id == candidate.id));
        found.dedup_by_key(|candidate| candidate.id);
        Ok(found)
    }
}

fn decided_otherwise(id: CandidateId, how: &str) -> Error {
    Error::Unfit(format!(
        "candidate {id} is {how} already: nothing was changed; what became memory can be edited there"
    ))
}

impl Replay for Filing {
    fn encode(&self) -> String {
        let ids: Vec<String> = self.0.iter().map(|id| format!("\"{id}\"")).collect();
        format!("[{}]", ids.join(","))
    }

    fn decode(stored: &str) -> std::result::Result<Filing, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let ids: Vec<String> = serde_json::from_str(stored).map_err(|_| damaged())?;
        ids.iter()
            .map(|id| id.parse().map_err(|_| damaged()))
            .collect::<std::result::Result<_, _>>()
            .map(Filing)
    }
}
