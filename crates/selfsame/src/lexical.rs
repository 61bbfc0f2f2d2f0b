//! Finding texts of one kind by their words alone: for layers that are searched and not recalled.

use crate::config::RecallSettings;
use crate::error::StoreResult;
use selfsame_core::id::{AgentId, Id};
use selfsame_core::recall::bm25::{self, TermPostings};
use selfsame_core::recall::plan::spend;
use selfsame_core::recall::{Scored, Spot, Weights};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, indexed_texts};
use std::collections::BTreeMap;

/// The texts that have any of these words, the best first; rare words are looked up before common ones.
pub(crate) fn score_words(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    words: &[String],
    settings: &RecallSettings,
) -> StoreResult<Vec<Scored>> {
    let budget = settings.posting_budget as u64;
    let corpus = postings::corpus(reader, agent, kind)?;
    let frequencies = postings::frequencies(reader, agent, kind, words)?;
    let by_term: Vec<(&str, u64)> = frequencies.iter().map(|(term, df)| (term.as_str(), *df)).collect();
    let found: Vec<TermPostings> = spend(&by_term, budget)
        .into_iter()
        .map(|term| postings::of_term(reader, agent, kind, term, frequencies[term], budget))
        .collect::<StoreResult<_>>()?;
    Ok(bm25::score(&found, corpus, Weights { k1: settings.bm25_k1, b: settings.bm25_b }))
}

/// Which items stand at the places that were found.
pub(crate) fn items_at(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    hits: &[Scored],
) -> StoreResult<BTreeMap<Spot, Id>> {
    let spots: Vec<Spot> = hits.iter().map(|hit| hit.spot).collect();
    let texts = indexed_texts::texts_at(reader, agent, kind, &spots)?;
    Ok(texts.into_iter().map(|(spot, text)| (spot, text.item)).collect())
}
