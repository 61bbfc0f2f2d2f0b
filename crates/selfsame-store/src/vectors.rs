//! What texts mean: their vectors, which model made them, and which are near a question's.
//!
//! Vectors of one model are a generation; those of two are never compared. On SQLite the near ones are found in memory
//! (`vector_index.rs`), on PostgreSQL by the server. Both only propose: how near a vector is, is said
//! by the vector itself, the same on both engines.

use crate::db::{Reader, Writer};
use crate::dialect::{Engine, Graph};
use crate::error::{Result, StoreError};
use crate::postings::Kind;
use crate::statement::statements;
use crate::value::{Passing, Value, params};
use crate::vector_index::SPARE;
use selfsame_core::id::{AgentId, Id};
use selfsame_core::recall::meaning::Baseline;
use selfsame_core::time::Time;
use selfsame_core::vector::{Code, Unit};
use std::collections::{BTreeMap, BTreeSet};

statements! {
    global MODELS = "SELECT generation, model, dimensions, unrelated, spread FROM embedding_models ORDER BY generation";
    global ADD_MODEL = "INSERT INTO embedding_models (generation, model, dimensions, unrelated, spread, created_at)
        VALUES ((SELECT COALESCE(MAX(generation), 0) + 1 FROM embedding_models), $1, $2, $3, $4, $5)
        ON CONFLICT DO NOTHING";
    agent IN_USE = "SELECT generation FROM vector_use WHERE agent_id = $1";
    agent USE = "INSERT INTO vector_use (agent_id, generation) VALUES ($1, $2)
        ON CONFLICT (agent_id) DO UPDATE SET generation = excluded.generation";
    agent USE_FIRST = "INSERT INTO vector_use (agent_id, generation) VALUES ($1, $2) ON CONFLICT (agent_id) DO NOTHING";
    agent STOCK = "SELECT generation, kind, seq, live FROM vector_stock WHERE agent_id = $1 ORDER BY generation, kind";
    agent STOCK_OF = "SELECT seq, live FROM vector_stock WHERE agent_id = $1 AND generation = $2 AND kind = $3";
    agent ONE_MORE = "INSERT INTO vector_stock (agent_id, generation, kind, seq, live) VALUES ($1, $2, $3, 1, 1)
        ON CONFLICT (agent_id, generation, kind)
        DO UPDATE SET seq = vector_stock.seq + 1, live = vector_stock.live + 1 RETURNING seq";
    agent FEWER = "UPDATE vector_stock SET seq = seq + 1, live = CASE WHEN live > $4 THEN live - $4 ELSE 0 END
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 RETURNING seq";
    global DIMENSIONS = "SELECT dimensions FROM embedding_models WHERE generation = $1";
    agent EXISTS = "SELECT 1 FROM vectors WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND item_id = $4";
    agent INSERT = "INSERT INTO vectors (agent_id, generation, kind, item_id, seq, embedding)
        VALUES ($1, $2, $3, $4, $5, $6)";
    agent INSERT_CODE = "INSERT INTO vector_codes (agent_id, generation, kind, seq, item_id, code)
        VALUES ($1, $2, $3, $4, $5, $6)";
    agent TAKE = "DELETE FROM vectors WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND item_id = $4 RETURNING seq";
    agent TAKE_CODE = "DELETE FROM vector_codes WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND seq = $4";
    agent OF_ITEMS = "SELECT item_id, embedding FROM vectors
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND item_id IN ({list})";
    agent NEAREST = "SELECT item_id, embedding FROM vectors WHERE agent_id = $1 AND generation = $2 AND kind = $3
        ORDER BY {nearest to $4} LIMIT $5";
    agent NEAREST_IN_GRAPH = "SELECT item_id, embedding FROM vectors
        WHERE agent_id = $1 AND generation = {generation} AND kind = $2
        ORDER BY {nearest in graph to $3} LIMIT $4";
    agent ALL_CODES = "SELECT seq, item_id, code FROM vector_codes
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND seq > $4 ORDER BY seq";
    agent CODES = "SELECT seq, item_id, code FROM vector_codes
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND seq > $4 ORDER BY seq LIMIT $5";
    agent INDEXED = "SELECT item_id FROM indexed_texts WHERE agent_id = $1 AND kind = $2 AND item_id > $3
        ORDER BY item_id LIMIT $4";
    agent AMONG = "SELECT item_id FROM vectors
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND item_id IN ({list})";
    agent PAGE = "SELECT item_id, seq, embedding FROM vectors
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND item_id > $4 ORDER BY item_id LIMIT $5";
    agent THERE = "SELECT item_id FROM indexed_texts WHERE agent_id = $1 AND kind = $2 AND item_id IN ({list})";
    agent COUNTS = "SELECT generation, kind, COUNT(*) FROM vectors WHERE agent_id = $1
        GROUP BY generation, kind ORDER BY generation, kind";
    agent FIRST = "SELECT item_id, seq FROM vectors
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 ORDER BY item_id LIMIT $4";
    agent DROP = "DELETE FROM vectors WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND item_id <= $4";
    agent DROP_CODES = "DELETE FROM vector_codes
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND seq IN ({list})";
    agent FIRST_CODES = "SELECT seq FROM vector_codes
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 ORDER BY seq LIMIT $4";
    agent DROP_REST = "DELETE FROM vector_codes
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND seq <= $4";
    agent DROP_STOCK = "DELETE FROM vector_stock WHERE agent_id = $1 AND kind = $2";
    agent DROP_CHANGES = "DELETE FROM vector_codes WHERE agent_id = $1 AND kind = $2 AND generation = $3";
    agent EMPTY_STOCK = "UPDATE vector_stock SET seq = seq + 1, live = 0
        WHERE agent_id = $1 AND generation = $2 AND kind = $3 AND live > 0";
}

