//! One connection: how it is made, what it has prepared, how it speaks the waist.

use super::errors::{about, chain};
use super::values::uuid;
use crate::db::Connection;
use crate::dialect::{self, Engine, Graph};
use crate::error::{Result, StoreError};
use crate::statement::{Form, Statement};
use crate::value::{Row, Value};
use ::postgres::config::Host;
use ::postgres::types::ToSql;
use ::postgres::{Client, Config, NoTls};
use selfsame_core::id::AgentId;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

/// One connection, with the statements it has prepared.
pub(super) struct PgConnection {
    pub(super) client: Client,
    cache: BTreeMap<Arc<str>, ::postgres::Statement>,
}

impl PgConnection {
    pub(super) fn open(config: &Config) -> Result<PgConnection> {
        Ok(PgConnection { client: connect(config)?, cache: BTreeMap::new() })
    }

    pub(super) fn begin(&mut self, begin: &str) -> Result<()> {
        self.client.batch_execute(begin).map_err(StoreError::from)
    }

    /// Writes are serial per agent; several agents are locked in one order, so no two writes wait for each other.
    pub(super) fn lock(&mut self, agents: &[AgentId]) -> Result<()> {
        match agents {
            [] => Ok(()),
            [agent] => {
                let statement = self.prepared(&Arc::from(dialect::LOCK_AGENT))?;
                self.client.query(&statement, &[&Value::Id(agent.id())])?;
                Ok(())
            }
            several => {
                let uuids: Vec<String> = several.iter().map(|agent| uuid(agent.id())).collect();
                Ok(self.client.batch_execute(&dialect::lock_agents(&uuids))?)
            }
        }
    }

    fn query_as(&mut self, statement: &Statement, form: Form, params: &[Value]) -> Result<Vec<Row>> {
        let prepared =
            self.prepared(&statement.sql(Engine::Postgres, form)).map_err(|e| about(statement, e))?;
        let rows = self
            .client
            .query(&prepared, &bound(params))
            .map_err(|e| about(statement, StoreError::from(e)))?;
        rows.iter().map(row).collect()
    }

    fn prepared(&mut self, sql: &Arc<str>) -> Result<::postgres::Statement> {
        if let Some(statement) = self.cache.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client.prepare(sql)?;
        self.cache.insert(Arc::clone(sql), statement.clone());
        Ok(statement)
    }
}

impl Connection for PgConnection {
    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn query(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<Vec<Row>> {
        self.query_as(statement, Form::Times(repeats), params)
    }

    fn columns(&mut self, statement: &Statement) -> Result<Vec<String>> {
        let prepared = self.prepared(&statement.sql(Engine::Postgres, 1)).map_err(|e| about(statement, e))?;
        Ok(prepared.columns().iter().map(|column| column.name().to_owned()).collect())
    }

    fn query_graph(&mut self, statement: &Statement, graph: Graph, params: &[Value]) -> Result<Vec<Row>> {
        self.client.batch_execute(dialect::LOOK_IN_GRAPH)?;
        let rows = self.query_as(statement, Form::Of(graph), params)?;
        self.client.batch_execute(dialect::LOOK_AWAY)?;
        Ok(rows)
    }

    fn execute(&mut self, statement: &Statement, repeats: usize, params: &[Value]) -> Result<u64> {
        let prepared =
            self.prepared(&statement.sql(Engine::Postgres, repeats)).map_err(|e| about(statement, e))?;
        self.client.execute(&prepared, &bound(params)).map_err(|e| about(statement, StoreError::from(e)))
    }
}

pub(super) fn bound(params: &[Value]) -> Vec<&(dyn ToSql + Sync)> {
    params.iter().map(|value| value as &(dyn ToSql + Sync)).collect()
}

fn row(row: &::postgres::Row) -> Result<Row> {
    let values: std::result::Result<Vec<Value>, _> = (0..row.len()).map(|index| row.try_get(index)).collect();
    Ok(Row(values?))
}

pub(super) fn parse(url: &str, setting: &str) -> Result<Config> {
    let mut config: Config = url.parse().map_err(|_| {
        StoreError::Unusable(format!(
            "{setting} is no PostgreSQL address: write postgres://user:password@host:5432/database"
        ))
    })?;
    if config.get_user().is_none() {
        return Err(StoreError::Unusable(format!(
            "{setting} names no role: write postgres://user:password@host:5432/database"
        )));
    }
    config.application_name("selfsame");
    config.connect_timeout(Duration::from_secs(5));
    config.keepalives_idle(Duration::from_secs(10));
    config.tcp_user_timeout(Duration::from_secs(15));
    Ok(config)
}

pub(super) fn connect(config: &Config) -> Result<Client> {
    config.connect(NoTls).map_err(|error| {
        let place: Vec<String> = config.get_hosts().iter().map(host_name).collect();
        StoreError::Unreachable(format!(
            "no connection to PostgreSQL as {:?} at {} ({}): check the address, the password and that the server runs",
            config.get_user().unwrap_or_default(),
            place.join(", "),
            chain(&error)
        ))
    })
}

fn host_name(host: &Host) -> String {
    match host {
        Host::Tcp(name) => name.clone(),
        Host::Unix(path) => path.display().to_string(),
    }
}
