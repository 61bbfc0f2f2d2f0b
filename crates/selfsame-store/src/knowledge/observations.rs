//! Observations: stored with their seal, read through it; how they stand, and how they came to.

use super::damaged;
use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::provenance::{self, counted_columns};
use crate::statement::statements;
use crate::value::{Fields, Row, Value, params};
use selfsame_core::id::{AgentId, Id, ObservationId};
use selfsame_core::json;
use selfsame_core::kept::{Kept, Spoiled};
use selfsame_core::knowledge::confidence::Components;
use selfsame_core::knowledge::observation::Standing;
use selfsame_core::knowledge::{Observation, ObservationKind, Status, Subject, SubjectType};
use selfsame_core::memory::tags_json;
use selfsame_core::time::Time;
use std::collections::BTreeSet;

macro_rules! columns {
    () => {
        concat!(
            "id, kind, subject_type, subject_id, canonical_key, value, summary, detail, tags, supersedes_observation_id, \
             created_at, phrasing, status, confidence, confidence_components, freshness, revalidation_due_at, \
             support_count, contradiction_weight, operator_confirmed, first_supported_at, last_supported_at, \
             last_contradicted_at, updated_at, ",
            counted_columns!(),
            ", row_hash"
        )
    };
}

statements! {
    agent IS_BARE = "SELECT id FROM knowledge_observations WHERE agent_id = $1 AND id = $2
        AND status NOT IN ('active', 'stale')
        AND NOT EXISTS (SELECT 1 FROM observation_evidence WHERE agent_id = $1 AND observation_id = $2)
        AND NOT EXISTS (SELECT 1 FROM knowledge_observations WHERE agent_id = $1 AND supersedes_observation_id = $2)";
    agent DELETE_CHANGES = "DELETE FROM observation_events WHERE agent_id = $1 AND observation_id = $2";
    agent DELETE_CONFLICTS = "DELETE FROM knowledge_conflicts WHERE agent_id = $1 AND observation_id = $2";
    agent DELETE_MARKS = "DELETE FROM erased_evidence WHERE agent_id = $1 AND observation_id = $2";
    agent DELETE_BARE = "DELETE FROM knowledge_observations WHERE agent_id = $1 AND id = $2";
    agent INSERT = concat!("INSERT INTO knowledge_observations (agent_id, ", columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
            $24, $25, $26, $27, $28, $29, $30, $31, $32)");
    agent STAND = "UPDATE knowledge_observations SET status = $3, confidence = $4, confidence_components = $5,
            freshness = $6, revalidation_due_at = $7, support_count = $8, contradiction_weight = $9,
            operator_confirmed = $10, first_supported_at = $11, last_supported_at = $12, last_contradicted_at = $13,
            updated_at = $14
        WHERE agent_id = $1 AND id = $2";
    agent LEAVE_ALONE = "UPDATE knowledge_observations SET revalidation_due_at = NULL WHERE agent_id = $1 AND id = $2";
    agent PHRASE = "UPDATE knowledge_observations SET phrasing = $3
        WHERE agent_id = $1 AND id = $2 AND phrasing IS NULL";
    agent REWORD = "UPDATE knowledge_observations SET canonical_key = $3, value = $4, summary = $5, detail = NULL,
            phrasing = NULL, tokens = $6, row_hash = $7, tags = $8
        WHERE agent_id = $1 AND id = $2";
    agent BY_ID = concat!("SELECT ", columns!(), " FROM knowledge_observations WHERE agent_id = $1 AND id = $2");
    agent BY_IDS = concat!("SELECT ", columns!(), " FROM knowledge_observations WHERE agent_id = $1 AND id IN ({list})");
    agent HELD_AMONG = "SELECT id FROM knowledge_observations
        WHERE agent_id = $1 AND status IN ('active', 'stale') AND id IN ({list})";
    agent HELD_OF_KEYS = "SELECT canonical_key FROM knowledge_observations
        WHERE agent_id = $1 AND status IN ('active', 'stale') AND canonical_key IN ({list})";
    agent LATEST_OF_KEY = concat!("SELECT ", columns!(), " FROM knowledge_observations
        WHERE agent_id = $1 AND canonical_key = $2 ORDER BY id DESC LIMIT 1");
    agent OF_KEYS = concat!("SELECT ", columns!(), " FROM knowledge_observations
        WHERE agent_id = $1 AND canonical_key IN ({list}) ORDER BY canonical_key, id");
    agent OF_SUBJECT = concat!("SELECT ", columns!(), " FROM knowledge_observations
        WHERE agent_id = $1 AND subject_type = $2 AND subject_id = $3 ORDER BY id DESC LIMIT $4");
    agent HELD_OF_SUBJECT = concat!("SELECT ", columns!(), " FROM knowledge_observations
        WHERE agent_id = $1 AND subject_type = $2 AND subject_id = $3 AND status IN ('active', 'stale')
        ORDER BY id DESC LIMIT $4");
    agent NEWEST = concat!("SELECT ", columns!(), " FROM knowledge_observations WHERE agent_id = $1 AND id < $2
        ORDER BY id DESC LIMIT $3");
    agent SUREST = concat!("SELECT ", columns!(), " FROM knowledge_observations WHERE agent_id = $1
        AND status IN ('active', 'stale') ORDER BY confidence DESC, freshness DESC, id LIMIT $2");
    agent PAGE = concat!("SELECT ", columns!(), " FROM knowledge_observations WHERE agent_id = $1 AND id > $2
        ORDER BY id LIMIT $3");
    agent DUE = concat!("SELECT ", columns!(), " FROM knowledge_observations
        WHERE agent_id = $1 AND revalidation_due_at <= $2 ORDER BY revalidation_due_at, id LIMIT $3");
    agent COUNT = "SELECT status, COUNT(*) FROM knowledge_observations WHERE agent_id = $1 GROUP BY status";
    agent RECORD = "INSERT INTO observation_events (agent_id, observation_id, seq, at, from_status, to_status, confidence,
            reason)
        VALUES {rows: $1, ?, ?, ?, ?, ?, ?, ?}";
    agent EVENTS = "SELECT observation_id, seq, at, from_status, to_status, confidence, reason FROM observation_events
        WHERE agent_id = $1 AND observation_id = $2 ORDER BY seq";
    agent EVENTS_BY = "SELECT observation_id, seq, at, from_status, to_status, confidence, reason FROM observation_events
        WHERE agent_id = $1 AND at <= $2 AND observation_id IN ({list}) ORDER BY observation_id, seq";
}

/// A change of how an observation stands.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// Of which.
    pub observation: ObservationId,
    /// Its place in the order of all.
    pub seq: i64,
    /// When.
    pub at: Time,
    /// How it stood; none: it was formed.
    pub from: Option<Status>,
    /// How it stands.
    pub to: Status,
    /// How far it is believed since.
    pub confidence: f64,
    /// Why, in a word of ours.
    pub reason: String,
}

/// Takes a belief away that is not held and rests on nothing any more, with its history; says whether it did. The schema
/// refuses unless an erasure is open.
pub fn delete_bare(writer: &mut Writer, agent: AgentId, id: ObservationId) -> Result<bool> {
    if writer.row(&IS_BARE, agent, params![id.id()])?.is_none() {
        return Ok(false);
    }
    for statement in [&DELETE_CHANGES, &DELETE_CONFLICTS, &DELETE_MARKS, &DELETE_BARE] {
        writer.execute(statement, agent, params![id.id()])?;
    }
    Ok(true)
}

/// Adds an observation.
pub fn insert(writer: &mut Writer, row: &Kept<Observation>) -> Result<()> {
    let mut bound = params![
        row.id.id(),
        row.kind.as_str(),
        row.subject.sort.as_str(),
        &row.subject.id,
        &row.key,
        &row.value,
        &row.summary,
        row.detail.as_deref(),
        Value::Json(tags_json(&row.tags)),
        row.supersedes.map(ObservationId::id),
        row.created_at,
        row.phrasing.as_deref(),
    ]
    .to_vec();
    bound.extend(standing_values(&row.standing));
    bound.extend(provenance::counted_sealed(row));
    writer.execute(&INSERT, row.agent, &bound)?;
    Ok(())
}

fn standing_values(standing: &Standing) -> [Value; 12] {
    let inputs = &standing.components.inputs;
    [
        standing.status.as_str().into(),
        standing.confidence().into(),
        Value::Json(json::canonical(&standing.components.json())),
        standing.freshness.into(),
        standing.due_at.into(),
        i64::from(inputs.sources).into(),
        inputs.against.into(),
        inputs.confirmed.into(),
        standing.first_supported_at.into(),
        standing.last_supported_at.into(),
        standing.last_contradicted_at.into(),
        standing.updated_at.into(),
    ]
}

/// Stores how an observation stands now.
pub fn stand(writer: &mut Writer, row: &Kept<Observation>) -> Result<()> {
    let bound: Vec<Value> =
        std::iter::once(row.id.id().into()).chain(standing_values(&row.standing)).collect();
    writer.execute(&STAND, row.agent, &bound)?;
    Ok(())
}

/// Sees to it that a damaged row is not looked at again and again.
pub fn leave_alone(writer: &mut Writer, agent: AgentId, id: ObservationId) -> Result<()> {
    writer.execute(&LEAVE_ALONE, agent, params![id.id()])?;
    Ok(())
}

/// A thinker's words for it, if it has none yet; says whether they were taken.
pub fn phrase(writer: &mut Writer, agent: AgentId, id: ObservationId, words: &str) -> Result<bool> {
    Ok(writer.execute(&PHRASE, agent, params![id.id(), words])? > 0)
}

/// Other words for an observation whose own were forgotten. The schema refuses unless an erasure is open.
pub fn reword(writer: &mut Writer, row: &Kept<Observation>) -> Result<()> {
    let tokens = row.tokens.map(i64::from);
    let tags = Value::Json(tags_json(&row.tags));
    let bound = params![row.id.id(), &row.key, &row.value, &row.summary, tokens, row.seal().bytes(), tags];
    writer.execute(&REWORD, row.agent, bound)?;
    Ok(())
}

/// One of them.
pub fn by_id(reader: &mut Reader, agent: AgentId, id: ObservationId) -> Result<Option<Kept<Observation>>> {
    reader.row(&BY_ID, agent, params![id.id()])?.map(|row| believed(agent, row)).transpose()
}

/// What of the asked-for is there, in no order; a damaged one comes as the error that it is.
pub fn by_ids(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[ObservationId],
) -> Result<Vec<Result<Kept<Observation>>>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    Ok(each_believed(agent, reader.rows_in(&BY_IDS, agent, &[], &list)?))
}

/// Which of these are believed.
pub fn held_among(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[ObservationId],
) -> Result<BTreeSet<ObservationId>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    let rows = reader.rows_in(&HELD_AMONG, agent, &[], &list)?;
    rows.into_iter().map(|row| Ok(ObservationId::of(row.fields().id()?))).collect()
}

/// Which of these questions have an answer that is believed.
pub fn held_of_keys(
    reader: &mut Reader,
    agent: AgentId,
    keys: &BTreeSet<String>,
) -> Result<BTreeSet<String>> {
    let list: Vec<Value> = keys.iter().map(|key| key.as_str().into()).collect();
    let rows = reader.rows_in(&HELD_OF_KEYS, agent, &[], &list)?;
    rows.into_iter().map(|row| row.fields().text()).collect()
}

/// The newest answer to a question, however it stands.
pub fn latest_of_key(reader: &mut Reader, agent: AgentId, key: &str) -> Result<Option<Kept<Observation>>> {
    reader.row(&LATEST_OF_KEY, agent, params![key])?.map(|row| believed(agent, row)).transpose()
}

/// Every answer to some questions, of each the first first.
pub fn of_keys(
    reader: &mut Reader,
    agent: AgentId,
    keys: &BTreeSet<String>,
) -> Result<Vec<Result<Kept<Observation>>>> {
    let list: Vec<Value> = keys.iter().map(|key| key.as_str().into()).collect();
    Ok(each_believed(agent, reader.rows_in(&OF_KEYS, agent, &[], &list)?))
}

/// What is believed of a subject, the newest first; what was believed too, if asked for.
pub fn of_subject(
    reader: &mut Reader,
    agent: AgentId,
    subject: &Subject,
    only_held: bool,
    limit: i64,
) -> Result<Vec<Result<Kept<Observation>>>> {
    let statement = if only_held { &HELD_OF_SUBJECT } else { &OF_SUBJECT };
    let rows = reader.rows(statement, agent, params![subject.sort.as_str(), &subject.id, limit])?;
    Ok(each_believed(agent, rows))
}

/// Those before `before`, the newest first, however they stand.
pub fn newest(
    reader: &mut Reader,
    agent: AgentId,
    before: Id,
    limit: i64,
) -> Result<Vec<Result<Kept<Observation>>>> {
    Ok(each_believed(agent, reader.rows(&NEWEST, agent, params![before, limit])?))
}

/// What is believed, the surest first.
pub fn surest(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<Result<Kept<Observation>>>> {
    Ok(each_believed(agent, reader.rows(&SUREST, agent, params![limit])?))
}

/// The next after `after`, in the order of their ids; a damaged one comes as the error that it is.
pub fn page(
    reader: &mut Reader,
    agent: AgentId,
    after: ObservationId,
    limit: i64,
) -> Result<Vec<Result<Kept<Observation>>>> {
    Ok(each_believed(agent, reader.rows(&PAGE, agent, params![after.id(), limit])?))
}

/// Those that have to be looked at, the longest due first.
pub fn due(
    reader: &mut Reader,
    agent: AgentId,
    now: Time,
    limit: i64,
) -> Result<Vec<Result<Kept<Observation>>>> {
    Ok(each_believed(agent, reader.rows(&DUE, agent, params![now, limit])?))
}

/// How many there are, by how they stand.
pub fn count(reader: &mut Reader, agent: AgentId) -> Result<Vec<(Status, u64)>> {
    let counted = |row: Row| {
        let mut fields = row.fields();
        let status = Status::parse(&fields.text()?).map_err(|_| damaged("the status of an observation"))?;
        Ok((status, fields.count()?))
    };
    reader.rows(&COUNT, agent, &[])?.into_iter().map(counted).collect()
}

/// Notes changes.
pub fn record(writer: &mut Writer, agent: AgentId, changes: &[Change]) -> Result<()> {
    let cells = |change: &Change| {
        vec![
            change.observation.id().into(),
            change.seq.into(),
            change.at.into(),
            change.from.map(Status::as_str).into(),
            change.to.as_str().into(),
            change.confidence.into(),
            change.reason.as_str().into(),
        ]
    };
    let rows: Vec<Vec<Value>> = changes.iter().map(cells).collect();
    writer.insert_all(&RECORD, agent, &rows)?;
    Ok(())
}

/// How an observation came to stand as it does, the first change first.
pub fn changes(reader: &mut Reader, agent: AgentId, id: ObservationId) -> Result<Vec<Change>> {
    reader.rows(&EVENTS, agent, params![id.id()])?.into_iter().map(change).collect()
}

/// The changes of several by a moment, each one's first first.
pub fn changes_by(
    reader: &mut Reader,
    agent: AgentId,
    ids: &[ObservationId],
    then: Time,
) -> Result<Vec<Change>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(id.id())).collect();
    reader.rows_in(&EVENTS_BY, agent, params![then], &list)?.into_iter().map(change).collect()
}

fn change(row: Row) -> Result<Change> {
    let unreadable = |_| damaged("the status in the history of an observation");
    let mut fields = row.fields();
    Ok(Change {
        observation: ObservationId::of(fields.id()?),
        seq: fields.int()?,
        at: fields.time()?,
        from: fields.opt_text()?.map(|word| Status::parse(&word)).transpose().map_err(unreadable)?,
        to: Status::parse(&fields.text()?).map_err(unreadable)?,
        confidence: fields.real()?,
        reason: fields.text()?,
    })
}

fn each_believed(agent: AgentId, rows: Vec<Row>) -> Vec<Result<Kept<Observation>>> {
    rows.into_iter().map(|row| believed(agent, row)).collect()
}

fn believed(agent: AgentId, row: Row) -> Result<Kept<Observation>> {
    let mut fields = row.fields();
    let id = ObservationId::of(fields.id()?);
    let spoiled = |what| Spoiled { id: id.id(), name: format!("observation {id}"), what };
    let kind = ObservationKind::parse(&fields.text()?).map_err(|_| spoiled("its kind is unknown"))?;
    let sort = SubjectType::parse(&fields.text()?).map_err(|_| spoiled("its subject is unknown"))?;
    let observation = Observation {
        id,
        agent,
        kind,
        subject: Subject { sort, id: fields.text()? },
        key: fields.text()?,
        value: fields.text()?,
        summary: fields.text()?,
        detail: fields.opt_text()?,
        tags: serde_json::from_str(&fields.json()?).map_err(|_| spoiled("its tags cannot be read"))?,
        supersedes: fields.opt_id()?.map(ObservationId::of),
        created_at: fields.time()?,
        phrasing: fields.opt_text()?,
        standing: standing(&mut fields, spoiled)?,
    };
    provenance::counted_believed(observation, &mut fields)
}

fn standing(fields: &mut Fields, spoiled: impl Fn(&'static str) -> Spoiled) -> Result<Standing> {
    let status = Status::parse(&fields.text()?).map_err(|_| spoiled("its status is unknown"))?;
    // The columns beside the components repeat some of them, for the indexes and for people with a database shell.
    let _confidence = fields.real()?;
    let components =
        Components::parse(&fields.json()?).ok_or_else(|| spoiled("its confidence cannot be read"))?;
    let (freshness, due_at) = (fields.real()?, fields.opt_time()?);
    let (_support, _against, _confirmed) = (fields.int()?, fields.real()?, fields.bool()?);
    Ok(Standing {
        status,
        components,
        freshness,
        due_at,
        first_supported_at: fields.opt_time()?,
        last_supported_at: fields.opt_time()?,
        last_contradicted_at: fields.opt_time()?,
        updated_at: fields.time()?,
    })
}