/// The kinds of texts that have vectors, beside what came by links.
pub const KINDS: [Kind; 4] = [Kind::Memory, Kind::Message, Kind::Observation, Kind::Summary];

fn has_vectors(kind: Kind) -> bool {
    KINDS.contains(&kind) || matches!(kind, Kind::Linked(_))
}

/// The longest that a server keeps.
const MOST_DIMENSIONS: usize = 16_000;

/// How far from one the length of a vector may be by rounding, when it is squared.
const ROUNDING: f64 = 1e-3;

/// The vectors of one model.
#[derive(Clone, PartialEq, Debug)]
pub struct Generation {
    /// Counted up from 1.
    pub number: i64,
    /// The model's name.
    pub model: String,
    /// How many numbers its vectors have.
    pub dimensions: usize,
    /// What it says of texts that have nothing to do with each other.
    pub baseline: Baseline,
}

/// How many vectors there are of a kind and generation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stock {
    /// Of which generation.
    pub generation: i64,
    /// Of what.
    pub kind: Kind,
    /// How often they were changed.
    pub seq: i64,
    /// How many there are.
    pub live: u64,
}

/// A vector that is near.
#[derive(Clone, PartialEq, Debug)]
pub struct Near {
    /// Whose it is.
    pub item: Id,
    /// How near, from -1 to 1.
    pub cosine: f64,
}

/// A vector as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Stored {
    /// Whose it is.
    pub item: Id,
    /// Which change brought it.
    pub seq: i64,
    /// The vector.
    pub unit: Unit,
}

/// A change of an agent's vectors as it is stored, believed or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoredCode {
    /// Which change.
    pub seq: i64,
    /// Whose vector.
    pub item: Id,
    /// The short form of what came; nothing if it went.
    pub bytes: Option<Vec<u8>>,
}

/// Every generation there ever was, the oldest first.
pub fn generations(reader: &mut Reader) -> Result<Vec<Generation>> {
    let rows = reader.global_rows(&MODELS, &[])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            let (number, model) = (fields.int()?, fields.text()?);
            let dimensions = size(fields.int()?)?;
            let baseline = Baseline { usual: fields.real()?, spread: fields.real()? };
            Ok(Generation { number, model, dimensions, baseline })
        })
        .collect()
}

/// The generation of a model, which is made if there is none.
pub fn ensure_generation(
    writer: &mut Writer,
    model: &str,
    dimensions: usize,
    baseline: Baseline,
    now: Time,
) -> Result<Generation> {
    if !(1..=MOST_DIMENSIONS).contains(&dimensions) {
        return Err(StoreError::BadValue(format!(
            "{model} makes vectors of {dimensions} numbers, and from 1 to {MOST_DIMENSIONS} can be kept: choose another model"
        )));
    }
    let is_it = |known: &Generation| known.model == model && known.dimensions == dimensions;
    if let Some(known) = generations(writer)?.into_iter().find(is_it) {
        return Ok(known);
    }
    writer.global_execute(
        &ADD_MODEL,
        params![model, dimensions as i64, baseline.usual, baseline.spread, now],
    )?;
    let made = generations(writer)?.into_iter().find(is_it);
    // Another process took the number at the same moment: trying again gives the next.
    made.ok_or_else(|| {
        StoreError::Failed("another process made a generation at the same moment: try again".into())
    })
}

