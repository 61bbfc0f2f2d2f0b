//! The scans behind the signals: one file of SQL each (`signals/*.sql`), and what is kept so that they can compare.
//!
//! A file's header says what the signal is; its text selects `ref_kind, ref_id, topic_id, label, due_at, status` with
//! named parameters ([`Bounds`]). What a status means that SQL cannot judge (a rung, a mood) is asked of the core.
//!
//! A scan gives the first `:most` in an order that an index keeps: what is new first, or of what is told once what has
//! waited the longest. So it reads as many rows as it gives, however many there are to find. Where those were told already,
//! `:told_after` looks past them ([`scan_fresh`]).

mod bounds;
pub(crate) mod custom;
mod named;

pub use bounds::Bounds;
pub use custom::{Custom, TIME_LIMIT};

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::{Statement, statements};
use crate::value::{Fields, Row, Value, params};
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
    agent COUNTS = "SELECT
        (SELECT COUNT(*) FROM (SELECT id FROM memory_items WHERE agent_id = $1 AND serves_id = $2
            ORDER BY created_at LIMIT $3) AS fed),
        (SELECT COUNT(*) FROM (SELECT id FROM memory_items WHERE agent_id = $1 AND serves_id = $2
            AND created_at > $4 ORDER BY created_at DESC LIMIT $5) AS fresh),
        (SELECT last_message_at FROM conversations WHERE agent_id = $1 AND principal_id = $2
            AND last_message_at IS NOT NULL ORDER BY last_message_at DESC LIMIT 1),
        (SELECT active_until FROM conversations WHERE agent_id = $1 AND principal_id = $2
            AND active_until > $6 ORDER BY active_until DESC LIMIT 1),
        (SELECT wrote_at FROM conversations WHERE agent_id = $1 AND principal_id = $2
            AND wrote_at IS NOT NULL ORDER BY wrote_at DESC LIMIT 1),
        (SELECT created_at FROM memory_items WHERE agent_id = $1 AND serves_id = $2
            AND author = 'principal' ORDER BY created_at DESC LIMIT 1)";
    agent DROP_MARKS = "DELETE FROM heartbeat_marks WHERE agent_id = $1 AND principal_id = $2";
    agent ADD_MARKS = "INSERT INTO heartbeat_marks (agent_id, principal_id, sort, ref_id, status, at)
        VALUES {rows: $1, ?, ?, ?, ?, ?}";
}

/// A text that looks for something, ready to be asked.
struct Scan {
    statement: Statement,
    /// The parameters after the agent, in the order of their numbers.
    params: Vec<String>,
}

impl Scan {
    #[expect(clippy::panic, reason = "the files are part of the program, and a test reads every one")]
    fn of(name: &'static str, sql: &str) -> Scan {
        let named = named::numbered(sql).unwrap_or_else(|bad| panic!("signals, {name}: {bad}"));
        Scan { statement: Statement::made(name, named.text), params: named.params }
    }

    fn rows(
        &self,
        reader: &mut Reader,
        agent: AgentId,
        principal: PrincipalId,
        bounds: &Bounds,
    ) -> Result<Vec<Row>> {
        reader.rows(&self.statement, agent, &bounds.bind(principal, &self.params)?)
    }
}

/// One of our own signals.
struct BuiltIn {
    signal: Signal,
    sql: &'static str,
    scan: Scan,
}

static BUILT_IN: LazyLock<Vec<BuiltIn>> = LazyLock::new(|| FILES.iter().map(built_in).collect());

#[expect(clippy::panic, reason = "the files are part of the program, and a test reads every one")]
fn built_in(&(name, text): &(&'static str, &'static str)) -> BuiltIn {
    let (signal, sql) = header::parse(text).unwrap_or_else(|bad| panic!("signals/{name}.sql: {bad}"));
    BuiltIn { signal, sql, scan: Scan::of(name, sql) }
}

