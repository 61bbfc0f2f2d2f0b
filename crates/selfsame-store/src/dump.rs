//! The whole state as canonical text: the same on both engines for the same history.
//!
//! Tests compare states with it and not only answers, because a forgotten index row changes no answer today.

use crate::db::Reader;
use crate::error::Result;
use crate::statement::{Scope, Statement};
use crate::tables::{TABLES, Table};
use crate::value::Value;
use selfsame_core::id::AgentId;
use selfsame_core::seal::hex;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::{Mutex, PoisonError};

/// Every table's rows in the order of their keys, one line each; of agents' tables, the rows of `agents`.
pub fn dump(reader: &mut Reader, agents: &[AgentId]) -> Result<String> {
    let mut text = String::new();
    for table in TABLES {
        writeln!(text, "[{}]", table.name).unwrap_or_default();
        let mut lines = Vec::new();
        if table.agent_column.is_some() {
            for agent in agents {
                lines.extend(reader.rows(select(table), *agent, &[])?);
            }
        } else {
            lines = reader.global_rows(select(table), &[])?;
        }
        for row in lines {
            let cells: Vec<String> = row.0.iter().map(cell).collect();
            writeln!(text, "{}", cells.join(" | ")).unwrap_or_default();
        }
    }
    Ok(text)
}

/// One spelling for what the engines give back in types of their own.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".into(),
        Value::Int(number) => number.to_string(),
        Value::Real(number) => format!("{number:?}"),
        Value::Bool(yes) => i64::from(*yes).to_string(),
        Value::Text(text) | Value::Json(text) => format!("{text:?}"),
        Value::Bytes(bytes) => hex(bytes),
        Value::Id(id) => hex(&id.bytes()),
        Value::Time(time) => time.micros().to_string(),
        Value::Vector(numbers) => format!("{numbers:?}"),
    }
}

/// The statement that reads a table whole. Built from our own list of tables, kept for the life of the program.
fn select(table: &'static Table) -> &'static Statement {
    static MADE: Mutex<BTreeMap<&str, &Statement>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(table.name).or_insert_with(|| {
        let (scope, filter) = match table.agent_column {
            Some(column) => (Scope::Agent, format!(" WHERE {column} = $1")),
            None => (Scope::Global, String::new()),
        };
        let text = format!("SELECT * FROM {}{filter} ORDER BY {}", table.name, table.key.join(", "));
        Box::leak(Box::new(Statement::new(table.name, scope, text.leak())))
    })
}