/// The generation in which an agent's recall looks.
pub fn in_use(reader: &mut Reader, agent: AgentId) -> Result<Option<i64>> {
    reader.row(&IN_USE, agent, &[])?.map(|row| row.fields().int()).transpose()
}

/// From now on recall looks in this one.
pub fn put_in_use(writer: &mut Writer, agent: AgentId, generation: i64) -> Result<()> {
    writer.execute(&USE, agent, params![generation]).map(drop)
}

/// How many vectors an agent has.
pub fn stock(reader: &mut Reader, agent: AgentId) -> Result<Vec<Stock>> {
    let rows = reader.rows(&STOCK, agent, &[])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            let (generation, kind) = (fields.int()?, fields.text()?);
            let kind = Kind::parse(&kind).filter(|kind| has_vectors(*kind));
            let kind = kind.ok_or_else(|| damaged("a kind that has no vectors"))?;
            Ok(Stock { generation, kind, seq: fields.int()?, live: size(fields.int()?)? as u64 })
        })
        .collect()
}

/// The stock of one kind in one generation; nothing of nothing.
pub fn stock_of(reader: &mut Reader, agent: AgentId, generation: i64, kind: Kind) -> Result<Stock> {
    let row = reader.row(&STOCK_OF, agent, params![generation, kind.as_str()])?;
    let Some(mut fields) = row.map(crate::value::Row::fields) else {
        return Ok(Stock { generation, kind, seq: 0, live: 0 });
    };
    Ok(Stock { generation, kind, seq: fields.int()?, live: size(fields.int()?)? as u64 })
}

/// Keeps the vector of a text; says whether there was none. The first generation that an agent has is put to use.
pub fn insert(
    writer: &mut Writer,
    agent: AgentId,
    generation: i64,
    kind: Kind,
    item: Id,
    unit: &Unit,
) -> Result<bool> {
    check(writer, generation, unit)?;
    if writer.row(&EXISTS, agent, params![generation, kind.as_str(), item])?.is_some() {
        return Ok(false);
    }
    writer.execute(&USE_FIRST, agent, params![generation])?;
    let counted = writer.row(&ONE_MORE, agent, params![generation, kind.as_str()])?;
    let seq = counted.ok_or_else(|| damaged("a stock that does not count"))?.fields().int()?;
    let embedding = Value::Vector(unit.numbers().to_vec());
    writer.execute(
        &INSERT,
        agent,
        &[generation.into(), kind.as_str().into(), item.into(), seq.into(), embedding],
    )?;
    if keeps_codes(writer) {
        let code = Code::of(unit).to_bytes();
        let bound = params![generation, kind.as_str(), seq, item, Some(code.as_slice())];
        writer.execute(&INSERT_CODE, agent, bound)?;
    }
    Ok(true)
}

/// Refuses what is no vector of a generation: one that cannot be compared would spoil the comparison of all.
fn check(writer: &mut Writer, generation: i64, unit: &Unit) -> Result<()> {
    let known = writer.global_rows(&DIMENSIONS, params![generation])?.into_iter().next();
    let known = known.ok_or_else(|| StoreError::BadValue(format!("there is no generation {generation}")))?;
    let dimensions = size(known.fields().int()?)?;
    if unit.dimensions() != dimensions {
        return Err(StoreError::BadValue(format!(
            "a vector of {} numbers is none of generation {generation}, which has {dimensions}",
            unit.dimensions()
        )));
    }
    match is_of_length_one(unit) {
        true => Ok(()),
        false => Err(StoreError::BadValue("the vector is not of length one".into())),
    }
}

/// Whether a vector is what it should be; not if one of its numbers is none.
pub fn is_of_length_one(unit: &Unit) -> bool {
    let square: f64 = unit.numbers().iter().map(|number| f64::from(*number).powi(2)).sum();
    (square - 1.0).abs() <= ROUNDING
}