/// All of them in one text, so that a tick asks once: on a server each question is a journey. The mood is asked alone: its
/// status is a number.
static TOGETHER: LazyLock<Scan> = LazyLock::new(|| {
    let part = |BuiltIn { signal, sql, .. }: &BuiltIn| {
        let name = &signal.name;
        format!(
            "SELECT '{name}' AS signal, ref_kind, ref_id, topic_id, label, due_at, status FROM ({sql}) AS of_{name}"
        )
    };
    let parts: Vec<String> = BUILT_IN.iter().filter(|one| !one.is_mood()).map(part).collect();
    Scan::of("TOGETHER", &parts.join("\nUNION ALL\n"))
});

impl BuiltIn {
    fn is_mood(&self) -> bool {
        self.signal.name == names::SENTIMENT
    }
}

/// The statements of the files, for the catalogue.
pub(crate) fn built_in_statements() -> impl Iterator<Item = &'static Statement> {
    BUILT_IN.iter().map(|built_in| &built_in.scan).chain([&*TOGETHER]).map(|scan| &scan.statement)
}

/// Our own signals, as their headers declare them.
pub fn built_in_signals() -> impl Iterator<Item = &'static Signal> {
    BUILT_IN.iter().map(|built_in| &built_in.signal)
}

/// What all of our own signals find for a principal, those that find nothing included; of each at most as much as is
/// counted.
pub fn scan(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    bounds: &Bounds,
) -> Result<Vec<(Signal, Vec<Finding>)>> {
    let mut mood = None;
    for built_in in BUILT_IN.iter().filter(|one| one.is_mood()) {
        mood = felt(built_in.scan.rows(reader, agent, principal, bounds)?)?;
    }
    let mut found: Vec<(Signal, Vec<Finding>)> =
        BUILT_IN.iter().map(|built_in| (built_in.signal.clone(), Vec::new())).collect();
    for row in TOGETHER.rows(reader, agent, principal, bounds)? {
        let mut fields = row.fields();
        let name = fields.text()?;
        let Some((_, findings)) = found.iter_mut().find(|(signal, _)| signal.name == name) else {
            return Err(StoreError::Failed(format!("{name} is no signal")));
        };
        let one = finding(&mut fields)?;
        findings.extend(match name.as_str() {
            names::DEADLINE => reached(one, &bounds.scans.ladder, bounds.now)?,
            names::POSITIVE_DELTA => recovered(one, mood)?,
            _ => Some(one),
        });
    }
    let of_mood = mood.map(|mood| of_mood(principal, mood.as_str()));
    for (_, findings) in found.iter_mut().filter(|(signal, _)| signal.name == names::SENTIMENT) {
        findings.extend(of_mood.clone());
    }
    Ok(found)
}

/// What one of our own signals finds first of what was not told after a moment. Nothing, where that is no question: what is
/// told once is found no more, and a whole is always one thing.
pub fn scan_fresh(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    bounds: &Bounds,
    signal: &Signal,
    told_after: Time,
) -> Result<Vec<Finding>> {
    let can_look_past = |one: &&BuiltIn| one.scan.params.iter().any(|param| param == "told_after");
    let built_in = BUILT_IN.iter().find(|one| one.signal.name == signal.name).filter(can_look_past);
    let Some(built_in) = built_in else { return Ok(Vec::new()) };
    let rows = built_in.scan.rows(reader, agent, principal, &bounds.without_told_after(told_after))?;
    rows.into_iter().map(|row| finding(&mut row.fields())).collect()
}

/// A row as a scan gives it.
fn finding(fields: &mut Fields) -> Result<Finding> {
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
    let bound = params![principal.id(), enough, bounds.since, MOST_NEW, bounds.now];
    let Some(row) = reader.row(&COUNTS, agent, bound)? else {
        return Err(StoreError::Failed("nothing was counted".into()));
    };
    let mut fields = row.fields();
    Ok(StateCounts {
        memories: fields.count()? as u32,
        new_memories: fields.count()? as u32,
        last_message_at: fields.opt_time()?,
        host_active_until: fields.opt_time()?,
        // In a conversation, or by telling something to keep.
        wrote_at: fields.opt_time()?.max(fields.opt_time()?),
    })
}
