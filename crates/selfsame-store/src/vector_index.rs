//! Vectors in memory, on SQLite: the short forms of one agent's texts, side by side, looked through from end to end.
//!
//! An index is derived from the rows and follows them: it knows the last change that it has seen, and whoever reads first
//! brings it up to what their transaction sees. So what was just written is found, what was taken away is gone, and a crash
//! leaves nothing behind. Indexes come with the first question and go, the longest unused first, when there are too many.

use crate::db::Reader;
use crate::error::Result;
use crate::postings::Kind;
use crate::vectors::{self, Change, Generation};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::vector::{Code, Unit};
use simsimd::SpatialSimilarity;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// Changes that are read at a time.
const PAGE: i64 = 4096;

/// More are proposed than are asked for: the short form may take the eleventh for the tenth.
const SPARE: usize = 32;

/// Whose vectors: the agent's, of a generation, of a kind of texts.
type Key = (AgentId, i64, Kind);

/// The indexes that are in memory.
#[derive(Debug)]
pub(crate) struct Indexes {
    /// Bytes that they may have together.
    budget: usize,
    shelf: Mutex<Shelf>,
}

#[derive(Debug, Default)]
struct Shelf {
    indexes: BTreeMap<Key, Held>,
    /// Counts the questions, so that the longest unused is known.
    asked: u64,
}

#[derive(Debug)]
struct Held {
    index: Arc<RwLock<Index>>,
    bytes: usize,
    last_asked: u64,
}

impl Indexes {
    pub(crate) fn new(budget: usize) -> Indexes {
        Indexes { budget, shelf: Mutex::default() }
    }

    /// How many bytes they have.
    pub(crate) fn bytes(&self) -> usize {
        let shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.indexes.values().map(|held| held.bytes).sum()
    }

    /// Lets go of an agent's vectors of a generation.
    pub(crate) fn let_go(&self, agent: AgentId, generation: i64) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.indexes.retain(|(whose, number, _), _| (*whose, *number) != (agent, generation));
    }

    /// The items whose short forms are nearest, the nearest first, some more than asked for.
    pub(crate) fn nearest(
        &self,
        reader: &mut Reader,
        agent: AgentId,
        generation: &Generation,
        kind: Kind,
        to: &Unit,
        most: usize,
    ) -> Result<Vec<Id>> {
        let key = (agent, generation.number, kind);
        let stock = vectors::stock_of(reader, agent, generation.number, kind)?;
        let mut best = Best::new(most + SPARE);
        let to = Code::of(to);
        if stock.live as usize * bytes_each(generation.dimensions) > self.budget {
            look_through(reader, key, &to, &mut best)?;
            return Ok(best.items());
        }
        let index = self.held(key, generation.dimensions);
        self.bring_up(reader, key, &index, stock.seq)?;
        index.read().unwrap_or_else(PoisonError::into_inner).nearest(&to, &mut best);
        Ok(best.items())
    }

    fn held(&self, key: Key, dimensions: usize) -> Arc<RwLock<Index>> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.asked += 1;
        let asked = shelf.asked;
        let held = shelf.indexes.entry(key).or_insert_with(|| Held {
            index: Arc::new(RwLock::new(Index::new(dimensions))),
            bytes: 0,
            last_asked: asked,
        });
        held.last_asked = asked;
        Arc::clone(&held.index)
    }

    /// Brings an index up to what the reader's transaction sees.
    fn bring_up(&self, reader: &mut Reader, key: Key, index: &RwLock<Index>, seq: i64) -> Result<()> {
        if index.read().unwrap_or_else(PoisonError::into_inner).seq >= seq {
            return Ok(());
        }
        let mut index = index.write().unwrap_or_else(PoisonError::into_inner);
        while index.seq < seq {
            let changes = vectors::changes(reader, key.0, key.1, key.2, index.seq, PAGE)?;
            match changes.last() {
                Some(last) => {
                    let last = last.seq;
                    index.take(changes);
                    index.seq = last;
                }
                // The last changes left no row behind.
                None => index.seq = seq,
            }
        }
        let bytes = index.bytes();
        drop(index);
        self.make_room(key, bytes);
        Ok(())
    }

    /// Lets go of those that were longest unused until there is room for the one that has grown.
    fn make_room(&self, grown: Key, bytes: usize) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(held) = shelf.indexes.get_mut(&grown) {
            held.bytes = bytes;
        }
        while shelf.indexes.values().map(|held| held.bytes).sum::<usize>() > self.budget {
            let others = shelf.indexes.iter().filter(|(key, _)| **key != grown);
            let Some(oldest) = others.min_by_key(|(_, held)| held.last_asked).map(|(key, _)| *key) else {
                return;
            };
            shelf.indexes.remove(&oldest);
        }
    }
}