/// Takes away the vectors of a text, of every generation; says how many.
pub fn remove(writer: &mut Writer, agent: AgentId, kind: Kind, item: Id) -> Result<u64> {
    let mut taken = 0;
    for known in stock(writer, agent)?.into_iter().filter(|known| known.kind == kind) {
        let bound = params![known.generation, kind.as_str(), item];
        let Some(row) = writer.row(&TAKE, agent, bound)? else { continue };
        taken += 1;
        let had = row.fields().int()?;
        let counted = writer.row(&FEWER, agent, params![known.generation, kind.as_str(), 1i64])?;
        let seq = counted.ok_or_else(|| damaged("a stock that does not count"))?.fields().int()?;
        if keeps_codes(writer) {
            writer.execute(&TAKE_CODE, agent, params![known.generation, kind.as_str(), had])?;
            let gone = params![known.generation, kind.as_str(), seq, item, None::<&[u8]>];
            writer.execute(&INSERT_CODE, agent, gone)?;
        }
    }
    Ok(taken)
}

/// The vectors of these items, those that have one.
pub fn of_items(
    reader: &mut Reader,
    agent: AgentId,
    generation: i64,
    kind: Kind,
    items: &[Id],
) -> Result<BTreeMap<Id, Unit>> {
    let list: Vec<Value> = items.iter().map(|item| Value::Id(*item)).collect();
    let rows = reader.rows_in(&OF_ITEMS, agent, params![generation, kind.as_str()], &list)?;
    rows.into_iter().map(item_with_vector).collect()
}

/// The short forms of the vectors of these items, those that have one: from memory where they are there.
pub fn codes_of(
    reader: &mut Reader,
    agent: AgentId,
    generation: &Generation,
    kind: Kind,
    items: &[Id],
) -> Result<BTreeMap<Id, Code>> {
    let mut codes = match reader.engine() {
        Engine::Sqlite => {
            let stock = stock_of(reader, agent, generation.number, kind)?;
            reader.indexes()?.codes(reader, agent, generation, stock, items)?
        }
        Engine::Postgres => BTreeMap::new(),
    };
    let others: Vec<Id> = items.iter().filter(|item| !codes.contains_key(*item)).copied().collect();
    let units = of_items(reader, agent, generation.number, kind, &others)?;
    codes.extend(units.into_iter().map(|(item, unit)| (item, Code::of(&unit))));
    Ok(codes)
}

/// The texts of a kind that are nearest to a vector, the nearest first; equals in the order of their ids.
pub fn nearest(
    reader: &mut Reader,
    agent: AgentId,
    generation: &Generation,
    kind: Kind,
    to: &Unit,
    most: usize,
) -> Result<Vec<Near>> {
    if to.dimensions() != generation.dimensions {
        return Err(StoreError::BadValue(format!(
            "a vector of {} numbers cannot be compared with those of {}, which have {}",
            to.dimensions(),
            generation.model,
            generation.dimensions
        )));
    }
    // Before a write, on both engines alike: what it finds may be gone when the write is run again.
    let indexes = reader.indexes()?;
    let stock = stock_of(reader, agent, generation.number, kind)?;
    let most = most.min(stock.live as usize);
    if most == 0 {
        return Ok(Vec::new());
    }
    let proposed = match reader.engine() {
        Engine::Sqlite => {
            let items = indexes.nearest(reader, agent, generation, stock, to, most)?;
            of_items(reader, agent, generation.number, kind, &items)?
        }
        Engine::Postgres => {
            let graph = Graph::of(generation.number, generation.dimensions);
            let graph = graph.filter(|_| stock.live as usize > indexes.exact_up_to());
            proposed_by_server(reader, agent, generation.number, kind, graph, to, most)?
        }
    };
    let mut near: Vec<Near> =
        proposed.iter().map(|(item, unit)| Near { item: *item, cosine: unit.cosine(to) }).collect();
    near.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then(a.item.cmp(&b.item)));
    near.truncate(most);
    Ok(near)
}

