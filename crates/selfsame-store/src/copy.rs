//! Rows on their way out of a store and into one: page by page, table by table, whichever the engines.

use crate::db::{Reader, Writer};
use crate::dialect::Engine;
use crate::error::Result;
use crate::lines::{self, typed};
use crate::schema::{self, Column};
use crate::statement::{Scope, Statement};
use crate::store::Store;
use crate::tables::{TABLES, Table};
use crate::value::{Row, Value};
use crate::vectors;
use selfsame_core::id::AgentId;
use selfsame_core::trust::Caller;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Rows of one page.
const PAGE: usize = 500;

/// Who is told how many rows more have passed. A transaction that is run again passes them again.
pub type Passed<'p> = dyn Fn(u64) + 'p;

/// What is done in the transaction of a copy beside copying.
pub(crate) struct Around<'a> {
    /// Before anything is put.
    pub(crate) first: &'a mut dyn FnMut(&mut Writer) -> Result<()>,
    /// After everything was put.
    pub(crate) last: &'a mut dyn FnMut(&mut Writer) -> Result<()>,
    /// While rows pass.
    pub(crate) passed: &'a Passed<'a>,
}

/// Tables that a copy for a trial does without: vectors are large, and belong to models that it does not have.
pub(crate) const VECTORS: [&str; 4] = ["vectors", "vector_codes", "vector_stock", "vector_use"];

/// Tables of no agent of which the agent's own rows go along, by the column that says whose they are.
const OWNED: [(&str, &str); 4] = [
    ("agents", "id"),
    ("heartbeats", "agent_id"),
    ("contemplations", "agent_id"),
    ("work_items", "agent_id"),
];

/// The column that says whose a row is; none where a table's rows are the house's.
pub fn owner_of(table: &Table) -> Option<&'static str> {
    let owned = || OWNED.iter().find(|(name, _)| *name == table.name).map(|(_, column)| *column);
    table.agent_column.or_else(owned)
}

impl Store {
    /// Puts a copy of an agent's rows, all from one moment, into another store that has none of them.
    pub fn copy_agent_to(&self, other: &Store, agent: AgentId) -> Result<()> {
        let wanted = |table: &Table| !VECTORS.contains(&table.name);
        self.copy_agents_to(
            other,
            &[agent],
            &[],
            wanted,
            Around { first: &mut |_| Ok(()), last: &mut |_| Ok(()), passed: &|_| {} },
        )
    }

    /// Puts a copy of the rows of agents, all from one moment, into another store that has none of them: all or nothing.
    /// The transaction is opened for `others` as well.
    pub(crate) fn copy_agents_to(
        &self,
        other: &Store,
        agents: &[AgentId],
        others: &[AgentId],
        wanted: impl Fn(&Table) -> bool,
        around: Around<'_>,
    ) -> Result<()> {
        let Around { first, last, passed } = around;
        let all: Vec<AgentId> = agents.iter().chain(others).copied().collect();
        let caller = Caller::agent(None);
        self.read(&caller, agents, |reader| {
            other.write(&caller, &all, None, |writer| {
                first(writer)?;
                for table in TABLES.iter().filter(|table| owner_of(table).is_some() && wanted(table)) {
                    for agent in agents {
                        copy_table(reader, writer, table, Some(*agent), passed)?;
                    }
                }
                last(writer)
            })
        })
    }

    /// Puts a copy of the rows that no agent owns, of some tables, into another store that has none of them.
    pub fn copy_house_to(&self, other: &Store, wanted: impl Fn(&Table) -> bool) -> Result<()> {
        self.copy_house_seen(other, wanted, &|_| {})
    }

    /// The same, for somebody who is told how many rows have passed.
    pub(crate) fn copy_house_seen(
        &self,
        other: &Store,
        wanted: impl Fn(&Table) -> bool,
        passed: &Passed<'_>,
    ) -> Result<()> {
        self.system(|reader| {
            other.system_write(|writer| {
                let of_house = TABLES.iter().filter(|table| owner_of(table).is_none() && wanted(table));
                of_house.into_iter().try_for_each(|table| copy_table(reader, writer, table, None, passed))
            })
        })
    }
}

