//! What came by neural links stands on shelves of its own, one for each link: its words, its vectors and whom it mentions
//! are kept under the link's own kind. So a link is shown, hidden or taken away whole, whatever the others have.
//!
//! Recall looks at an agent's own memories and at every shelf that is shown as if they were one: frequencies and counts add
//! up, postings follow each other, and what is near is the nearest of all. The other kinds of texts have no shelves.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::index_build;
use crate::indexed_texts::{self, IndexedText};
use crate::mentions;
use crate::postings::{self, Kind};
use crate::statement::statements;
use crate::value::Row;
use crate::vectors::{self, Generation, Near};
use selfsame_core::id::{AgentId, EntityId, Id, LinkId};
use selfsame_core::recall::bm25::TermPostings;
use selfsame_core::recall::{Corpus, Spot};
use selfsame_core::vector::{Code, Unit};
use std::collections::BTreeMap;

statements! {
    agent SHOWN = "SELECT id FROM links WHERE agent_id = $1 AND side = 'receives' AND state = 'accepted' AND NOT hidden
        ORDER BY id";
    agent ALL = "SELECT id FROM links WHERE agent_id = $1 AND side = 'receives'
            AND source_ref IN (SELECT kind FROM corpus_stats WHERE agent_id = $1)
        ORDER BY id";
}

/// Every shelf of an agent that the index knows, shown or not.
pub fn all(reader: &mut Reader, agent: AgentId) -> Result<Vec<Kind>> {
    kinds(reader.rows(&ALL, agent, &[])?)
}

/// The shelves that are shown.
pub fn shown(reader: &mut Reader, agent: AgentId) -> Result<Vec<Kind>> {
    kinds(reader.rows(&SHOWN, agent, &[])?)
}

fn kinds(rows: Vec<Row>) -> Result<Vec<Kind>> {
    rows.into_iter().map(|row| Ok(Kind::Linked(LinkId::of(row.fields().id()?)))).collect()
}

/// The kind itself, and of memories every shelf that is shown. Asked once in a transaction.
fn together(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<Vec<Kind>> {
    let mut kinds = vec![kind];
    if kind == Kind::Memory {
        kinds.extend(reader.shelves(agent)?);
    }
    Ok(kinds)
}

/// What all texts have in common.
pub fn corpus(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<Corpus> {
    let mut sum = Corpus::default();
    for kind in together(reader, agent, kind)? {
        let corpus = postings::corpus(reader, agent, kind)?;
        sum = Corpus { docs: sum.docs + corpus.docs, words: sum.words + corpus.words };
    }
    Ok(sum)
}

/// In how many texts each word is; words that are in none are left out.
pub fn frequencies(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    terms: &[String],
) -> Result<BTreeMap<String, u64>> {
    let mut sum: BTreeMap<String, u64> = BTreeMap::new();
    for kind in together(reader, agent, kind)? {
        for (term, texts) in postings::frequencies(reader, agent, kind, terms)? {
            *sum.entry(term).or_default() += texts;
        }
    }
    Ok(sum)
}

/// Where a word is, at most `limit` of them: on each shelf the newest first, and the agent's own before what came by links.
pub fn of_term(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    term: &str,
    df: u64,
    limit: u64,
) -> Result<TermPostings> {
    let mut found = TermPostings { term: term.to_owned(), df, postings: Vec::new() };
    for kind in together(reader, agent, kind)? {
        let left = limit.saturating_sub(found.postings.len() as u64).min(df);
        found.postings.extend(postings::of_term(reader, agent, kind, term, left, left)?.postings);
    }
    Ok(found)
}

/// The texts at these spots, as far as there are any.
pub fn texts_at(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    spots: &[Spot],
) -> Result<BTreeMap<Spot, IndexedText>> {
    let mut found = BTreeMap::new();
    for kind in together(reader, agent, kind)? {
        let left: Vec<Spot> = spots.iter().filter(|spot| !found.contains_key(*spot)).copied().collect();
        if !left.is_empty() {
            found.extend(indexed_texts::texts_at(reader, agent, kind, &left)?);
        }
    }
    Ok(found)
}

/// Where these items stand, those that are indexed.
pub fn spots_of(reader: &mut Reader, agent: AgentId, kind: Kind, items: &[Id]) -> Result<Vec<Spot>> {
    let mut spots = Vec::new();
    for kind in together(reader, agent, kind)?.into_iter().filter(|_| !items.is_empty()) {
        spots.extend(indexed_texts::spots_of(reader, agent, kind, items)?);
    }
    Ok(spots)
}

/// The memories that name somebody, so many at most: the newest.
pub fn newest_mentions(reader: &mut Reader, agent: AgentId, entity: EntityId, limit: i64) -> Result<Vec<Id>> {
    let mut items = Vec::new();
    for kind in together(reader, agent, Kind::Memory)? {
        items.extend(mentions::newest(reader, agent, entity, &kind.as_str(), limit)?);
    }
    items.sort_by(|one, other| other.cmp(one));
    items.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(items)
}

/// Which of these memories name somebody.
pub fn naming(reader: &mut Reader, agent: AgentId, entity: EntityId, items: &[Id]) -> Result<Vec<Id>> {
    let mut named = Vec::new();
    for kind in together(reader, agent, Kind::Memory)? {
        named.extend(mentions::among(reader, agent, entity, &kind.as_str(), items)?);
    }
    Ok(named)
}

/// The texts that are nearest to a vector, the nearest first; equals in the order of their ids.
pub fn nearest(
    reader: &mut Reader,
    agent: AgentId,
    generation: &Generation,
    kind: Kind,
    to: &Unit,
    most: usize,
) -> Result<Vec<Near>> {
    let mut near = Vec::new();
    for kind in together(reader, agent, kind)? {
        near.extend(vectors::nearest(reader, agent, generation, kind, to, most)?);
    }
    near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.item.cmp(&b.item)));
    near.truncate(most);
    Ok(near)
}

/// The short forms of the vectors of these items, those that have one.
pub fn codes_of(
    reader: &mut Reader,
    agent: AgentId,
    generation: &Generation,
    kind: Kind,
    items: &[Id],
) -> Result<BTreeMap<Id, Code>> {
    let mut codes = BTreeMap::new();
    for kind in together(reader, agent, kind)? {
        let left: Vec<Id> = items.iter().filter(|item| !codes.contains_key(*item)).copied().collect();
        if !left.is_empty() {
            codes.extend(vectors::codes_of(reader, agent, generation, kind, &left)?);
        }
    }
    Ok(codes)
}

/// Takes away what is left of a shelf that has no texts any more.
pub fn clear(writer: &mut Writer, agent: AgentId, link: LinkId) -> Result<()> {
    let kind = Kind::Linked(link);
    index_build::wipe(writer, agent, kind)?;
    vectors::drop_shelf(writer, agent, kind)
}
