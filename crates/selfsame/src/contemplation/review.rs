//! The inbox, reviewed by a thinker: its verdicts on what the prompt showed it, and on nothing else.

use crate::error::{Class, Error, Result};
use crate::inbox::{Decision, Status};
use crate::mind::Access;
use crate::work::{Brief, Reply};
use selfsame_core::contemplation::WorkKind;
use selfsame_core::contemplation::decisions::{InboxVerdict, InboxVerdicts};
use selfsame_core::contemplation::prompt::{self, Entry};
use selfsame_core::contemplation::tool::QUOTED;
use selfsame_core::inbox::Verdict;
use selfsame_store::work::items::{self, WorkItem};
use std::collections::BTreeSet;

/// Candidates in one prompt, at most.
pub(super) const SHOWN: usize = 30;
/// Letters of a thinker's reason that are kept.
const REASON_LETTERS: usize = 300;

impl Access<'_> {
    /// What waits in the inbox, as a prompt shows it.
    pub(super) fn candidate_entries(&self) -> Result<Vec<Entry>> {
        let pending = self.inbox(Status::Pending, SHOWN)?;
        let entry = |one: &selfsame_core::kept::Kept<crate::inbox::Candidate>| Entry {
            id: one.id.to_string(),
            text: one.content.clone(),
            trust: one.provenance.trust().value(),
            note: Some(format!("{}, confidence {:.2}", one.kind.as_str(), one.confidence)),
        };
        Ok(pending.iter().map(entry).collect())
    }

    /// Asks a thinker to review the inbox, where one is set up and no time of thinking will do it.
    pub(crate) fn ask_for_review(&self) -> Result<()> {
        let thinks_anyway = self.mind.settings.contemplation_of(&self.agent.name).enabled;
        let now = self.mind.now();
        let Some(new) = self.wanted(WorkKind::ReviewInbox, Vec::new(), now) else {
            return Ok(());
        };
        if thinks_anyway || self.inbox(Status::Pending, 1)?.is_empty() {
            return Ok(());
        }
        let agent = self.agent.id;
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            let is_asked = items::open(writer, agent)?.iter().any(|item| item.kind == WorkKind::ReviewInbox);
            if is_asked { Ok(()) } else { self.queue(writer, &new, now) }
        })?)
    }

    pub(crate) fn brief_to_review(&self) -> Result<Brief> {
        let candidates = self.candidate_entries()?;
        let settings = self.mind.settings.contemplation_of(&self.agent.name);
        Ok(Brief::of(prompt::review_prompt(&candidates), settings.max_tokens))
    }

    pub(crate) fn finish_review(&self, item: &WorkItem, reply: &Reply<'_>) -> Result<()> {
        if reply.trust >= QUOTED {
            self.carry_out_verdicts(reply.text, reply.quoted)?;
        }
        let (agent, now) = (self.agent.id, self.mind.now());
        Ok(self
            .mind
            .store
            .background("thinking", &[agent], |writer| self.settle_done(writer, item, reply.model, now))?)
    }

    /// Does what the verdicts say, each for itself: one that does not fit keeps no other from being carried out.
    pub(super) fn carry_out_verdicts(&self, reply: &str, quoted: &[String]) -> Result<usize> {
        let allowed: BTreeSet<String> = quoted.iter().cloned().collect();
        let mut done = 0;
        for verdict in InboxVerdicts::read(reply).among(&allowed).decisions {
            let Some(decision) = decision_of(&verdict) else { continue };
            match self.review_inbox(&[decision]) {
                Ok(_) => done += 1,
                // Decided by somebody else meanwhile, or merged into what is not there: it waits, or it is done.
                Err(error) if is_of_the_verdict(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(done)
    }
}

fn decision_of(verdict: &InboxVerdict) -> Option<Decision> {
    let into = match &verdict.into {
        Some(into) => Some(into.parse().ok()?),
        None => None,
    };
    let reason = verdict.reason.as_ref().map(|reason| reason.chars().take(REASON_LETTERS).collect());
    let into = into.filter(|_| verdict.verdict == Verdict::Merge);
    Some(Decision { into, reason, ..Decision::new(verdict.id.parse().ok()?, verdict.verdict) })
}

fn is_of_the_verdict(error: &Error) -> bool {
    matches!(
        error.class(),
        Class::BadInput | Class::NotFound | Class::Conflict | Class::Forbidden | Class::Gone
    )
}