fn copy_table(
    reader: &mut Reader,
    writer: &mut Writer,
    table: &'static Table,
    agent: Option<AgentId>,
    passed: &Passed<'_>,
) -> Result<()> {
    // Each engine finds near vectors in its own way, and only one keeps short forms of them for that.
    let both_keep_codes = (reader.engine(), writer.engine()) == (Engine::Sqlite, Engine::Sqlite);
    if table.name == "vector_codes" && !both_keep_codes {
        return Ok(());
    }
    let columns = columns_of(table);
    pages(reader, table, agent, &mut |rows| {
        passed(rows.len() as u64);
        let rows = rows.into_iter().map(|Row(values)| {
            let typed = values.into_iter().zip(columns).map(|(value, column)| typed(value, column));
            typed.collect::<Result<Vec<Value>>>()
        });
        let columns: Vec<&Column> = columns.iter().collect();
        put(writer, table, agent, &columns, rows.collect::<Result<Vec<_>>>()?)
    })?;
    match (table.name, writer.engine(), agent) {
        // The last of the tables of vectors: now they can be gone through.
        ("vector_stock", Engine::Sqlite, Some(agent)) if !both_keep_codes => {
            vectors::add_codes(writer, agent)
        }
        _ => Ok(()),
    }
}

/// How many rows there are of a table.
pub fn count_of(reader: &mut Reader, table: &'static Table, agent: Option<AgentId>) -> Result<u64> {
    let filter = owner_of(table).map_or(String::new(), |owner| format!(" WHERE {owner} = $1"));
    let statement = made(table, format!("SELECT COUNT(*) FROM {}{filter}", table.name));
    let rows = match (statement.scope, agent) {
        (Scope::Agent, Some(agent)) => reader.rows(statement, agent, &[])?,
        _ => {
            let bound: Vec<Value> = agent.map(|agent| Value::Id(agent.id())).into_iter().collect();
            reader.global_rows(statement, &bound)?
        }
    };
    rows.into_iter().next().map_or(Ok(0), |row| row.fields().count())
}

/// Shows the lines of a table's rows, in the order of their keys; gives how many there were.
pub fn lines_of(
    reader: &mut Reader,
    table: &'static Table,
    agent: Option<AgentId>,
    see: &mut dyn FnMut(&str) -> Result<()>,
) -> Result<u64> {
    let (columns, owner) = (columns_of(table), owner_of(table));
    let mut count = 0;
    pages(reader, table, agent, &mut |rows| {
        for row in rows {
            see(&lines::line(row, columns, owner)?)?;
            count += 1;
        }
        Ok(())
    })?;
    Ok(count)
}

/// Puts the rows of lines that a program of some version wrote. They become the agent's, whatever they say.
pub fn put_lines(
    writer: &mut Writer,
    table: &'static Table,
    version: &schema::Tables,
    agent: AgentId,
    lines: &[String],
) -> Result<()> {
    let owner = owner_of(table);
    let all = version.get(table.name).map_or(&[][..], Vec::as_slice);
    let given: Vec<&Column> = all.iter().filter(|column| owner != Some(column.name.as_str())).collect();
    let mut rows = Vec::with_capacity(lines.len());
    for line in lines {
        let mut row = lines::values(line, &given)?;
        row.insert(0, Value::Id(agent.id()));
        rows.push(row);
    }
    let of_owner = all.iter().filter(|column| owner == Some(column.name.as_str()));
    let columns: Vec<&Column> = of_owner.chain(given).collect();
    put(writer, table, Some(agent), &columns, rows)
}

fn columns_of(table: &Table) -> &'static [Column] {
    schema::present().get(table.name).map_or(&[], Vec::as_slice)
}

