//! The waist: what the table files see of a database, whichever it is.
//!
//! A [`Reader`] or [`Writer`] exists only inside a transaction that was opened for certain agents. A statement that
//! touches an agent's rows takes the agent as an argument of its own: the waist checks that the transaction was opened
//! for it and binds it as `$1`, so no query can forget whose rows it wants.

use crate::dialect::{Engine, Graph};
use crate::error::{Result, StoreError};
use crate::news::{self, News};
use crate::postings::Kind;
use crate::shelves;
use crate::statement::{Scope, Statement};
use crate::store::Counters;
use crate::value::{Passing, Row, Value};
use crate::vector_index::Indexes;
use selfsame_core::id::AgentId;
use std::cell::Cell;

/// How an engine speaks the waist.
pub(crate) trait Connection {
    fn engine(&self) -> Engine;
    fn query(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<Vec<Row>>;
    fn execute(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<u64>;

    /// The time that statements may take begins anew. A server counts it for each statement anyway.
    fn begin_anew(&mut self) {}

    /// The names of the columns that a statement gives.
    fn columns(&mut self, statement: &Statement) -> Result<Vec<String>>;

    /// Rows in the order of a graph, which only a server has.
    fn query_graph(&mut self, statement: &Statement, _graph: Graph, _params: &[Value]) -> Result<Vec<Row>> {
        Err(StoreError::Failed(format!("there is no graph for statement {}", statement.name)))
    }

    /// Shows rows while they pass. Where a million are read, keeping each costs more than reading it.
    fn pass(
        &mut self,
        statement: &Statement,
        params: &[Value],
        see: &mut dyn FnMut(&[Passing<'_>]) -> Result<()>,
    ) -> Result<()> {
        for Row(values) in self.query(statement, 1, params)? {
            see(&values.iter().map(Passing::from).collect::<Vec<_>>())?;
        }
        Ok(())
    }
}

/// Lists and rows are sent in chunks of these sizes, so that few different texts have to be prepared.
const CHUNKS: [usize; 9] = [256, 128, 64, 32, 16, 8, 4, 2, 1];

/// A transaction that reads.
pub struct Reader<'t> {
    connection: &'t mut dyn Connection,
    agents: &'t [AgentId],
    counters: &'t Counters,
    /// None where rows are written: what may yet be rolled back must not be seen by others.
    indexes: Option<&'t Indexes>,
    asked: Cell<u64>,
    given: u64,
    /// The shelves that this transaction sees of an agent, once it has looked.
    shelves: Option<(AgentId, Vec<Kind>)>,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(
        connection: &'t mut dyn Connection,
        agents: &'t [AgentId],
        counters: &'t Counters,
    ) -> Reader<'t> {
        Reader { connection, agents, counters, indexes: None, asked: Cell::new(0), given: 0, shelves: None }
    }

    pub(crate) fn with_indexes(self, indexes: &'t Indexes) -> Reader<'t> {
        Reader { indexes: Some(indexes), ..self }
    }

    /// How near vectors are found.
    pub(crate) fn indexes(&self) -> Result<&'t Indexes> {
        self.indexes
            .ok_or_else(|| StoreError::Failed("near vectors are looked for before a write, not in it".into()))
    }

    /// What came by links and may be seen. Where only reading is done it cannot change under way.
    pub(crate) fn shelves(&mut self, agent: AgentId) -> Result<Vec<Kind>> {
        match &self.shelves {
            Some((known, shelves)) if *known == agent && self.indexes.is_some() => Ok(shelves.clone()),
            _ => {
                let shelves = shelves::shown(self, agent)?;
                self.shelves = Some((agent, shelves.clone()));
                Ok(shelves)
            }
        }
    }

    /// Rows of one agent. `params` are `$2` and on: `$1` is the agent.
    pub(crate) fn rows(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        params: &[Value],
    ) -> Result<Vec<Row>> {
        let params = self.bind(statement, Some(agent), params)?;
        let rows = self.connection.query(statement, 1, &params)?;
        self.given += rows.len() as u64;
        Ok(rows)
    }

    /// The names of the columns that a statement gives, without running it.
    pub(crate) fn columns(&mut self, statement: &Statement) -> Result<Vec<String>> {
        self.connection.columns(statement)
    }

    /// The one row of one agent that there is, or none.
    pub(crate) fn row(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        params: &[Value],
    ) -> Result<Option<Row>> {
        Ok(self.rows(statement, agent, params)?.into_iter().next())
    }

    /// Rows of one agent in the order of a graph.
    pub(crate) fn graph_rows(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        graph: Graph,
        params: &[Value],
    ) -> Result<Vec<Row>> {
        let params = self.bind(statement, Some(agent), params)?;
        self.connection.query_graph(statement, graph, &params)
    }

    /// Shows rows of one agent while they pass.
    pub(crate) fn pass(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        params: &[Value],
        see: &mut dyn FnMut(&[Passing<'_>]) -> Result<()>,
    ) -> Result<()> {
        let params = self.bind(statement, Some(agent), params)?;
        self.connection.pass(statement, &params, see)
    }

    /// Rows of one agent for every value of a list, which stands as `{list}` in the text.
    pub(crate) fn rows_in(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        params: &[Value],
        list: &[Value],
    ) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for chunk in list.chunks(CHUNKS[0]) {
            // A list may repeat its last value without changing its meaning: rounding up keeps the texts few.
            let size = *CHUNKS.iter().rev().find(|size| **size >= chunk.len()).unwrap_or(&CHUNKS[0]);
            let padding = std::iter::repeat_n(&chunk[chunk.len() - 1], size - chunk.len());
            let all: Vec<Value> = params.iter().chain(chunk).chain(padding).cloned().collect();
            let bound = self.bind(statement, Some(agent), &all)?;
            rows.extend(self.connection.query(statement, size, &bound)?);
        }
        Ok(rows)
    }

    /// Rows of a global table.
    pub(crate) fn global_rows(&mut self, statement: &Statement, params: &[Value]) -> Result<Vec<Row>> {
        let params = self.bind(statement, None, params)?;
        self.connection.query(statement, 1, &params)
    }

    /// Rows of a global table, or what a statement on them returns, for the values of a list that fits one statement.
    pub(crate) fn global_rows_in(
        &mut self,
        statement: &Statement,
        params: &[Value],
        list: &[Value],
    ) -> Result<Vec<Row>> {
        let Some(last) = list.last() else {
            return Ok(Vec::new());
        };
        let size = *CHUNKS.iter().rev().find(|size| **size >= list.len()).unwrap_or(&CHUNKS[0]);
        let padding = std::iter::repeat_n(last, size.saturating_sub(list.len()));
        let all: Vec<Value> = params.iter().chain(list.iter().take(size)).chain(padding).cloned().collect();
        let bound = self.bind(statement, None, &all)?;
        self.connection.query(statement, size, &bound)
    }

    /// For a transaction that goes through everything, page by page: the limit is meant for one page, not for all.
    pub fn next_page(&mut self) {
        self.connection.begin_anew();
    }

    /// Statements that this transaction has asked so far.
    pub fn asked(&self) -> u64 {
        self.asked.get()
    }

    /// Rows of agents that it was given, one statement at a time; those of lists are not counted.
    pub fn given(&self) -> u64 {
        self.given
    }

    /// Which database this is; for what is said to people, never to choose a query.
    pub fn engine(&self) -> Engine {
        self.connection.engine()
    }

    fn bind(&self, statement: &Statement, agent: Option<AgentId>, params: &[Value]) -> Result<Vec<Value>> {
        self.counters.count_statement();
        self.asked.set(self.asked.get() + 1);
        params.iter().try_for_each(Value::check)?;
        match (statement.scope, agent) {
            (Scope::Agent, Some(agent)) if self.agents.contains(&agent) => {
                Ok(std::iter::once(Value::Id(agent.id())).chain(params.iter().cloned()).collect())
            }
            (Scope::Global, None) => Ok(params.to_vec()),
            (_, Some(agent)) => Err(StoreError::OutsideAgent(agent)),
            (Scope::Agent, None) => {
                Err(StoreError::Failed(format!("statement {} needs an agent", statement.name)))
            }
        }
    }
}

/// A transaction that writes.
pub struct Writer<'t> {
    reader: Reader<'t>,
    actor: &'t str,
    news: Vec<News>,
}

impl<'t> Writer<'t> {
    pub(crate) fn new(reader: Reader<'t>, actor: &'t str) -> Writer<'t> {
        Writer { reader, actor, news: Vec::new() }
    }

    /// Who writes, as the log of events names it.
    pub fn actor(&self) -> &'t str {
        self.actor
    }

