//! Holds the index against the rows that it was made from: every word of every row is in it as it should be, nothing
//! else is, and the statistics agree with both.

use crate::error::StoreResult;
use crate::indexing::{Indexable, page};
use crate::progress::Count;
use crate::verify::PAGE;
use selfsame_core::id::{AgentId, Id};
use selfsame_core::recall::{Corpus, Posting, Spot};
use selfsame_core::time::Zone;
use selfsame_store::indexed_texts::{self, IndexedText, Posted};
use selfsame_store::postings::{self, Block, ENTRIES_PER_BLOCK, Kind, Text};
use selfsame_store::{Reader, StoreError};
use std::collections::BTreeMap;

/// Looks at every row of a layer that is indexed; gives how many there are and what does not fit.
pub(crate) fn verify_indexed(
    reader: &mut Reader,
    agent: AgentId,
    kind: Kind,
    zone: &Zone,
    count: &Count,
) -> StoreResult<(u64, Vec<String>)> {
    let mut index = Index::read(reader, agent, kind)?;
    let words = index.texts.values().map(|posted| u64::from(posted.text.len)).sum();
    let mut seen = Corpus { docs: 0, words };
    let mut after = Id::NIL;
    loop {
        let rows = page(reader, agent, kind, after, PAGE)?;
        if rows.is_empty() {
            break;
        }
        count.add(rows.len() as u64);
        for row in rows {
            match row {
                Ok(row) => {
                    after = row.id();
                    seen.docs += u64::from(index.check(&row, zone));
                }
                Err(StoreError::Spoiled(spoiled)) => {
                    after = spoiled.id;
                    seen.docs += 1;
                    index.pass_over(spoiled.id);
                    index.problems.push(spoiled.to_string());
                }
                Err(error) => return Err(error),
            }
        }
    }
    index.check_corpus(postings::corpus(reader, agent, kind)?, seen);
    Ok((seen.docs, index.leftovers()))
}

/// All that the index has of one kind. What was found right is taken out.
struct Index {
    kind: Kind,
    texts: BTreeMap<Id, Posted>,
    /// The words, in their order; postings name them by their place here.
    terms: Vec<String>,
    postings: BTreeMap<Spot, Vec<Found>>,
    problems: Vec<String>,
}

/// A posting as it was found.
#[derive(Clone, Copy, PartialEq)]
struct Found {
    term: usize,
    block: u32,
    posting: Posting,
}

impl Index {
    fn read(reader: &mut Reader, agent: AgentId, kind: Kind) -> StoreResult<Index> {
        let (terms, postings, problems) = (Vec::new(), BTreeMap::new(), Vec::new());
        let mut index = Index { kind, texts: BTreeMap::new(), terms, postings, problems };
        index.read_texts(reader, agent)?;
        index.read_postings(reader, agent)?;
        Ok(index)
    }

    fn read_texts(&mut self, reader: &mut Reader, agent: AgentId) -> StoreResult<()> {
        let mut after = None;
        loop {
            let texts = indexed_texts::page(reader, agent, self.kind, after, PAGE)?;
            let Some(last) = texts.last() else {
                return Ok(());
            };
            after = Some(last.text.spot);
            for posted in texts {
                let item = posted.text.item;
                if self.texts.insert(item, posted).is_some() {
                    self.problems.push(format!("the index has {} twice", self.kind.shown(item)));
                }
            }
        }
    }

