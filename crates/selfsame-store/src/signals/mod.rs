//! The scans behind the signals: one file of SQL each (`signals/*.sql`), and what is kept so that they can compare.
//!
//! A file's header says what the signal is; its text selects `ref_kind, ref_id, topic_id, label, due_at, status` with
//! named parameters ([`Bounds`]). What a status means that SQL cannot judge (a rung, a mood) is asked of the core.

mod bounds;
pub(crate) mod custom;
mod named;

pub use bounds::Bounds;
pub use custom::{Custom, TIME_LIMIT};

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::{Statement, statements};
use crate::value::{Row, Value, params};
use selfsame_core::heartbeat::ladder::{Ladder, Rung};
use selfsame_core::heartbeat::sentiment::{self, Mood};
use selfsame_core::heartbeat::signal::names;
use selfsame_core::heartbeat::{Finding, RefKind, Signal, header};
use selfsame_core::id::{AgentId, Id, PrincipalId};
use selfsame_core::time::Time;
use std::sync::LazyLock;

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../signals/", $name, ".sql")))),*]
    };
}

/// The files, the most pressing first. What got better since the last act is judged by the mood, which is read before.
static FILES: [(&str, &str); 14] = files![
    "scheduled",
    "deadline",
    "conflict",
    "continuity",
    "stale_monitor",
    "memory_velocity",
    "pending_work",
    "goal_progress",
    "knowledge_gap",
    "decaying",
    "sentiment",
    "positive_delta",
    "relationship",
    "pattern",
];

statements! {
    agent FED = "SELECT id FROM memory_items WHERE agent_id = $1 AND serves_id = $2 ORDER BY created_at LIMIT $3";
    agent FED_SINCE = "SELECT id FROM memory_items WHERE agent_id = $1 AND serves_id = $2 AND created_at > $3 LIMIT $4";
    agent SPOKEN_WITH = "SELECT last_message_at FROM conversations WHERE agent_id = $1 AND principal_id = $2
        AND last_message_at IS NOT NULL ORDER BY last_message_at DESC LIMIT 1";
    agent RUN_IS_ON = "SELECT active_until FROM conversations WHERE agent_id = $1 AND principal_id = $2
        AND active_until > $3 ORDER BY active_until DESC LIMIT 1";
    agent WROTE = "SELECT wrote_at FROM conversations WHERE agent_id = $1 AND principal_id = $2
        AND wrote_at IS NOT NULL ORDER BY wrote_at DESC LIMIT 1";
    agent STATED = "SELECT created_at FROM memory_items WHERE agent_id = $1 AND serves_id = $2
        AND author = 'principal' ORDER BY created_at DESC LIMIT 1";
    agent DROP_MARKS = "DELETE FROM heartbeat_marks WHERE agent_id = $1 AND principal_id = $2";
    agent ADD_MARKS = "INSERT INTO heartbeat_marks (agent_id, principal_id, sort, ref_id, status, at)
        VALUES {rows: $1, ?, ?, ?, ?, ?}";
}

/// One of our own signals, ready to be asked for.
struct BuiltIn {
    signal: Signal,
    statement: Statement,
    /// The parameters after the agent, in the order of their numbers.
    params: Vec<String>,
}

static BUILT_IN: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| FILES.iter().map(built_in).collect());

#[expect(clippy::panic, reason = "the files are part of the program, and a test reads every one")]
fn built_in(&(name, text): &(&'static str, &'static str)) -> BuiltIn {
    let read = header::parse(text).map_err(|bad| bad.to_string()).and_then(|(signal, sql)| {
        let named = named::numbered(sql).map_err(|bad| bad.to_string())?;
        Ok(BuiltIn { signal, statement: Statement::made(name, named.text), params: named.params })
    });
    read.unwrap_or_else(|bad| panic!("signals/{name}.sql: {bad}"))
}

/// The statements of the files, for the catalogue.
pub(crate) fn built_in_statements() -> impl Iterator<Item = &'static Statement> {
    BUILT_IN.iter().map(|built_in| &built_in.statement)
}

/// Our own signals, as their headers declare them.
pub fn built_in_signals() -> impl Iterator<Item = &'static Signal> {
    BUILT_IN.iter().map(|built_in| &built_in.signal)
}

/// What all of our own signals find for a principal, those that find nothing included.
pub fn scan(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    bounds: &Bounds,
) -> Result<Vec<(Signal, Vec<Finding>)>> {
    let mut found = Vec::with_capacity(BUILT_IN.len());
    let mut mood = None;
    for BuiltIn { signal, statement, params } in BUILT_IN.iter() {
        let rows = reader.rows(statement, agent, &bounds.bind(principal, params)?)?;
        let findings = match signal.name.as_str() {
            names::DEADLINE => each(rows, |found| reached(found, &bounds.scans.ladder, bounds.now))?,
            names::SENTIMENT => {
                mood = felt(rows)?;
                mood.map(|mood| of_mood(principal, mood.as_str())).into_iter().collect()
            }
            names::POSITIVE_DELTA => each(rows, |found| recovered(found, mood))?,
            _ => each(rows, Ok)?,
        };
        found.push((signal.clone(), findings));
    }
    Ok(found)
}

/// The findings in rows, as they are read further; some turn out to be none.
fn each<F: Into<Option<Finding>>>(
    rows: Vec<Row>,
    mut read: impl FnMut(Finding) -> Result<F>,
) -> Result<Vec<Finding>> {
    rows.into_iter().map(|row| Ok(read(finding(row)?)?.into())).filter_map(Result::transpose).collect()
}

