//! Better words for what is believed, where a thinker is set up: asked for in batches, taken only if they say the same.

use crate::error::{Result, StoreResult};
use crate::knowledge::{Belief, BeliefQuery};
use crate::mind::Access;
use crate::work::{Brief, Reply};
use selfsame_core::contemplation::WorkKind;
use selfsame_core::contemplation::phrases::read_phrases;
use selfsame_core::contemplation::prompt::{self, Entry};
use selfsame_core::contemplation::tool::QUOTED;
use selfsame_core::id::ObservationId;
use selfsame_store::Reader;
use selfsame_store::knowledge::observations;
use selfsame_store::work::items::{self, NewWork, WorkItem};
use std::collections::BTreeMap;

/// Beliefs in one piece of work, at most.
const AT_ONCE: usize = 10;
/// Beliefs that are looked at for those without better words.
const LOOKED_AT: usize = 200;
/// Tokens of an answer.
const MAX_TOKENS: u32 = 1000;

impl Access<'_> {
    /// Asks for better words for the surest beliefs that were never asked about, if somebody is set up to find them.
    pub(crate) fn ask_for_phrases(&self) -> Result<()> {
        let (agent, now) = (self.agent.id, self.mind.now());
        let Some(new) = self.wanted(WorkKind::PhraseClaim, Vec::new(), now) else {
            return Ok(());
        };
        let unphrased = self.unphrased()?;
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            let asked = items::of_agent(writer, agent, LOOKED_AT as i64)?;
            let earlier = asked.iter().filter(|item| item.kind == WorkKind::PhraseClaim);
            let known: Vec<&String> = earlier.flat_map(|item| &item.about).collect();
            let is_new = |id: &&String| !known.contains(id);
            let about: Vec<String> = unphrased.iter().filter(is_new).take(AT_ONCE).cloned().collect();
            match about.is_empty() {
                true => Ok(()),
                false => self.queue(writer, &NewWork { about, ..new.clone() }, now),
            }
        })?)
    }

    /// The surest beliefs that nobody found better words for, as somebody unattended may see them.
    fn unphrased(&self) -> Result<Vec<String>> {
        let worker = self.mind.at_work(self.agent.clone());
        let told = worker.know(&BeliefQuery { limit: LOOKED_AT, ..BeliefQuery::default() })?;
        let is_bare = |belief: &&Belief| belief.comes_first() && belief.observation.phrasing.is_none();
        Ok(told.beliefs.iter().filter(is_bare).map(|belief| belief.observation.id.to_string()).collect())
    }

    pub(crate) fn brief_to_phrase(&self, item: &WorkItem) -> Result<Brief> {
        let beliefs = self.beliefs_asked_about(item)?;
        let entry = |(id, (text, trust)): (&String, &(String, f64))| Entry {
            id: id.clone(),
            text: text.clone(),
            trust: *trust,
            note: None,
        };
        let entries: Vec<Entry> = beliefs.iter().map(entry).collect();
        Ok(Brief::of(prompt::phrases_prompt(&entries), MAX_TOKENS))
    }

    pub(crate) fn finish_phrasing(&self, item: &WorkItem, reply: &Reply<'_>) -> Result<()> {
        let shown = self.beliefs_asked_about(item)?.into_iter();
        let shown: BTreeMap<String, String> = shown
            .filter(|(id, _)| reply.trust >= QUOTED && reply.quoted.contains(id))
            .map(|(id, (text, _))| (id, text))
            .collect();
        let phrases = read_phrases(reply.text, &shown);
        let (agent, now) = (self.agent.id, self.mind.now());
        Ok(self.mind.store.background("thinking", &[agent], |writer| {
            for (id, words) in &phrases {
                if let Ok(id) = id.parse::<ObservationId>() {
                    observations::phrase(writer, agent, id, words)?;
                }
            }
            self.settle_done(writer, item, reply.model, now)
        })?)
    }

    /// What the work is about, as it stands now, by id: the words and how far they are believed.
    fn beliefs_asked_about(&self, item: &WorkItem) -> Result<BTreeMap<String, (String, f64)>> {
        let agent = self.agent.id;
        let ids: Vec<ObservationId> = item.about.iter().filter_map(|id| id.parse().ok()).collect();
        let read = |reader: &mut Reader| -> StoreResult<_> {
            Ok(crate::sound::sound(observations::by_ids(reader, agent, &ids)?)?.0)
        };
        let rows = self.mind.store.read(&self.caller, &[agent], read)?;
        let seen = rows.into_iter().filter(|row| row.provenance.is_visible_to(&self.caller));
        Ok(seen
            .map(|row| (row.id.to_string(), (row.summary.clone(), row.provenance.trust().value())))
            .collect())
    }
}