    /// Reads every block, and holds the statistics of words against them.
    fn read_postings(&mut self, reader: &mut Reader, agent: AgentId) -> StoreResult<()> {
        let stored = postings::term_totals(reader, agent, self.kind)?;
        let mut counted: BTreeMap<String, u64> = BTreeMap::new();
        let (mut after, mut is_numbered_well) = (None, true);
        loop {
            let blocks = postings::page(reader, agent, self.kind, after.as_ref(), PAGE)?;
            let Some(last) = blocks.last() else {
                break;
            };
            after = Some((last.term.clone(), last.block));
            for block in blocks {
                *counted.entry(block.term.clone()).or_default() += block.postings.len() as u64;
                let added = stored.get(&block.term).map_or(0, |totals| totals.added);
                is_numbered_well &= u64::from(block.block) < added.div_ceil(ENTRIES_PER_BLOCK);
                self.take_in(block);
            }
        }
        let stored: BTreeMap<String, u64> =
            stored.into_iter().map(|(term, totals)| (term, totals.df)).collect();
        if stored != counted || !is_numbered_well {
            let what = self.kind.plural();
            self.problems.push(format!("the statistics of words do not fit the index of {what}"));
        }
        Ok(())
    }

    fn take_in(&mut self, block: Block) {
        let Block { term, block, postings } = block;
        if postings.is_empty() || postings.len() as u64 > ENTRIES_PER_BLOCK {
            let (entries, what) = (postings.len(), self.kind.plural());
            self.problems.push(format!("a block of the index of {what} has {entries} entries"));
        }
        if self.terms.last() != Some(&term) {
            self.terms.push(term);
        }
        let term = self.terms.len() - 1;
        for posting in postings {
            self.postings.entry(posting.spot).or_default().push(Found { term, block, posting });
        }
    }

    /// Holds a row against what the index has of it; says whether it should be there at all.
    fn check(&mut self, row: &Indexable, zone: &Zone) -> bool {
        let indexed = row.indexed(zone);
        let expected = row.text(&indexed);
        let posted = self.texts.remove(&row.id());
        let spot = posted.as_ref().map(|posted| posted.text.spot);
        let found = spot.and_then(|spot| self.postings.remove(&spot)).unwrap_or_default();
        let fits = match (&expected, &posted) {
            (Some(expected), Some(posted)) => {
                is_told(expected, &posted.text) && self.has_words(expected, posted, &found)
            }
            (None, None) => true,
            _ => false,
        };
        if !fits {
            self.problems.push(format!("the index does not fit {}", self.kind.shown(row.id())));
        }
        expected.is_some()
    }

    /// Whether the postings of a text are those of its words, each in the block that the text names.
    fn has_words(&self, expected: &Text<'_>, posted: &Posted, found: &[Found]) -> bool {
        let (words, Posted { text, blocks }) = (&expected.words, posted);
        let wanted = words.counts.iter().zip(blocks).map(|((term, tf), block)| {
            let term = self.terms.binary_search(term).unwrap_or(usize::MAX);
            Found { term, block: *block, posting: Posting::new(text.spot, *tf, words.len) }
        });
        blocks.len() == words.counts.len() && wanted.eq(found.iter().copied())
    }

    /// What it has of a row that is damaged is neither right nor wrong.
    fn pass_over(&mut self, item: Id) {
        if let Some(posted) = self.texts.remove(&item) {
            self.postings.remove(&posted.text.spot);
        }
    }

    fn check_corpus(&mut self, stored: Corpus, seen: Corpus) {
        if stored != seen {
            self.problems.push(format!(
                "the statistics count {} words in {} {kinds} where {} in {} are",
                stored.words,
                stored.docs,
                seen.words,
                seen.docs,
                kinds = self.kind.plural()
            ));
        }
    }

    /// All that does not fit; what is still there belongs to no row.
    fn leftovers(mut self) -> Vec<String> {
        for Posted { text, .. } in std::mem::take(&mut self.texts).into_values() {
            self.postings.remove(&text.spot);
            self.problems.push(format!("the index has {}, which is not there", self.kind.shown(text.item)));
        }
        if !self.postings.is_empty() {
            let what = self.kind.plural();
            self.problems.push(format!("the index of {what} has words of texts that it does not know"));
        }
        self.problems
    }
}

/// Whether the index was told what it should have been told, beside the words.
fn is_told(expected: &Text<'_>, text: &IndexedText) -> bool {
    (text.len, text.said_at, text.speaker, text.marks)
        == (expected.words.len, expected.said_at, expected.speaker, expected.marks)
}