/// A row as a scan gives it.
fn finding(row: Row) -> Result<Finding> {
    let mut fields = row.fields();
    let kind =
        RefKind::parse(&fields.text()?).map_err(|unknown| StoreError::BadValue(unknown.to_string()))?;
    Ok(Finding {
        kind,
        id: fields.id()?,
        topic: fields.opt_id()?,
        label: fields.opt_text()?.unwrap_or_default(),
        due_at: fields.opt_time()?,
        status: fields.opt_text()?.unwrap_or_default(),
    })
}

/// The rung that a deadline has reached; its row says which was told.
fn reached(found: Finding, ladder: &Ladder, now: Time) -> Result<Option<Finding>> {
    let told = Some(found.status.as_str()).filter(|told| !told.is_empty());
    let told = told.map(Rung::parse).transpose().map_err(|bad| StoreError::Damaged(bad.to_string()))?;
    let rung = found.due_at.and_then(|due_at| ladder.reached(due_at, told, now));
    Ok(rung.map(|rung| Finding { status: ladder.word(rung), ..found }))
}

/// What was felt, as rows say it.
fn felt(rows: Vec<Row>) -> Result<Option<Mood>> {
    let valence = |Row(values): Row| match values.last() {
        Some(Value::Real(valence)) => Ok(*valence),
        _ => Err(StoreError::Damaged("a feeling is no number".into())),
    };
    let felt: Vec<f64> = rows.into_iter().map(valence).collect::<Result<_>>()?;
    Ok(sentiment::mood(&felt))
}

fn of_mood(principal: PrincipalId, status: &str) -> Finding {
    Finding {
        kind: RefKind::Principal,
        id: principal.id(),
        topic: None,
        label: "mood".to_owned(),
        due_at: None,
        status: status.to_owned(),
    }
}

/// Of what got better, a mood only if it was bad and is so no more.
fn recovered(found: Finding, mood: Option<Mood>) -> Result<Option<Finding>> {
    if found.kind != RefKind::Principal {
        return Ok(Some(found));
    }
    let before = Mood::parse(&found.status).map_err(|bad| StoreError::Damaged(bad.to_string()))?;
    let is_over = before.is_bad() && !mood.is_some_and(Mood::is_bad);
    Ok(is_over.then(|| Finding { status: "recovered".to_owned(), ..found }))
}

/// How something stands at an act: what getting better is measured by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark {
    sort: &'static str,
    id: Id,
    status: String,
}

/// What is to be remembered of a scan at an act.
pub fn marks_now(found: &[(Signal, Vec<Finding>)]) -> Vec<Mark> {
    let sort = |signal: &Signal| match signal.name.as_str() {
        names::GOAL_PROGRESS => Some("goal"),
        names::RELATIONSHIP => Some("entity"),
        names::SENTIMENT => Some("sentiment"),
        _ => None,
    };
    let marked = found.iter().filter_map(|(signal, findings)| Some((sort(signal)?, findings)));
    let mark = |sort, finding: &Finding| Mark { sort, id: finding.id, status: finding.status.clone() };
    marked.flat_map(|(sort, findings)| findings.iter().map(move |finding| mark(sort, finding))).collect()
}

/// Keeps the marks of an act in the place of those of the last one.
pub fn keep_marks(
    writer: &mut Writer,
    agent: AgentId,
    principal: PrincipalId,
    marks: &[Mark],
    now: Time,
) -> Result<()> {
    writer.execute(&DROP_MARKS, agent, params![principal.id()])?;
    let row = |mark: &Mark| -> Vec<Value> {
        params![principal.id(), mark.sort, mark.id, mark.status.as_str(), now].to_vec()
    };
    let rows: Vec<Vec<Value>> = marks.iter().map(row).collect();
    writer.insert_all(&ADD_MARKS, agent, &rows).map(drop)
}

/// What is counted of a principal besides signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct StateCounts {
    /// Memories that feed the heartbeat, counted up to what was asked for.
    pub memories: u32,
    /// New ones among them, counted up to a hundred.
    pub new_memories: u32,
    /// When something was last said in a conversation with the principal.
    pub last_message_at: Option<Time>,
    /// The host says that a run is on until then.
    pub host_active_until: Option<Time>,
    /// When the principal last wrote anything.
    pub wrote_at: Option<Time>,
}

/// New memories that are counted, at most.
const MOST_NEW: i64 = 100;

/// Counts what the decision wants to know of a principal: memories up to `enough`, new ones since the bounds say.
pub fn state_counts(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    bounds: &Bounds,
    enough: u32,
) -> Result<StateCounts> {
    let who = principal.id();
    let mut latest = |statement, params: &[Value]| match reader.row(statement, agent, params)? {
        Some(row) => row.fields().opt_time(),
        None => Ok(None),
    };
    let last_message_at = latest(&SPOKEN_WITH, params![who])?;
    let host_active_until = latest(&RUN_IS_ON, params![who, bounds.now])?;
    let wrote_at = latest(&WROTE, params![who])?.max(latest(&STATED, params![who])?);
    let mut count = |statement, params: &[Value]| {
        Ok::<u32, StoreError>(u32::try_from(reader.rows(statement, agent, params)?.len()).unwrap_or(u32::MAX))
    };
    Ok(StateCounts {
        memories: count(&FED, params![who, enough])?,
        new_memories: count(&FED_SINCE, params![who, bounds.since, MOST_NEW])?,
        last_message_at,
        host_active_until,
        wrote_at,
    })
}
