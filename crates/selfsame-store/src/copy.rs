//! One agent's rows in another store: for what is tried out on a copy, so that nothing of the original changes.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::{Scope, Statement};
use crate::store::Store;
use crate::tables::{TABLES, Table};
use crate::value::{Row, Value};
use selfsame_core::id::AgentId;
use selfsame_core::trust::Caller;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Tables that a copy does without: vectors are large, and belong to models that it does not have.
const LEFT_OUT: [&str; 4] = ["vectors", "vector_codes", "vector_stock", "vector_use"];
/// Tables of no agent of which the agent's own rows go along, by the column that says whose they are.
const GLOBAL: [(&str, &str); 4] = [
    ("agents", "id"),
    ("heartbeats", "agent_id"),
    ("contemplations", "agent_id"),
    ("work_items", "agent_id"),
];

impl Store {
    /// Puts a copy of an agent's rows, all from one moment, into another store that has none of them.
    pub fn copy_agent_to(&self, other: &Store, agent: AgentId) -> Result<()> {
        let own = |table: &&Table| table.agent_column.is_some() && !LEFT_OUT.contains(&table.name);
        let kept = |table: &&Table| own(table) || GLOBAL.iter().any(|(name, _)| *name == table.name);
        let tables: Vec<&'static Table> = TABLES.iter().filter(kept).collect();
        let caller = Caller::agent(None);
        let read = |reader: &mut Reader| {
            tables.iter().map(|table| Ok((*table, rows(reader, table, agent)?))).collect::<Result<Vec<_>>>()
        };
        let all = self.read(&caller, &[agent], read)?;
        other.write(&caller, &[agent], None, |writer| {
            all.iter().try_for_each(|(table, rows)| put(writer, table, agent, rows))
        })
    }
}

fn rows(reader: &mut Reader, table: &'static Table, agent: AgentId) -> Result<Vec<Row>> {
    match GLOBAL.iter().find(|(name, _)| *name == table.name) {
        None => reader.rows(select(table, "agent_id"), agent, &[]),
        Some((_, column)) => reader.global_rows(select(table, column), &[Value::Id(agent.id())]),
    }
}

fn put(writer: &mut Writer, table: &'static Table, agent: AgentId, rows: &[Row]) -> Result<()> {
    let Some(first) = rows.first() else { return Ok(()) };
    let statement = insert(table, first.0.len());
    for Row(values) in rows {
        match statement.scope {
            // The waist binds the agent itself, which is the first column of every table of agents.
            Scope::Agent => writer.execute(statement, agent, &values[1..])?,
            Scope::Global => writer.global_execute(statement, values)?,
        };
    }
    Ok(())
}

fn select(table: &'static Table, column: &str) -> &'static Statement {
    let order = table.key.join(", ");
    made(table, "select", || format!("SELECT * FROM {} WHERE {column} = $1 ORDER BY {order}", table.name))
}

fn insert(table: &'static Table, columns: usize) -> &'static Statement {
    let places: Vec<String> = (1..=columns).map(|place| format!("${place}")).collect();
    made(table, "insert", || format!("INSERT INTO {} VALUES ({})", table.name, places.join(", ")))
}

/// Made from our own list of tables, kept for the life of the program.
fn made(table: &'static Table, sort: &'static str, text: impl FnOnce() -> String) -> &'static Statement {
    static MADE: Mutex<BTreeMap<(&str, &str), &Statement>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry((table.name, sort)).or_insert_with(|| {
        let scope = if table.agent_column.is_some() { Scope::Agent } else { Scope::Global };
        Box::leak(Box::new(Statement::new(table.name, scope, text().leak())))
    })
}