/// What is too large to be held is read anew for each question: slow, but right.
fn look_through(
    reader: &mut Reader,
    (agent, generation, kind): Key,
    to: &Code,
    best: &mut Best,
) -> Result<()> {
    let mut after = 0;
    loop {
        let changes = vectors::changes(reader, agent, generation, kind, after, PAGE)?;
        let Some(last) = changes.last() else { return Ok(()) };
        after = last.seq;
        for Change { item, code, .. } in &changes {
            if let Some(code) = code {
                best.offer(product(&to.levels, &code.levels) * code.step, *item);
            }
        }
    }
}

/// What a vector takes: its levels, its step, whose it is.
fn bytes_each(dimensions: usize) -> usize {
    dimensions + size_of::<f32>() + size_of::<Id>()
}

#[derive(Debug)]
struct Index {
    dimensions: usize,
    /// The last change that it has seen.
    seq: i64,
    /// The vectors one after the other.
    levels: Vec<i8>,
    steps: Vec<f32>,
    items: Vec<Id>,
}

impl Index {
    fn new(dimensions: usize) -> Index {
        Index { dimensions, seq: 0, levels: Vec::new(), steps: Vec::new(), items: Vec::new() }
    }

    fn take(&mut self, changes: Vec<Change>) {
        for Change { item, code, .. } in changes {
            match code {
                Some(code) if code.levels.len() == self.dimensions => {
                    self.levels.extend(&code.levels);
                    self.steps.push(code.step);
                    self.items.push(item);
                }
                // Of other dimensions than its generation: damaged, and `verify` names it.
                Some(_) => {}
                None => self.remove(item),
            }
        }
    }

    /// Rare, so that looking for it costs less than keeping a map of all.
    fn remove(&mut self, item: Id) {
        let Some(place) = self.items.iter().position(|known| *known == item) else { return };
        let (last, dimensions) = (self.items.len() - 1, self.dimensions);
        self.levels.copy_within(last * dimensions.., place * dimensions);
        self.levels.truncate(last * dimensions);
        self.steps.swap_remove(place);
        self.items.swap_remove(place);
    }

    fn nearest(&self, to: &Code, best: &mut Best) {
        if to.levels.len() != self.dimensions {
            return;
        }
        let vectors = self.levels.chunks_exact(self.dimensions).zip(&self.steps).zip(&self.items);
        for ((levels, step), item) in vectors {
            best.offer(product(&to.levels, levels) * step, *item);
        }
    }

    fn bytes(&self) -> usize {
        self.levels.capacity()
            + self.steps.capacity() * size_of::<f32>()
            + self.items.capacity() * size_of::<Id>()
    }
}

/// The scalar product of levels; a whole number, the same on every machine.
fn product(a: &[i8], b: &[i8]) -> f32 {
    i8::dot(a, b).unwrap_or(f64::MIN) as f32
}

/// The best of what is offered.
struct Best {
    most: usize,
    /// Up to twice as many as are wanted, so that sorting is rare.
    offered: Vec<(f32, Id)>,
    /// What is not better than this is not among them.
    bar: f32,
}

impl Best {
    fn new(most: usize) -> Best {
        Best { most, offered: Vec::with_capacity(2 * most), bar: f32::NEG_INFINITY }
    }

    fn offer(&mut self, score: f32, item: Id) {
        if score < self.bar {
            return;
        }
        self.offered.push((score, item));
        if self.offered.len() == 2 * self.most {
            self.cut();
        }
    }

    fn cut(&mut self) {
        if self.offered.len() > self.most {
            self.offered.select_nth_unstable_by(self.most - 1, better);
            self.offered.truncate(self.most);
            self.bar = self.offered[self.most - 1].0;
        }
    }

    fn items(mut self) -> Vec<Id> {
        self.cut();
        self.offered.sort_unstable_by(better);
        self.offered.into_iter().map(|(_, item)| item).collect()
    }
}

fn better(a: &(f32, Id), b: &(f32, Id)) -> std::cmp::Ordering {
    b.0.total_cmp(&a.0).then(a.1.cmp(&b.1))
}