    /// Has others told of something, once it is committed.
    pub(crate) fn tell(&mut self, news: News) {
        news::add(&mut self.news, news);
    }

    /// What there will be to tell.
    pub(crate) fn into_news(self) -> Vec<News> {
        self.news
    }

    /// Changes rows of one agent; gives how many.
    pub(crate) fn execute(&mut self, statement: &Statement, agent: AgentId, params: &[Value]) -> Result<u64> {
        let params = self.reader.bind(statement, Some(agent), params)?;
        self.reader.connection.execute(statement, 1, &params)
    }

    /// Changes rows of one agent for every value of a list, which stands as `{list}` in the text.
    pub(crate) fn execute_in(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        params: &[Value],
        list: &[Value],
    ) -> Result<u64> {
        let rows: Vec<&[Value]> = list.iter().map(std::slice::from_ref).collect();
        self.in_chunks(statement, agent, params, &rows)
    }

    /// Inserts many rows of one agent, which stand as `{rows: $1, ?, ?}` in the text.
    pub(crate) fn insert_all(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        rows: &[Vec<Value>],
    ) -> Result<u64> {
        let rows: Vec<&[Value]> = rows.iter().map(Vec::as_slice).collect();
        self.in_chunks(statement, agent, &[], &rows)
    }

    /// Inserts many rows of one agent, and gives what the statement returns; in no order.
    pub(crate) fn insert_all_returning(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        rows: &[Vec<Value>],
    ) -> Result<Vec<Row>> {
        let rows: Vec<&[Value]> = rows.iter().map(Vec::as_slice).collect();
        let mut returned = Vec::with_capacity(rows.len());
        self.each_chunk(statement, agent, &[], &rows, |connection, size, bound| {
            returned.extend(connection.query(statement, size, bound)?);
            Ok(())
        })?;
        Ok(returned)
    }