/// What the server finds: in the graph if one is given, unless it finds too few there; else by comparing one by one. Some
/// more than asked for: it adds up in another order than we do, and may take the eleventh for the tenth.
fn proposed_by_server(
    reader: &mut Reader,
    agent: AgentId,
    generation: i64,
    kind: Kind,
    graph: Option<Graph>,
    to: &Unit,
    most: usize,
) -> Result<BTreeMap<Id, Unit>> {
    let (to, limit) = (Value::Vector(to.numbers().to_vec()), (most + SPARE) as i64);
    if let Some(graph) = graph {
        let bound = [kind.as_str().into(), to.clone(), limit.into()];
        let rows = reader.graph_rows(&NEAREST_IN_GRAPH, agent, graph, &bound)?;
        if rows.len() >= most {
            return rows.into_iter().map(item_with_vector).collect();
        }
    }
    let rows = reader.rows(&NEAREST, agent, &[generation.into(), kind.as_str().into(), to, limit.into()])?;
    rows.into_iter().map(item_with_vector).collect()
}

/// Looks at the next texts of a kind after an id for those that have no vector of a generation; gives them, and the last
/// text that was looked at, if there was one.
pub fn missing(
    reader: &mut Reader,
    agent: AgentId,
    generation: i64,
    kind: Kind,
    after: Id,
    limit: i64,
) -> Result<(Vec<Id>, Option<Id>)> {
    let rows = reader.rows(&INDEXED, agent, params![kind.as_str(), after, limit])?;
    let indexed: Vec<Id> = rows.into_iter().map(|row| row.fields().id()).collect::<Result<_>>()?;
    let list: Vec<Value> = indexed.iter().map(|item| Value::Id(*item)).collect();
    let rows = reader.rows_in(&AMONG, agent, params![generation, kind.as_str()], &list)?;
    let there: BTreeSet<Id> = rows.into_iter().map(|row| row.fields().id()).collect::<Result<_>>()?;
    let last = indexed.last().copied();
    Ok((indexed.into_iter().filter(|item| !there.contains(item)).collect(), last))
}

/// The next vectors after an id, in the order of their items; for whoever checks them.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    generation: i64,
    kind: Kind,
    after: Id,
    limit: i64,
) -> Result<Vec<Stored>> {
    let rows = reader.rows(&PAGE, agent, params![generation, kind.as_str(), after, limit])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            let (item, seq) = (fields.id()?, fields.int()?);
            Ok(Stored { item, seq, unit: unit(&mut fields) })
        })
        .collect()
}

/// How many vectors there really are, by generation and kind; for whoever checks them.
pub fn counts(reader: &mut Reader, agent: AgentId) -> Result<Vec<(i64, String, u64)>> {
    let rows = reader.rows(&COUNTS, agent, &[])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok((fields.int()?, fields.text()?, fields.count()?))
        })
        .collect()
}

/// Those of these items that are texts in the index; for whoever checks vectors.
pub fn with_text(reader: &mut Reader, agent: AgentId, kind: Kind, items: &[Id]) -> Result<BTreeSet<Id>> {
    let list: Vec<Value> = items.iter().map(|item| Value::Id(*item)).collect();
    let rows = reader.rows_in(&THERE, agent, params![kind.as_str()], &list)?;
    rows.into_iter().map(|row| row.fields().id()).collect()
}

/// The next changes of a kind after a number, with the bytes of the short forms as they are; for whoever checks them. On
/// SQLite only.
pub fn stored_codes(
    reader: &mut Reader,
    agent: AgentId,
    generation: i64,
    kind: Kind,
    after: i64,
    limit: i64,
) -> Result<Vec<StoredCode>> {
    let rows = reader.rows(&CODES, agent, params![generation, kind.as_str(), after, limit])?;
    rows.into_iter()
        .map(|row| {
            let mut fields = row.fields();
            Ok(StoredCode { seq: fields.int()?, item: fields.id()?, bytes: fields.opt_bytes()? })
        })
        .collect()
}

/// A change that is shown in passing: the step and the levels of what came. Damaged ones have no levels.
pub(crate) struct Passed<'r> {
    pub(crate) seq: i64,
    pub(crate) item: Id,
    pub(crate) code: Option<(f32, &'r [u8])>,
}