/// Shows rows page by page, in the order of their keys.
fn pages(
    reader: &mut Reader,
    table: &'static Table,
    agent: Option<AgentId>,
    see: &mut dyn FnMut(Vec<Row>) -> Result<()>,
) -> Result<()> {
    let columns = columns_of(table);
    let mut after: Vec<Value> = Vec::new();
    loop {
        reader.next_page();
        let statement = select(table, !after.is_empty());
        let bound = match statement.scope {
            Scope::Agent => after.clone(),
            Scope::Global => agent.map(|agent| Value::Id(agent.id())).into_iter().chain(after).collect(),
        };
        let rows = match (statement.scope, agent) {
            (Scope::Agent, Some(agent)) => reader.rows(statement, agent, &bound)?,
            _ => reader.global_rows(statement, &bound)?,
        };
        let Some(last) = rows.last().filter(|_| !rows.is_empty()) else { return Ok(()) };
        after = key_of(table)
            .map(|key| {
                let place = columns.iter().position(|column| column.name == key).unwrap_or_default();
                typed(last.0[place].clone(), &columns[place])
            })
            .collect::<Result<_>>()?;
        let is_last = rows.len() < PAGE || after.is_empty();
        see(rows)?;
        if is_last {
            return Ok(());
        }
    }
}

/// The key, without the column that is the same in all rows that are read.
fn key_of(table: &Table) -> impl Iterator<Item = &'static str> {
    let owner = owner_of(table);
    table.key.iter().copied().filter(move |key| owner != Some(*key))
}

fn select(table: &'static Table, is_next: bool) -> &'static Statement {
    let names: Vec<&str> = columns_of(table).iter().map(|column| column.name.as_str()).collect();
    let keys: Vec<&str> = key_of(table).collect();
    let owner = owner_of(table);
    let first = 1 + usize::from(owner.is_some());
    let places: Vec<String> = (first..).take(keys.len()).map(|place| format!("${place}")).collect();
    let conditions: Vec<String> = owner
        .map(|owner| format!("{owner} = $1"))
        .into_iter()
        .chain(is_next.then(|| format!("({}) > ({})", keys.join(", "), places.join(", "))))
        .collect();
    let filter =
        if conditions.is_empty() { String::new() } else { format!(" WHERE {}", conditions.join(" AND ")) };
    let order = table.key.join(", ");
    let text =
        format!("SELECT {} FROM {}{filter} ORDER BY {order} LIMIT {PAGE}", names.join(", "), table.name);
    made(table, text)
}

fn put(
    writer: &mut Writer,
    table: &'static Table,
    agent: Option<AgentId>,
    columns: &[&Column],
    rows: Vec<Vec<Value>>,
) -> Result<()> {
    writer.next_page();
    let names: Vec<&str> = columns.iter().map(|column| column.name.as_str()).collect();
    if let (Some(agent), Some(owner)) = (agent, table.agent_column) {
        // The waist binds the agent itself, which is the first column of every table of agents.
        debug_assert_eq!(names.first(), Some(&owner));
        let cells = vec!["?"; names.len().saturating_sub(1)];
        let cells = if cells.is_empty() { String::new() } else { format!(", {}", cells.join(", ")) };
        let text = format!("INSERT INTO {} ({}) VALUES {{rows: $1{cells}}}", table.name, names.join(", "));
        let rows: Vec<Vec<Value>> = rows.into_iter().map(|row| row.into_iter().skip(1).collect()).collect();
        return writer.insert_all(made(table, text), agent, &rows).map(drop);
    }
    let places: Vec<String> = (1..=names.len()).map(|place| format!("${place}")).collect();
    let text = format!("INSERT INTO {} ({}) VALUES ({})", table.name, names.join(", "), places.join(", "));
    let statement = made(table, text);
    rows.iter().try_for_each(|row| writer.global_execute(statement, row).map(drop))
}

/// Made from our own list of tables, kept for the life of the program.
fn made(table: &'static Table, text: String) -> &'static Statement {
    static MADE: Mutex<BTreeMap<String, &Statement>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry(text.clone()).or_insert_with(|| {
        let scope = if table.agent_column.is_some() { Scope::Agent } else { Scope::Global };
        Box::leak(Box::new(Statement::new(table.name, scope, text.leak())))
    })
}
