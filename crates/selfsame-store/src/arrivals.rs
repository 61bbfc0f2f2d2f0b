//! Agents that come from elsewhere, whole: put in one transaction, in the place of such as have nothing yet.

use crate::agents::{self, Agent};
use crate::copy::{Around, Passed, VECTORS, owner_of};
use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::{Scope, Statement, statements};
use crate::store::Store;
use crate::tables::{TABLES, Table};
use crate::value::{Value, params};
use selfsame_core::id::AgentId;
use std::collections::BTreeMap;

statements! {
    agent OPEN = "INSERT INTO erasures (agent_id, id, reason, erased, at, open)
        VALUES ($1, $2, 'another took its place', 0, $3, TRUE)";
    global KEYS_TO = "UPDATE keys SET agent_id = $2, principal_id = $3
        WHERE agent_id = $1 AND principal_id IS NOT NULL";
    global OTHER_KEYS_TO = "UPDATE keys SET agent_id = $2 WHERE agent_id = $1 AND principal_id IS NULL";
    global NO_DUTIES = "DELETE FROM duties WHERE agent_id = $1";
    global NO_REPLIES = "DELETE FROM idempotency WHERE agent_id = $1";
    agent PRINCIPALS = "SELECT COUNT(*) FROM principals WHERE agent_id = $1";
}

/// The tables that hold what somebody said or did. Who has no row in them has nothing yet.
const LIVED: &[&str] = &[
    "memory_items",
    "erasures",
    "relationships",
    "soul_entries",
    "diary_entries",
    "conversations",
    "inbox_candidates",
    "todos",
    "calendar_events",
    "reflections",
    "lessons",
    "knowledge_observations",
    "schedules",
    "nudges",
    "agent_documents",
    "episodes",
    "import_runs",
];

/// Whether an agent was made and nothing else: nobody told it anything, and it serves no one but its operator.
pub fn has_nothing(reader: &mut Reader, agent: AgentId) -> Result<bool> {
    for table in TABLES.iter().filter(|table| LIVED.contains(&table.name)) {
        let mut rows = 0;
        crate::copy::lines_of(reader, table, Some(agent), &mut |_| {
            rows += 1;
            Ok(())
        })?;
        if rows > 0 {
            return Ok(false);
        }
    }
    let principals = reader.row(&PRINCIPALS, agent, &[])?.map_or(Ok(0), |row| row.fields().count())?;
    Ok(principals <= 1)
}

/// Puts agents, all or none, with everything but vectors. An agent of `displaced` (by the name that is wanted) leaves, and
/// its keys open the doors of the one that takes its place. `passed` is told of the rows.
pub fn arrive(
    from: &Store,
    to: &Store,
    agents: &[AgentId],
    displaced: &BTreeMap<String, Agent>,
    passed: &Passed<'_>,
) -> Result<()> {
    let leaving: Vec<AgentId> = displaced.values().map(|agent| agent.id).collect();
    let wanted = |table: &Table| !VECTORS.contains(&table.name);
    let mut step_aside = |writer: &mut Writer| {
        displaced.values().try_for_each(|old| agents::rename(writer, old.id, &old.id.to_string()))
    };
    let mut leave = |writer: &mut Writer| {
        for (name, old) in displaced {
            if let Some(new) = agents::by_name(writer, name)? {
                let (old, new) = (old.id.id(), (new.id.id(), new.operator.id()));
                writer.global_execute(&KEYS_TO, params![old, new.0, new.1])?;
                writer.global_execute(&OTHER_KEYS_TO, params![old, new.0])?;
            }
            remove(writer, old)?;
        }
        Ok(())
    };
    let around = Around { first: &mut step_aside, last: &mut leave, passed };
    from.copy_agents_to(to, agents, &leaving, wanted, around)
}

/// Takes an agent away that has nothing.
fn remove(writer: &mut Writer, old: &Agent) -> Result<()> {
    let agent = old.id;
    writer.execute(&OPEN, agent, params![agent.id(), old.created_at])?;
    writer.global_execute(&NO_DUTIES, params![agent.id()])?;
    writer.global_execute(&NO_REPLIES, params![agent.id()])?;
    let (last, rest): (Vec<&Table>, Vec<&Table>) = TABLES
        .iter()
        .rev()
        .filter(|table| owner_of(table).is_some())
        // What lets the others be deleted goes after them; whom they belong to, last of all.
        .partition(|table| matches!(table.name, "erasures" | "agents"));
    for table in rest.into_iter().chain(last) {
        delete(writer, table, agent)?;
    }
    Ok(())
}

fn delete(writer: &mut Writer, table: &Table, agent: AgentId) -> Result<()> {
    let Some(owner) = owner_of(table) else { return Ok(()) };
    let text = format!("DELETE FROM {} WHERE {owner} = $1", table.name);
    match table.agent_column {
        Some(_) => writer.execute(&Statement::made(table.name, text), agent, &[]).map(drop),
        None => {
            let mut statement = Statement::made(table.name, text);
            statement.scope = Scope::Global;
            writer.global_execute(&statement, &[Value::Id(agent.id())]).map(drop)
        }
    }
}
