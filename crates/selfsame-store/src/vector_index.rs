//! Vectors in memory, on SQLite: the short forms of one agent's texts, side by side, looked through from end to end.
//!
//! An index is derived from the rows and follows them: it knows the last change that it has seen, and whoever reads first
//! brings it up to what their transaction sees. So what was just written is found, what was taken away is gone, and a crash
//! leaves nothing behind. Whoever sees an older state than the index is answered from that: each vector knows which change
//! brought it, and those that went lately are kept for a while. Indexes come with the first question and go, the longest
//! unused first, when there are too many.

use crate::db::Reader;
use crate::error::Result;
use crate::postings::Kind;
use crate::vectors::{self, Generation, Passed, Stock};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::vector::{Code, Unit};
use simsimd::SpatialSimilarity;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// More are proposed than are asked for: the short form may take the eleventh for the tenth.
pub(crate) const SPARE: usize = 16;

/// So many that went are kept for those who still see them.
const GONE: usize = 256;

/// An index that grows makes room for one in so many at once: enough to be rare, and little memory for nothing.
const GROWTH: usize = 16;

/// Whose vectors: the agent's, of a generation, of a kind of texts.
type Key = (AgentId, i64, Kind);

/// How near vectors are found: the indexes that are in memory, and the limits.
#[derive(Debug)]
pub(crate) struct Indexes {
    /// Bytes that they may have together.
    budget: usize,
    /// Vectors of an agent that a server compares one by one.
    exact_up_to: usize,
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
    pub(crate) fn new(budget: usize, exact_up_to: usize) -> Indexes {
        Indexes { budget, exact_up_to, shelf: Mutex::default() }
    }

    /// Vectors of an agent that a server compares one by one.
    pub(crate) fn exact_up_to(&self) -> usize {
        self.exact_up_to
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

    /// Lets go of all of an agent's.
    pub(crate) fn let_go_of_agent(&self, agent: AgentId) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.indexes.retain(|(whose, _, _), _| *whose != agent);
    }

    /// The items whose short forms are nearest, the nearest first, some more than asked for.
    pub(crate) fn nearest(
        &self,
        reader: &mut Reader,
        agent: AgentId,
        generation: &Generation,
        stock: Stock,
        to: &Unit,
        most: usize,
    ) -> Result<Vec<Id>> {
        let key = (agent, generation.number, stock.kind);
        let mut best = Best::new(most + SPARE);
        let to = Code::of(to);
        if stock.live as usize * bytes_each(generation.dimensions) <= self.budget {
            let index = self.held(key, generation.dimensions);
            self.bring_up(reader, key, &index, stock)?;
            if index.read().unwrap_or_else(PoisonError::into_inner).nearest(stock.seq, &to, &mut best) {
                return Ok(best.items());
            }
        }
        look_through(reader, key, &to, &mut best)?;
        Ok(best.items())
    }

