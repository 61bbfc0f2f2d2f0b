//! The verb *recall*: find the memories that answer a question, or say that there are none.

use crate::error::{Result, check_field, check_limit};
use crate::mind::Access;
use selfsame_core::conversation::Message;
use selfsame_core::id::{AgentId, Id, MemoryId};
use selfsame_core::kept::Kept;
use selfsame_core::memory::Memory;
use selfsame_core::recall::bm25::{self, TermPostings};
use selfsame_core::recall::plan::{self, Plan};
use selfsame_core::recall::{Corpus, Scored, TermMatch, Weights};
use selfsame_core::time::Time;
use selfsame_core::trust::Provenance;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, StoreError, memory};
use std::collections::BTreeMap;

pub use selfsame_core::recall::{Filter, Layer, Mode};

/// Answers, at most.
pub const MAX_LIMIT: usize = 1000;
/// Bytes in a question, at most.
pub(crate) const MAX_QUESTION_BYTES: usize = 16 * 1024;
/// Among so many of the best, words too common to be looked up in full still count.
const RESCORED: usize = 256;

/// What is asked.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Question {
    /// In words.
    pub text: String,
    /// Answers, at most; the settings' number if not given.
    pub limit: Option<usize>,
    /// What weighs most.
    pub mode: Mode,
    /// What an answer must be.
    pub filter: Filter,
    /// Answers that are passed over: the next page begins after them.
    pub offset: usize,
    /// Answer from what was known then.
    pub as_of: Option<Time>,
    /// Give the best there is, even where there is likely no answer among it.
    pub anyway: bool,
}

impl Question {
    /// A question in words.
    pub fn new(text: impl Into<String>) -> Question {
        Question { text: text.into(), ..Question::default() }
    }
}

/// What an answer is.
#[derive(Clone, PartialEq, Debug)]
pub enum Found {
    /// A memory.
    Memory(Box<Memory>),
    /// Something that was said in a conversation.
    Message(Kept<Message>),
}

impl Found {
    /// Its id, without its kind.
    pub fn id(&self) -> Id {
        match self {
            Found::Memory(memory) => memory.id.id(),
            Found::Message(message) => message.id.id(),
        }
    }

    /// Its words.
    pub fn content(&self) -> &str {
        match self {
            Found::Memory(memory) => &memory.content,
            Found::Message(message) => &message.content,
        }
    }

    /// Since when it is there; of a message, when it was said.
    pub fn created_at(&self) -> Time {
        match self {
            Found::Memory(memory) => memory.created_at,
            Found::Message(message) => message.created_at,
        }
    }

    /// Whose words they are.
    pub fn provenance(&self) -> &Provenance {
        match self {
            Found::Memory(memory) => &memory.provenance,
            Found::Message(message) => &message.provenance,
        }
    }

    /// The memory, if it is one.
    pub fn memory(&self) -> Option<&Memory> {
        match self {
            Found::Memory(memory) => Some(memory),
            Found::Message(_) => None,
        }
    }
}

/// What was found.
#[derive(Clone, PartialEq, Debug)]
pub struct Recalled {
    /// The best first.
    pub hits: Vec<Hit>,
    /// The words that were looked for, as they are indexed.
    pub words: Vec<String>,
    /// How likely there is an answer among what the index has, from 0 to 1.
    pub confidence: f64,
    /// Why there is nothing, when there is nothing.
    pub why_empty: Option<&'static str>,
    /// Memories that would have answered but are damaged: left out, and to be looked at.
    pub damaged: Vec<MemoryId>,
}

/// One answer, and why it is one.
#[derive(Clone, PartialEq, Debug)]
pub struct Hit {
    /// What was found.
    pub found: Found,
    /// Its score.
    pub score: f64,
    /// What each word added to it.
    pub matches: Vec<TermMatch>,
}

impl Access<'_> {
    /// Finds the memories that answer a question. Writes nothing; that they were recalled is written down later.
    pub fn recall(&self, question: &Question) -> Result<Recalled> {
        let answer = self.answer(question)?;
        let recalled = answer.hits.iter().filter_map(|hit| hit.found.memory()).map(|memory| memory.id);
        self.mind.touches.note(self.agent.id, recalled, self.mind.now());
        Ok(answer)
    }

    /// The same without a trace: what somebody looks for on purpose grows firmer, what is only shown does not.
    pub(crate) fn answer(&self, question: &Question) -> Result<Recalled> {
        let settings = &self.mind.settings.recall;
        let plan = self.plan(question)?;
        let weights = Weights { k1: settings.bm25_k1, b: settings.bm25_b };
        let budget = settings.posting_budget as u64;
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let proposed = propose(reader, self.agent.id, Kind::Memory, &plan, budget)?;
            let ranked = proposed.rank(reader, self.agent.id, weights)?;
            self.gather(reader, &ranked, &plan)
        })?)
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
        let mut answer = Recalled {
            hits: Vec::new(),
            words: plan.terms.clone(),
            confidence: if ranked.is_empty() { 0.0 } else { 1.0 },
            why_empty: None,
            damaged: Vec::new(),
        };
        for chunk in ranked.chunks(plan.limit.max(16)) {
            let mut memories = self.read_memories(reader, chunk, &mut answer.damaged)?;
            for scored in chunk {
                if answer.hits.len() == plan.limit {
                    return Ok(answer);
                }
                if let Some(memory) = memories.remove(&scored.item) {
                    let Scored { score, matches, .. } = scored.clone();
                    answer.hits.push(Hit { found: Found::Memory(Box::new(memory)), score, matches });
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
    fn read_memories(
        &self,
        reader: &mut Reader,
        hits: &[Scored],
        damaged: &mut Vec<MemoryId>,
    ) -> std::result::Result<BTreeMap<Id, Memory>, StoreError> {
        let ids: Vec<MemoryId> = hits.iter().map(|hit| MemoryId::of(hit.item)).collect();
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

    pub(crate) fn shows(&self, memory: &Memory) -> bool {
        memory.life.state.is_in_mind() && memory.provenance.is_visible_to(&self.caller)
    }
}

/// Reads a question that came in `field`.
pub(crate) fn question_plan(field: &'static str, text: &str, limit: usize) -> Result<Plan> {
    check_field(field, text, MAX_QUESTION_BYTES)?;
    check_limit(limit, MAX_LIMIT)?;
    Ok(plan::plan(text, limit))
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
        let best: Vec<Id> = ranked.iter().take(RESCORED).map(|scored| scored.item).collect();
        for (term, df) in &self.rest {
            self.full.push(postings::of_term_in(reader, agent, self.kind, term, *df, &best)?);
        }
        Ok(bm25::score(&self.full, self.corpus, weights))
    }
}