/// Shows all changes of a kind after a number while they pass. On SQLite only.
pub(crate) fn pass_changes(
    reader: &mut Reader,
    agent: AgentId,
    generation: i64,
    kind: Kind,
    after: i64,
    see: &mut dyn FnMut(Passed<'_>),
) -> Result<()> {
    reader.pass(&ALL_CODES, agent, params![generation, kind.as_str(), after], &mut |row| {
        let [Passing::Int(seq), Passing::Bytes(item), code] = *row else {
            return Err(damaged("a change that is none"));
        };
        let item = item.try_into().map_err(|_| damaged("a change of nothing"))?;
        let code = match code {
            Passing::Null => None,
            Passing::Bytes(bytes) => Some(Code::split(bytes).unwrap_or_default()),
            _ => Some((0.0, [].as_slice())),
        };
        see(Passed { seq, item: Id::from_bytes(item), code });
        Ok(())
    })
}

/// Drops some of a generation that is not used any more; says whether there may be more. Its changes are counted on: an
/// index that knew it must not take what comes later for what it has seen.
pub fn drop_some(writer: &mut Writer, agent: AgentId, generation: i64, limit: i64) -> Result<bool> {
    let mut more = false;
    let linked = stock(writer, agent)?.into_iter().filter(|stock| stock.generation == generation);
    let linked = linked.map(|stock| stock.kind).filter(|kind| !KINDS.contains(kind));
    for kind in KINDS.into_iter().chain(linked) {
        let rows = writer.rows(&FIRST, agent, params![generation, kind.as_str(), limit])?;
        let some: Vec<(Id, i64)> = rows
            .into_iter()
            .map(|row| {
                let mut fields = row.fields();
                Ok((fields.id()?, fields.int()?))
            })
            .collect::<Result<_>>()?;
        more |= match some.last() {
            Some((last, _)) => {
                writer.execute(&DROP, agent, params![generation, kind.as_str(), *last])?;
                let codes: Vec<Value> = some.iter().map(|(_, seq)| Value::Int(*seq)).collect();
                writer.execute_in(&DROP_CODES, agent, params![generation, kind.as_str()], &codes)?;
                writer.row(&FEWER, agent, params![generation, kind.as_str(), some.len() as i64])?;
                true
            }
            None => drop_rest(writer, agent, generation, kind, limit)?,
        };
    }
    Ok(more)
}

/// Takes away what tells that a shelf had vectors, when none are left.
pub(crate) fn drop_shelf(writer: &mut Writer, agent: AgentId, kind: Kind) -> Result<()> {
    for known in stock(writer, agent)?.into_iter().filter(|known| known.kind == kind) {
        writer.execute(&DROP_CHANGES, agent, params![kind.as_str(), known.generation])?;
    }
    writer.execute(&DROP_STOCK, agent, params![kind.as_str()]).map(drop)
}

/// Drops some of what tells that there were vectors, when none are left.
fn drop_rest(writer: &mut Writer, agent: AgentId, generation: i64, kind: Kind, limit: i64) -> Result<bool> {
    writer.execute(&EMPTY_STOCK, agent, params![generation, kind.as_str()])?;
    let rest = writer.rows(&FIRST_CODES, agent, params![generation, kind.as_str(), limit])?;
    let Some(last) = rest.into_iter().last() else { return Ok(false) };
    writer.execute(&DROP_REST, agent, params![generation, kind.as_str(), last.fields().int()?])?;
    Ok(true)
}

/// PostgreSQL finds near vectors by itself.
fn keeps_codes(reader: &Reader) -> bool {
    reader.engine() == Engine::Sqlite
}

fn item_with_vector(row: crate::value::Row) -> Result<(Id, Unit)> {
    let mut fields = row.fields();
    Ok((fields.id()?, unit(&mut fields)))
}

/// A vector that cannot be read has no numbers: it is near to nothing, and one text less is found by its meaning.
fn unit(fields: &mut crate::value::Fields) -> Unit {
    Unit::stored(fields.vector().unwrap_or_default())
}

fn size(stored: i64) -> Result<usize> {
    usize::try_from(stored).map_err(|_| damaged("a number of vectors that is below zero"))
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(format!("the vectors have {what}: `selfsame verify` tells more"))
}

/// Adds the short forms of an agent's vectors, which came from where none are kept.
pub(crate) fn add_codes(writer: &mut Writer, agent: AgentId) -> Result<()> {
    for stock in stock(writer, agent)? {
        let mut after = Id::NIL;
        loop {
            writer.next_page();
            let page = page(writer, agent, stock.generation, stock.kind, after, 500)?;
            let Some(last) = page.last() else { break };
            after = last.item;
            for Stored { item, seq, unit } in &page {
                let code = Code::of(unit).to_bytes();
                let bound =
                    params![stock.generation, stock.kind.as_str(), *seq, *item, Some(code.as_slice())];
                writer.execute(&INSERT_CODE, agent, bound)?;
            }
        }
    }
    Ok(())
}