    /// The short forms of these items in the state that the reader sees, as far as they are in memory.
    pub(crate) fn codes(
        &self,
        reader: &mut Reader,
        agent: AgentId,
        generation: &Generation,
        stock: Stock,
        items: &[Id],
    ) -> Result<BTreeMap<Id, Code>> {
        if stock.live as usize * bytes_each(generation.dimensions) > self.budget {
            return Ok(BTreeMap::new());
        }
        let key = (agent, generation.number, stock.kind);
        let index = self.held(key, generation.dimensions);
        self.bring_up(reader, key, &index, stock)?;
        let index = index.read().unwrap_or_else(PoisonError::into_inner);
        Ok(items.iter().filter_map(|item| Some((*item, index.code(*item, stock.seq)?))).collect())
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

    /// Brings an index up to what the reader's transaction sees. Others who ask for the same vectors wait meanwhile, those
    /// who ask for other vectors do not.
    fn bring_up(
        &self,
        reader: &mut Reader,
        key: Key,
        shared: &Arc<RwLock<Index>>,
        stock: Stock,
    ) -> Result<()> {
        if shared.read().unwrap_or_else(PoisonError::into_inner).seq >= stock.seq {
            return Ok(());
        }
        let mut index = shared.write().unwrap_or_else(PoisonError::into_inner);
        if index.seq >= stock.seq {
            return Ok(());
        }
        index.make_room(stock.live as usize);
        self.account(key, shared, index.bytes());
        index.follow(reader, key, stock.seq)?;
        if index.items.len() > stock.live as usize + index.surplus {
            // Many were dropped at once, of which no trace is kept.
            index.clear();
            index.follow(reader, key, stock.seq)?;
            index.surplus = index.items.len().saturating_sub(stock.live as usize);
        }
        self.account(key, shared, index.bytes());
        Ok(())
    }

    /// Notes how large an index has become, and lets go of those that were longest unused until there is room for it.
    fn account(&self, grown: Key, index: &Arc<RwLock<Index>>, bytes: usize) {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        match shelf.indexes.get_mut(&grown) {
            Some(held) if Arc::ptr_eq(&held.index, index) => held.bytes = bytes,
            // It was let go of: whoever still has it has it for this question only.
            _ => return,
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

/// What is too large to be held, or was held in its later state only, is read for the question: slow, but right.
fn look_through(
    reader: &mut Reader,
    (agent, generation, kind): Key,
    to: &Code,
    best: &mut Best,
) -> Result<()> {
    let mut levels = Vec::with_capacity(to.levels.len());
    vectors::pass_changes(reader, agent, generation, kind, 0, &mut |change| {
        if let Passed { item, code: Some((step, bytes)), .. } = change
            && bytes.len() == to.levels.len()
        {
            levels.clear();
            levels.extend(bytes.iter().map(level));
            best.offer(product(&to.levels, &levels) * step, item);
        }
    })
}

/// What a vector takes: its levels, its step, whose it is, which change brought it, and where it is.
fn bytes_each(dimensions: usize) -> usize {
    dimensions + size_of::<f32>() + size_of::<Id>() + size_of::<i64>() + BYTES_OF_PLACE
}

/// What the map of places takes for each, about: a tree is not quite full.
const BYTES_OF_PLACE: usize = 28;

#[derive(Debug)]
struct Index {
    dimensions: usize,
    /// The last change that it has seen.
    seq: i64,
    /// What was before this change it does not know.
    horizon: i64,
    /// The vectors one after the other.
    levels: Vec<i8>,
    steps: Vec<f32>,
    items: Vec<Id>,
    /// Which change brought each.
    came: Vec<i64>,
    /// Where each is.
    places: BTreeMap<Id, u32>,
    /// Those that went last, in the order of their going.
    gone: VecDeque<Gone>,
    /// How many more the rows had than were counted, when all were read: damaged, and no reason to read them again.
    surplus: usize,
}

/// A vector that went.
#[derive(Debug)]
struct Gone {
    item: Id,
    /// Which change brought it.
    came: i64,
    /// Which took it.
    went: i64,
    code: Code,
}

impl Index {
    fn new(dimensions: usize) -> Index {
        Index {
            dimensions,
            seq: 0,
            horizon: 0,
            levels: Vec::new(),
            steps: Vec::new(),
            items: Vec::new(),
            came: Vec::new(),
            places: BTreeMap::new(),
            gone: VecDeque::new(),
            surplus: 0,
        }
    }

    fn clear(&mut self) {
        (self.seq, self.horizon, self.surplus) = (0, 0, 0);
        self.levels.clear();
        self.steps.clear();
        self.items.clear();
        self.came.clear();
        self.places.clear();
        self.gone.clear();
    }

    /// Room for so many in all, so that nothing grows by doubling.
    fn make_room(&mut self, vectors: usize) {
        if vectors > self.items.capacity() {
            let here = self.items.len();
            let more = vectors - here + if here == 0 { 0 } else { vectors / GROWTH };
            self.levels.reserve_exact(more * self.dimensions);
            self.steps.reserve_exact(more);
            self.items.reserve_exact(more);
            self.came.reserve_exact(more);
        }
    }

    /// Takes in all changes up to one, which is the last that the reader sees.
    fn follow(&mut self, reader: &mut Reader, (agent, generation, kind): Key, seq: i64) -> Result<()> {
        let (after, before) = (self.seq, self.items.len());
        let mut left = Vec::new();
        let mut seen = 0;
        let followed = vectors::pass_changes(reader, agent, generation, kind, after, &mut |change| {
            seen += 1;
            match change.code {
                Some((step, levels)) => self.add(change.item, change.seq, step, levels),
                None => left.push((change.item, change.seq)),
            }
        });
        if let Err(error) = followed {
            // Half of the changes are no state that ever was.
            self.clear();
            return Err(error);
        }
        // A first reading meets nothing that went later.
        if before > 0 {
            self.take_away(left);
        }
        self.seq = seq;
        if seen != seq - after {
            // What came and went between left no trace, and whoever sees that state is not answered from here.
            self.horizon = seq;
        }
        Ok(())
    }

    fn add(&mut self, item: Id, seq: i64, step: f32, levels: &[u8]) {
        // Of other dimensions than its generation: damaged, and `verify` names it.
        if levels.len() == self.dimensions {
            self.levels.extend(levels.iter().map(level));
            self.places.insert(item, self.items.len() as u32);
            self.steps.push(step);
            self.items.push(item);
            self.came.push(seq);
        }
    }

    /// Takes away what went, all in one pass.
    fn take_away(&mut self, mut left: Vec<(Id, i64)>) {
        if left.is_empty() {
            return;
        }
        left.sort_unstable();
        let mut gone = Vec::new();
        for place in (0..self.items.len()).rev() {
            let (item, came) = (self.items[place], self.came[place]);
            // What came again after it went stays.
            let next = left.partition_point(|(other, went)| (*other, *went) <= (item, came));
            match left.get(next) {
                Some((other, went)) if *other == item => gone.push(self.take(place, *went)),
                _ => {}
            }
        }
        gone.sort_unstable_by_key(|gone| gone.went);
        self.gone.extend(gone);
        while self.gone.len() > GONE {
            self.horizon = self.gone.pop_front().map_or(self.horizon, |oldest| self.horizon.max(oldest.went));
        }
    }

    fn take(&mut self, place: usize, went: i64) -> Gone {
        let (last, dimensions) = (self.items.len() - 1, self.dimensions);
        let levels = self.levels[place * dimensions..][..dimensions].to_vec();
        self.levels.copy_within(last * dimensions.., place * dimensions);
        self.levels.truncate(last * dimensions);
        let code = Code { step: self.steps.swap_remove(place), levels };
        // One that came again has a place of its own already.
        if self.places.get(&self.items[place]) == Some(&(place as u32)) {
            self.places.remove(&self.items[place]);
        }
        if place < last && self.places.get(&self.items[last]) == Some(&(last as u32)) {
            self.places.insert(self.items[last], place as u32);
        }
        Gone { item: self.items.swap_remove(place), came: self.came.swap_remove(place), went, code }
    }

    /// The short form of an item in the state after a change, if it is here and was there then.
    fn code(&self, item: Id, seq: i64) -> Option<Code> {
        let place = *self.places.get(&item)? as usize;
        let levels = self.levels[place * self.dimensions..][..self.dimensions].to_vec();
        (self.came[place] <= seq).then(|| Code { step: self.steps[place], levels })
    }

    /// Offers what is near in the state after a change; says whether that state is known.
    fn nearest(&self, seq: i64, to: &Code, best: &mut Best) -> bool {
        if seq < self.horizon {
            return false;
        }
        let vectors = self.levels.chunks_exact(self.dimensions).zip(&self.steps).enumerate();
        for (place, (levels, step)) in vectors {
            let score = product(&to.levels, levels) * step;
            if score >= best.bar && self.came[place] <= seq {
                best.offer(score, self.items[place]);
            }
        }
        for gone in self.gone.iter().filter(|gone| gone.came <= seq && seq < gone.went) {
            best.offer(product(&to.levels, &gone.code.levels) * gone.code.step, gone.item);
        }
        true
    }

    fn bytes(&self) -> usize {
        self.levels.capacity()
            + self.steps.capacity() * size_of::<f32>()
            + self.items.capacity() * size_of::<Id>()
            + self.came.capacity() * size_of::<i64>()
            + self.places.len() * BYTES_OF_PLACE
            + self.gone.len() * bytes_each(self.dimensions)
    }
}

fn level(byte: &u8) -> i8 {
    i8::from_le_bytes([*byte])
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
