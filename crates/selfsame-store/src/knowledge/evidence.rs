//! What speaks for and against each observation. Nothing is taken away but by an erasure, which leaves its mark.

use super::{damaged, observations, origin_bytes, origins};
use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::{Statement, statements};
use crate::value::{Row, Value, params};
use selfsame_core::id::{AgentId, EvidenceId, Id, MemoryId, ObservationId};
use selfsame_core::knowledge::Stance;
use selfsame_core::knowledge::evidence::{Origin, Piece, SourceRef, SourceSort};
use selfsame_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};

macro_rules! columns {
    () => {
        "observation_id, id, memory_id, lesson_id, reflection_id, entity_id, stance, weight, origins, confirms, excerpt, \
         source_created_at, created_at"
    };
}

statements! {
    agent INSERT = concat!("INSERT INTO observation_evidence (agent_id, ", columns!(), ")
        VALUES {rows: $1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?}");
    agent OF = concat!("SELECT ", columns!(), ", withdrawn_at FROM observation_evidence
        WHERE agent_id = $1 AND observation_id = $2 ORDER BY id");
    agent OF_ALL = concat!("SELECT ", columns!(), ", withdrawn_at FROM observation_evidence
        WHERE agent_id = $1 AND observation_id IN ({list}) ORDER BY observation_id, id");
    agent NEWEST_OF = concat!("SELECT ", columns!(), ", withdrawn_at FROM observation_evidence
        WHERE agent_id = $1 AND observation_id = $2 AND withdrawn_at IS NULL ORDER BY id DESC LIMIT $3");
    agent OF_MEMORY = concat!("SELECT ", columns!(), ", withdrawn_at FROM observation_evidence
        WHERE agent_id = $1 AND memory_id = $2 ORDER BY observation_id, id");
    agent SUPPORTED = "SELECT memory_id, observation_id FROM observation_evidence
        WHERE agent_id = $1 AND stance = 'support' AND withdrawn_at IS NULL AND memory_id IN ({list})
        ORDER BY memory_id, observation_id";
    agent EVER_SUPPORTED = "SELECT memory_id, observation_id FROM observation_evidence
        WHERE agent_id = $1 AND stance = 'support' AND memory_id IN ({list})
        ORDER BY memory_id, observation_id";
    agent OF_LESSON = concat!("SELECT ", columns!(), ", withdrawn_at FROM observation_evidence
        WHERE agent_id = $1 AND lesson_id = $2 ORDER BY observation_id, id");
    agent OF_REFLECTION = concat!("SELECT ", columns!(), ", withdrawn_at FROM observation_evidence
        WHERE agent_id = $1 AND reflection_id = $2 ORDER BY observation_id, id");
    agent OF_ENTITY = concat!("SELECT ", columns!(), ", withdrawn_at FROM observation_evidence
        WHERE agent_id = $1 AND entity_id = $2 ORDER BY observation_id, id");
    agent WITHDRAW_MEMORY = "UPDATE observation_evidence SET withdrawn_at = $3
        WHERE agent_id = $1 AND memory_id = $2 AND withdrawn_at IS NULL";
    agent WITHDRAW_LESSON = "UPDATE observation_evidence SET withdrawn_at = $3
        WHERE agent_id = $1 AND lesson_id = $2 AND withdrawn_at IS NULL";
    agent WITHDRAW_REFLECTION = "UPDATE observation_evidence SET withdrawn_at = $3
        WHERE agent_id = $1 AND reflection_id = $2 AND withdrawn_at IS NULL";
    agent WITHDRAW_ENTITY = "UPDATE observation_evidence SET withdrawn_at = $3
        WHERE agent_id = $1 AND entity_id = $2 AND withdrawn_at IS NULL";
    agent WITHDRAW_ORIGIN = "UPDATE observation_evidence SET withdrawn_at = $3
        WHERE agent_id = $1 AND origins = $2 AND withdrawn_at IS NULL";
    agent DELETE = "DELETE FROM observation_evidence WHERE agent_id = $1 AND observation_id = $2 AND id = $3";
    agent BURY = "INSERT INTO erased_evidence (agent_id, observation_id, id, source_sort, source_id, stance,
            source_created_at, excerpt_hash, erased_at)
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)";
    agent BURIED = "SELECT COUNT(*) FROM erased_evidence WHERE agent_id = $1 AND observation_id = $2";
}

/// A piece of evidence.
#[derive(Clone, PartialEq, Debug)]
pub struct Evidence {
    /// Of which observation.
    pub observation: ObservationId,
    /// Its id.
    pub id: EvidenceId,
    /// The row that it is.
    pub source: SourceRef,
    /// For or against.
    pub stance: Stance,
    /// Whether it is the operator's judgement.
    pub confirms: bool,
    /// The words that count.
    pub excerpt: String,
    /// What it weighs, where it comes from, and when that was said.
    pub piece: Piece,
    /// When it was linked.
    pub created_at: Time,
    /// When it was withdrawn: kept, not counted.
    pub withdrawn_at: Option<Time>,
}

/// Adds evidence.
pub fn insert(writer: &mut Writer, agent: AgentId, evidence: &[Evidence]) -> Result<()> {
    let rows: Vec<Vec<Value>> = evidence.iter().map(cells).collect();
    writer.insert_all(&INSERT, agent, &rows)?;
    Ok(())
}

/// All of an observation, in the order in which it was linked; the withdrawn too.
pub fn of(reader: &mut Reader, agent: AgentId, observation: ObservationId) -> Result<Vec<Evidence>> {
    reader.rows(&OF, agent, params![observation.id()])?.into_iter().map(evidence).collect()
}

/// The same of several observations, in one go.
pub fn of_all(
    reader: &mut Reader,
    agent: AgentId,
    observations: &[ObservationId],
) -> Result<BTreeMap<ObservationId, Vec<Evidence>>> {
    let list: Vec<Value> = observations.iter().map(|id| Value::Id(id.id())).collect();
    let mut all: BTreeMap<ObservationId, Vec<Evidence>> = BTreeMap::new();
    for row in reader.rows_in(&OF_ALL, agent, &[], &list)? {
        let piece = evidence(row)?;
        all.entry(piece.observation).or_default().push(piece);
    }
    Ok(all)
}

/// The newest of an observation that counts.
pub fn newest_of(
    reader: &mut Reader,
    agent: AgentId,
    observation: ObservationId,
    limit: i64,
) -> Result<Vec<Evidence>> {
    reader.rows(&NEWEST_OF, agent, params![observation.id(), limit])?.into_iter().map(evidence).collect()
}

/// Wherever a row is evidence.
pub fn of_source(reader: &mut Reader, agent: AgentId, source: SourceRef) -> Result<Vec<Evidence>> {
    let statement = match source.sort {
        SourceSort::Memory => &OF_MEMORY,
        SourceSort::Lesson => &OF_LESSON,
        SourceSort::Reflection => &OF_REFLECTION,
        SourceSort::Entity => &OF_ENTITY,
    };
    reader.rows(statement, agent, params![source.id])?.into_iter().map(evidence).collect()
}

/// Which of what is believed memories speak for.
pub fn supported(
    reader: &mut Reader,
    agent: AgentId,
    memories: &[MemoryId],
) -> Result<Vec<(MemoryId, ObservationId)>> {
    let pairs = pairs(reader, &SUPPORTED, agent, memories)?;
    let named: BTreeSet<ObservationId> = pairs.iter().map(|(_, observation)| *observation).collect();
    let held = observations::held_among(reader, agent, &named.into_iter().collect::<Vec<_>>())?;
    Ok(pairs.into_iter().filter(|(_, observation)| held.contains(observation)).collect())
}

/// What memories spoke for at any time, whatever became of it.
pub fn ever_supported(
    reader: &mut Reader,
    agent: AgentId,
    memories: &[MemoryId],
) -> Result<Vec<(MemoryId, ObservationId)>> {
    pairs(reader, &EVER_SUPPORTED, agent, memories)
}

fn pairs(
    reader: &mut Reader,
    statement: &Statement,
    agent: AgentId,
    memories: &[MemoryId],
) -> Result<Vec<(MemoryId, ObservationId)>> {
    let list: Vec<Value> = memories.iter().map(|id| Value::Id(id.id())).collect();
    let pair = |row: Row| {
        let mut fields = row.fields();
        Ok((MemoryId::of(fields.id()?), ObservationId::of(fields.id()?)))
    };
    reader.rows_in(statement, agent, &[], &list)?.into_iter().map(pair).collect()
}

/// What a row says counts no more, wherever it is evidence.
pub fn withdraw(writer: &mut Writer, agent: AgentId, source: SourceRef, now: Time) -> Result<()> {
    let statement = match source.sort {
        SourceSort::Memory => &WITHDRAW_MEMORY,
        SourceSort::Lesson => &WITHDRAW_LESSON,
        SourceSort::Reflection => &WITHDRAW_REFLECTION,
        SourceSort::Entity => &WITHDRAW_ENTITY,
    };
    writer.execute(statement, agent, params![source.id, now])?;
    Ok(())
}

/// What one independent source says counts no more. Goes through all evidence: few ask for it.
pub fn withdraw_origin(writer: &mut Writer, agent: AgentId, origin: Origin, now: Time) -> Result<()> {
    writer.execute(&WITHDRAW_ORIGIN, agent, params![Value::Bytes(origin_bytes(&[origin])), now])?;
    Ok(())
}

/// Takes away what it says, and leaves that it was there. The schema refuses unless an erasure is open.
pub fn bury(
    writer: &mut Writer,
    agent: AgentId,
    evidence: &Evidence,
    excerpt_hash: &[u8; 32],
    now: Time,
) -> Result<()> {
    let Evidence { observation, id, source, stance, piece, .. } = evidence;
    writer.execute(&DELETE, agent, params![observation.id(), id.id()])?;
    writer.execute(
        &BURY,
        agent,
        params![
            observation.id(),
            id.id(),
            source.sort.as_str(),
            source.id,
            stance.as_str(),
            piece.at,
            excerpt_hash,
            now
        ],
    )?;
    Ok(())
}

/// How much evidence of an observation was forgotten.
pub fn buried(reader: &mut Reader, agent: AgentId, observation: ObservationId) -> Result<u64> {
    reader.row(&BURIED, agent, params![observation.id()])?.map_or(Ok(0), |row| row.fields().count())
}

fn cells(evidence: &Evidence) -> Vec<Value> {
    let Evidence { source, piece, .. } = evidence;
    let of = |sort: SourceSort| (source.sort == sort).then_some(source.id);
    vec![
        evidence.observation.id().into(),
        evidence.id.id().into(),
        of(SourceSort::Memory).into(),
        of(SourceSort::Lesson).into(),
        of(SourceSort::Reflection).into(),
        of(SourceSort::Entity).into(),
        evidence.stance.as_str().into(),
        piece.weight.into(),
        Value::Bytes(origin_bytes(&piece.origins)),
        evidence.confirms.into(),
        evidence.excerpt.as_str().into(),
        piece.at.into(),
        evidence.created_at.into(),
    ]
}

fn evidence(row: Row) -> Result<Evidence> {
    let mut fields = row.fields();
    let observation = ObservationId::of(fields.id()?);
    let id = EvidenceId::of(fields.id()?);
    let named: [Option<Id>; 4] = [fields.opt_id()?, fields.opt_id()?, fields.opt_id()?, fields.opt_id()?];
    let source = SourceSort::ALL.iter().zip(named).find_map(|(sort, id)| {
        let sort = *sort;
        id.map(|id| SourceRef { sort, id })
    });
    let source = source.ok_or_else(|| damaged("the source of a piece of evidence"))?;
    let stance = Stance::parse(&fields.text()?).map_err(|_| damaged("the stance of a piece of evidence"))?;
    let weight = fields.real()?;
    let origins = origins(&fields.bytes()?)?;
    let confirms = fields.bool()?;
    let excerpt = fields.text()?;
    let piece = Piece { sort: source.sort, origins, weight, at: fields.time()? };
    let created_at = fields.time()?;
    let withdrawn_at = fields.opt_time()?;
    Ok(Evidence { observation, id, source, stance, confirms, excerpt, piece, created_at, withdrawn_at })
}