    /// Changes rows of a global table; gives how many.
    pub(crate) fn global_execute(&mut self, statement: &Statement, params: &[Value]) -> Result<u64> {
        let params = self.reader.bind(statement, None, params)?;
        self.reader.connection.execute(statement, 1, &params)
    }

    fn in_chunks(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        params: &[Value],
        rows: &[&[Value]],
    ) -> Result<u64> {
        let mut changed = 0;
        self.each_chunk(statement, agent, params, rows, |connection, size, bound| {
            changed += connection.execute(statement, size, bound)?;
            Ok(())
        })?;
        Ok(changed)
    }

    fn each_chunk(
        &mut self,
        statement: &Statement,
        agent: AgentId,
        params: &[Value],
        mut rows: &[&[Value]],
        mut send: impl FnMut(&mut dyn Connection, usize, &[Value]) -> Result<()>,
    ) -> Result<()> {
        while !rows.is_empty() {
            let size = *CHUNKS.iter().find(|size| **size <= rows.len()).unwrap_or(&1);
            let (now, later) = rows.split_at(size);
            let all: Vec<Value> = params.iter().chain(now.iter().copied().flatten()).cloned().collect();
            let bound = self.reader.bind(statement, Some(agent), &all)?;
            send(self.reader.connection, size, &bound)?;
            rows = later;
        }
        Ok(())
    }
}

impl<'t> std::ops::Deref for Writer<'t> {
    type Target = Reader<'t>;

    fn deref(&self) -> &Reader<'t> {
        &self.reader
    }
}

impl<'t> std::ops::DerefMut for Writer<'t> {
    fn deref_mut(&mut self) -> &mut Reader<'t> {
        &mut self.reader
    }
}
