//! Many vectors in minutes, past the store: rows in the order of their keys, the graph built when all are there.

use crate::cloud::{Cloud, DIMENSIONS, item};
use anyhow::{Result, anyhow, bail};
use rusqlite::{Connection, params};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::vector::Code;
use selfsame_store::postings::Kind;
use selfsame_testkit::{Database, Raw};
use std::fmt::Write as _;
use std::io::Write as _;
use std::ops::Range;
use std::path::Path;

/// Vectors sent at a time.
const SENT: usize = 1_000;

/// Some of a cloud's vectors, and whose they are.
#[derive(Clone)]
pub struct Part {
    pub agent: AgentId,
    pub kind: Kind,
    pub places: Range<usize>,
}

impl Part {
    /// Memories of the agent with a number.
    pub fn memories(agent: u8, places: Range<usize>) -> Part {
        Part { agent: AgentId::of(Id::from_bytes([agent; 16])), kind: Kind::Memory, places }
    }
}

/// Into a file that has the tables.
pub fn fill_sqlite(file: &Path, generation: i64, cloud: &Cloud, parts: &[Part]) -> Result<()> {
    let mut connection = Connection::open(file)?;
    connection.execute_batch("PRAGMA synchronous = OFF")?;
    let all = connection.transaction()?;
    {
        let mut vector = all.prepare(
            "INSERT INTO vectors (agent_id, generation, kind, item_id, seq, embedding) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut code = all.prepare(
            "INSERT INTO vector_codes (agent_id, generation, kind, seq, item_id, code) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        let mut stock = all.prepare(
            "INSERT INTO vector_stock (agent_id, generation, kind, seq, live) VALUES (?1, ?2, ?3, ?4, ?4)",
        )?;
        for Part { agent, kind, places } in parts {
            let (agent, kind) = (agent.id().bytes(), kind.as_str());
            for (seq, place) in places.clone().enumerate() {
                let (item, unit, seq) = (item(place).bytes(), cloud.unit(place), seq as i64 + 1);
                let bytes: Vec<u8> = unit.numbers().iter().flat_map(|number| number.to_le_bytes()).collect();
                vector.execute(params![agent, generation, kind, item, seq, bytes])?;
                code.execute(params![agent, generation, kind, seq, item, Code::of(&unit).to_bytes()])?;
            }
            stock.execute(params![agent, generation, kind, places.len() as i64])?;
        }
    }
    all.commit()?;
    connection.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)")?;
    Ok(())
}

/// Into a database that has the tables and the generation.
pub fn fill_postgres(database: &Database, generation: i64, cloud: &Cloud, parts: &[Part]) -> Result<()> {
    let mut owner = database.owner();
    run(&mut owner, &format!("DROP INDEX vectors_graph_{generation}"))?;
    for Part { agent, kind, places } in parts {
        let (agent, kind) = (agent.id(), kind.as_str());
        for some in places.clone().collect::<Vec<_>>().chunks(SENT) {
            let mut lines = String::new();
            for place in some {
                let seq = place - places.start + 1;
                write!(lines, "{}\t{generation}\t{kind}\t{}\t{seq}\t[", hex(agent), hex(item(*place)))?;
                for (at, number) in cloud.unit(*place).numbers().iter().enumerate() {
                    write!(lines, "{}{number}", if at > 0 { "," } else { "" })?;
                }
                lines.push_str("]\n");
            }
            copy(&mut owner, &lines)?;
        }
        let (agent, live) = (hex(agent), places.len());
        run(
            &mut owner,
            &format!("INSERT INTO vector_stock VALUES ('{agent}', {generation}, '{kind}', {live}, {live})"),
        )?;
    }
    build_graph(&mut owner, generation)?;
    run(&mut owner, "ANALYZE vectors").map(drop)
}

/// The graph as the store makes it, of what is there.
fn build_graph(owner: &mut Raw, generation: i64) -> Result<()> {
    run(
        owner,
        &format!(
            "SET maintenance_work_mem = '2GB';
             CREATE INDEX vectors_graph_{generation} ON vectors USING hnsw ((embedding::vector({DIMENSIONS})) vector_cosine_ops)
                WHERE generation = {generation}"
        ),
    )
}

/// Runs statements with the owner's rights.
pub fn run(owner: &mut Raw, sql: &str) -> Result<()> {
    owner.run(sql).map(drop).map_err(|error| anyhow!(error))
}

fn copy(owner: &mut Raw, lines: &str) -> Result<()> {
    let Raw::Postgres(client) = owner else { bail!("only a server copies") };
    let mut writer =
        client.copy_in("COPY vectors (agent_id, generation, kind, item_id, seq, embedding) FROM STDIN")?;
    writer.write_all(lines.as_bytes())?;
    writer.finish()?;
    Ok(())
}

fn hex(id: Id) -> String {
    selfsame_core::seal::hex(&id.bytes())
}
