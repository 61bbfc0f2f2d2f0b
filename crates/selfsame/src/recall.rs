//! The verb *recall*: find the memories that answer a question, or say that there are none.

use crate::error::{Result, check_field, check_limit};
use crate::mind::Access;
use selfsame_core::id::{AgentId, Id, MemoryId};
use selfsame_core::memory::Memory;
use selfsame_core::recall::bm25::{self, TermPostings};
use selfsame_core::recall::plan::{self, Plan};
use selfsame_core::recall::{Corpus, Scored, Spot, TermMatch, Weights};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, StoreError, indexed_texts, memory};
use std::collections::{BTreeMap, BTreeSet};

/// Answers, at most.
pub const MAX_LIMIT: usize = 1000;
/// Bytes in a question, at most.
const MAX_QUESTION_BYTES: usize = 16 * 1024;
/// Among so many of the best, words too common to be looked up in full still count.
const RESCORED: usize = 256;

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// In words.
    pub text: String,
    /// Answers, at most; the settings' number if not given.
    pub limit: Option<usize>,
}

impl Question {
    /// A question in words.
    pub fn new(text: impl Into<String>) -> Question {
        Question { text: text.into(), limit: None }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Recalled {
    /// The best first.
    pub hits: Vec<Hit>,
    /// The words that were looked for, as they are indexed.
    pub words: Vec<String>,
    /// Why there is nothing, when there is nothing.
    pub why_empty: Option<&'static str>,
    /// Memories that would have answered but are damaged: left out, and to be looked at.
    pub damaged: Vec<MemoryId>,
}

/// One answer, and why it is one.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// The memory.
    pub memory: Memory,
    /// Its score.
    pub score: f64,
    /// What each word added to it.
    pub matches: Vec<TermMatch>,
}

impl Access<'_> {
    /// Finds the memories that answer a question. Writes nothing; that they were recalled is written down later.
    pub fn recall(&self, question: &Question) -> Result<Recalled> {
        let settings = &self.mind.settings.recall;
        let plan = self.plan(question)?;
        let weights = Weights { k1: settings.bm25_k1, b: settings.bm25_b };
        let budget = settings.posting_budget as u64;
        let answer = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let proposed = propose(reader, self.agent.id, Kind::Memory, &plan, budget)?;
            let ranked = proposed.rank(reader, self.agent.id, weights)?;
            self.gather(reader, &ranked, &plan)
        })?;
        let recalled = answer.hits.iter().map(|hit| hit.memory.id);
        self.mind.touches.note(self.agent.id, recalled, self.mind.now());
        Ok(answer)
    }

    fn plan(&self, question: &Question) -> Result<Plan> {
        let limit = question.limit.unwrap_or(self.mind.settings.recall.limit);
        question_plan("question", &question.text, limit)
    }

    /// Reads the best memories until enough are found that the caller may see.
    fn gather(
        &self,
        reader: &mut Reader,
        ranked: &[Scored],
        plan: &Plan,
    ) -> std::result::Result<Recalled, StoreError> {
        let mut answer =
            Recalled { hits: Vec::new(), words: plan.terms.clone(), why_empty: None, damaged: Vec::new() };
        for chunk in ranked.chunks(plan.limit.max(16)) {
            let items = items_at(reader, self.agent.id, Kind::Memory, chunk)?;
            let mut memories = self.read_memories(reader, items.values(), &mut answer.damaged)?;
            for scored in chunk {
                if answer.hits.len() == plan.limit {
                    return Ok(answer);
                }
                if let Some(memory) = items.get(&scored.spot).and_then(|id| memories.remove(id)) {
                    let Scored { score, matches, .. } = scored.clone();
                    answer.hits.push(Hit { memory, score, matches });
                }
            }
        }
        answer.why_empty = answer.hits.is_empty().then_some(match plan.terms.is_empty() {
            true => "the question has no words to look for",
            false => "no memory has any of these words",
        });
        Ok(answer)
    }

    /// The memories of a few hits, without those that ordinary recall does not show.
    fn read_memories<'i>(
        &self,
        reader: &mut Reader,
        items: impl Iterator<Item = &'i Id>,
        damaged: &mut Vec<MemoryId>,
    ) -> std::result::Result<BTreeMap<Id, Memory>, StoreError> {
        let ids: Vec<MemoryId> = items.map(|item| MemoryId::of(*item)).collect();
        let mut memories = BTreeMap::new();
        for read in memory::by_ids(reader, self.agent.id, &ids)? {
            match read {
                Ok(memory) if self.shows(&memory) => drop(memories.insert(memory.id.id(), memory)),
                Ok(_) => {}
                Err(StoreError::Spoiled(spoiled)) => damaged.push(MemoryId::of(spoiled.id)),
                Err(error) => return Err(error),
            }
        }
        Ok(memories)
    }

    fn shows(&self, memory: &Memory) -> bool {
        memory.life.state.is_in_mind() && memory.provenance.is_visible_to(&self.caller)
    }
}

/// Reads a question that came in `field`.
pub(crate) fn question_plan(field: &'static str, text: &str, limit: usize) -> Result<Plan> {
    check_field(field, text, MAX_QUESTION_BYTES)?;
    check_limit(limit, MAX_LIMIT)?;
    Ok(plan::plan(text, limit))
}

/// Which item each of a few hits is.
pub(crate) fn items_at(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    hits: &[Scored],
) -> std::result::Result<BTreeMap<Spot, Id>, StoreError> {
    let spots: Vec<Spot> = hits.iter().map(|hit| hit.spot).collect();
    let texts = indexed_texts::texts_at(reader, agent, kind, &spots)?;
    Ok(texts.into_iter().map(|(spot, text)| (spot, text.item)).collect())
}

/// What the index proposes: rare words in full, and the common ones that only weigh what those found.
pub(crate) struct Proposed {
    kind: Kind,
    corpus: Corpus,
    full: Vec<TermPostings>,
    rest: Vec<(String, u64)>,
}

pub(crate) fn propose(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    plan: &Plan,
    budget: u64,
) -> std::result::Result<Proposed, StoreError> {
    let corpus = postings::corpus(reader, agent, kind)?;
    let frequencies = postings::frequencies(reader, agent, kind, &plan.terms)?;
    let by_term: Vec<(&str, u64)> = frequencies.iter().map(|(term, df)| (term.as_str(), *df)).collect();
    let (full, rest) = plan::spend(&by_term, budget);
    let full = full
        .into_iter()
        .map(|term| postings::of_term(reader, agent, kind, term, frequencies[term], budget))
        .collect::<std::result::Result<_, _>>()?;
    let rest = rest.into_iter().map(|term| (term.to_owned(), frequencies[term])).collect();
    Ok(Proposed { kind, corpus, full, rest })
}

impl Proposed {
    /// Scores by the rare words, then the best once more with all of them.
    pub(crate) fn rank(
        mut self,
        reader: &mut Reader,
        agent: AgentId,
        weights: Weights,
    ) -> std::result::Result<Vec<Scored>, StoreError> {
        let ranked = bm25::score(&self.full, self.corpus, weights);
        if self.rest.is_empty() {
            return Ok(ranked);
        }
        let best: BTreeSet<Spot> = ranked.iter().take(RESCORED).map(|scored| scored.spot).collect();
        for (term, df) in &self.rest {
            let mut word = postings::of_term(reader, agent, self.kind, term, *df, u64::MAX)?;
            word.postings.retain(|posting| best.contains(&posting.spot));
            self.full.push(word);
        }
        Ok(bm25::score(&self.full, self.corpus, weights))
    }
}
