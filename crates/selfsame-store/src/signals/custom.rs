//! Signals of the operator's own: the same header and parameters, over the views that are made for them.
//!
//! They are trusted like code, and still can do no harm: one SELECT in a transaction of its own that can only read, for a
//! limited time. A view of SQLite shows every agent's rows, so what is found is looked up again as the agent's own.

use super::{BUILT_IN, Bounds, finding, named};
use crate::db::Reader;
use crate::error::{Result, StoreError};
use crate::statement::{Statement, statements};
use crate::store::Store;
use crate::value::{Value, params};
use selfsame_core::heartbeat::{Finding, RefKind, Signal, header};
use selfsame_core::id::{AgentId, Id, PrincipalId};
use std::collections::BTreeSet;
use std::time::Duration;

/// How long one of them may take.
pub const TIME_LIMIT: Duration = Duration::from_millis(500);
/// What a scan gives, in this order.
const COLUMNS: [&str; 6] = ["ref_kind", "ref_id", "topic_id", "label", "due_at", "status"];

statements! {
    agent MEMORIES = "SELECT id FROM memory_items WHERE agent_id = $1 AND serves_id = $2 AND id IN ({list})";
    agent SCHEDULES = "SELECT id FROM schedules WHERE agent_id = $1 AND serves_id = $2 AND id IN ({list})";
    agent CONVERSATIONS = "SELECT id FROM conversations WHERE agent_id = $1 AND principal_id = $2 AND id IN ({list})";
    agent TODOS = "SELECT id FROM todos WHERE agent_id = $1 AND COALESCE(principal_id, $3) = $2 AND id IN ({list})";
    agent OBSERVATIONS = "SELECT id FROM knowledge_observations
        WHERE agent_id = $1 AND COALESCE(principal_id, $3) = $2 AND id IN ({list})";
    agent ENTITIES = "SELECT id FROM entities WHERE agent_id = $1 AND id IN ({list})";
}

/// A signal of the operator's own, ready to be asked for.
pub struct Custom {
    /// As its header declares it.
    pub signal: Signal,
    statement: Statement,
    params: Vec<String>,
}

impl Custom {
    /// Reads a file; `name` is the file's, without its ending. The error says what to change.
    pub fn parse(name: &str, text: &str) -> std::result::Result<Custom, String> {
        let (signal, sql) = header::parse(text).map_err(|bad| bad.to_string())?;
        if signal.name != name {
            return Err(format!("the signal is called {:?}: name its file {}.sql", signal.name, signal.name));
        }
        if BUILT_IN.iter().any(|built_in| built_in.signal.name == name) {
            return Err(format!("{name:?} is one of the signals that are always there: choose another name"));
        }
        check_is_one_select(sql)?;
        let numbered = named::numbered(sql).map_err(|bad| bad.to_string())?;
        if !numbered.text.contains("$1") {
            return Err("it does not say whose rows it wants: add `agent_id = :agent`".to_owned());
        }
        let sql = numbered.text.trim_end().trim_end_matches(';').to_owned();
        Ok(Custom { signal, statement: Statement::made("a custom signal", sql), params: numbered.params })
    }
}

/// One statement, and one that reads. That it only reads is the database's to enforce; this is to say so in time.
fn check_is_one_select(sql: &str) -> std::result::Result<(), String> {
    let bare = named::without_quotes_and_comments(sql);
    let bare = bare.trim().trim_end_matches(';');
    let first = bare.split_whitespace().next().unwrap_or_default();
    if bare.contains(';') {
        return Err("it is more than one statement: write one SELECT".to_owned());
    }
    match ["SELECT", "WITH"].iter().any(|word| first.eq_ignore_ascii_case(word)) {
        true => Ok(()),
        false => Err(format!("it begins with {first:?}: write one SELECT")),
    }
}

impl Store {
    /// What a signal of the operator's own finds, or what is wrong with it. It reads in a transaction of its own, so that
    /// a broken one breaks nothing else.
    pub fn scan_custom(
        &self,
        custom: &Custom,
        agent: AgentId,
        principal: PrincipalId,
        bounds: &Bounds,
        limit: Duration,
    ) -> std::result::Result<Vec<Finding>, String> {
        let found = self.read_briefly(&[agent], limit, |reader| {
            check_columns(reader, custom)?;
            let rows = reader.rows(&custom.statement, agent, &bounds.bind(principal, &custom.params)?)?;
            let found: Vec<Finding> =
                rows.into_iter().map(|row| finding(&mut row.fields())).collect::<Result<_>>()?;
            check_owner(reader, agent, principal, bounds.operator, &found)?;
            Ok(found)
        });
        found.map_err(|error| match error {
            StoreError::Damaged(what) | StoreError::Failed(what) | StoreError::Refused(what) => what,
            StoreError::TimedOut => format!("it took longer than {} ms: narrow it down", limit.as_millis()),
            other => other.to_string(),
        })
    }
}

fn check_columns(reader: &mut Reader, custom: &Custom) -> Result<()> {
    let columns = reader.columns(&custom.statement)?;
    if columns.iter().map(String::as_str).eq(COLUMNS) {
        return Ok(());
    }
    Err(StoreError::BadValue(format!(
        "it selects {}: a signal selects {}, in this order",
        columns.join(", "),
        COLUMNS.join(", ")
    )))
}

/// Whatever is found must be the agent's, and this principal's.
fn check_owner(
    reader: &mut Reader,
    agent: AgentId,
    principal: PrincipalId,
    operator: PrincipalId,
    found: &[Finding],
) -> Result<()> {
    let (who, operator) = (principal.id(), operator.id());
    for kind in RefKind::ALL {
        let ids: BTreeSet<Id> = found.iter().filter(|one| one.kind == *kind).map(|one| one.id).collect();
        let owned = match kind {
            RefKind::Memory => owned(reader, &MEMORIES, agent, params![who], &ids)?,
            RefKind::Schedule => owned(reader, &SCHEDULES, agent, params![who], &ids)?,
            RefKind::Conversation => owned(reader, &CONVERSATIONS, agent, params![who], &ids)?,
            RefKind::Todo => owned(reader, &TODOS, agent, params![who, operator], &ids)?,
            RefKind::Observation => owned(reader, &OBSERVATIONS, agent, params![who, operator], &ids)?,
            RefKind::Entity => owned(reader, &ENTITIES, agent, &[], &ids)?,
            RefKind::Principal => ids.iter().copied().filter(|id| *id == who).collect(),
        };
        if ids != owned {
            return Err(StoreError::BadValue(format!(
                "it found a {} that is not this principal's: add `agent_id = :agent` and `principal_id = :principal`",
                kind.as_str()
            )));
        }
    }
    let topics: BTreeSet<Id> = found.iter().filter_map(|one| one.topic).collect();
    match owned(reader, &ENTITIES, agent, &[], &topics)? == topics {
        true => Ok(()),
        false => {
            Err(StoreError::BadValue("topic_id: it found an entity that this agent does not know".into()))
        }
    }
}

/// Which of these are the agent's own.
fn owned(
    reader: &mut Reader,
    statement: &Statement,
    agent: AgentId,
    params: &[Value],
    ids: &BTreeSet<Id>,
) -> Result<BTreeSet<Id>> {
    let list: Vec<Value> = ids.iter().map(|id| Value::Id(*id)).collect();
    reader.rows_in(statement, agent, params, &list)?.into_iter().map(|row| row.fields().id()).collect()
}
