//! What an archive says about itself.

use selfsame_core::id::AgentId;
use selfsame_core::json::canonical;
use selfsame_store::baggage;
use serde_json::{Value, json};

/// The manifest's name in the archive.
pub(super) const NAME: &str = "manifest.json";
/// What it calls itself.
const FORMAT: &str = "selfsame-archive";
/// The version of the form of archives; what is in them is versioned by the schema.
const VERSION: u64 = 1;

/// What is in an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Manifest {
    /// The schema of the program that wrote it.
    pub schema: i64,
    /// Its agents, in the order of their ids.
    pub agents: Vec<Packed>,
}

/// One agent in an archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    /// Its id.
    pub id: AgentId,
    /// Its name.
    pub name: String,
    /// Its tables.
    pub parts: Vec<Part>,
}

/// One table of one agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Part {
    /// The table.
    pub table: String,
    /// Its rows, one a line.
    pub rows: u64,
    /// Its size, unpacked.
    pub bytes: u64,
    /// SHA-256 of it, unpacked.
    pub sha256: String,
}

impl Packed {
    /// The name of a part in the archive.
    pub(super) fn place(&self, table: &str) -> String {
        format!("agents/{}/{table}.jsonl", self.name)
    }

    /// The rows of a table.
    pub fn rows(&self, table: &str) -> u64 {
        self.parts.iter().find(|part| part.table == table).map_or(0, |part| part.rows)
    }
}

impl Manifest {
    /// Rows of a table, of all agents.
    pub fn rows(&self, table: &str) -> u64 {
        self.agents.iter().map(|agent| agent.rows(table)).sum()
    }

    pub(super) fn to_text(&self) -> String {
        let agents: Vec<Value> = self.agents.iter().map(packed_json).collect();
        let left_out: Vec<Value> =
            baggage::LEFT_OUT.iter().map(|(table, why)| json!({ "table": table, "why": why })).collect();
        let value = json!({
            "format": FORMAT,
            "version": VERSION,
            "schema": self.schema,
            "agents": agents,
            "left_out": left_out,
        });
        format!("{}\n", canonical(&value))
    }

    /// Reads a manifest; the words say what is wrong with it. Whatever this program would not have written, in an archive of
    /// its own schema, is refused, so that nothing hides in it.
    pub(super) fn parse(text: &str) -> Result<Manifest, String> {
        let value: Value = serde_json::from_str(text).map_err(|_| "its manifest is no JSON".to_owned())?;
        if value["format"] != FORMAT {
            return Err("its manifest is not that of a Selfsame archive".into());
        }
        match value["version"].as_u64() {
            Some(VERSION) => {}
            Some(newer) if newer > VERSION => {
                return Err(format!(
                    "it has form {newer}, and this program knows {VERSION}: use a newer one"
                ));
            }
            _ => return Err("its manifest has no version that is known".into()),
        }
        let schema = value["schema"].as_i64().ok_or("its manifest names no schema")?;
        let known = selfsame_store::migrate::latest();
        if schema > known {
            return Err(format!(
                "it was written by a newer program (schema {schema}, this one has {known}): use that one"
            ));
        }
        let agents = value["agents"].as_array().ok_or("its manifest has no list of agents")?;
        let agents = agents.iter().map(packed).collect::<Option<Vec<_>>>();
        let manifest = Manifest { schema, agents: agents.ok_or("its manifest has an agent that is none")? };
        if schema == known && manifest.to_text() != text {
            return Err("its manifest is not as this program writes it".into());
        }
        Ok(manifest)
    }
}

fn packed_json(agent: &Packed) -> Value {
    let part = |part: &Part| json!({ "table": part.table, "rows": part.rows, "bytes": part.bytes, "sha256": part.sha256 });
    let parts: Vec<Value> = agent.parts.iter().map(part).collect();
    json!({ "id": agent.id.to_string(), "name": agent.name, "parts": parts })
}

fn packed(value: &Value) -> Option<Packed> {
    let part = |part: &Value| {
        Some(Part {
            table: part["table"].as_str()?.to_owned(),
            rows: part["rows"].as_u64()?,
            bytes: part["bytes"].as_u64()?,
            sha256: part["sha256"].as_str()?.to_owned(),
        })
    };
    Some(Packed {
        id: value["id"].as_str()?.parse().ok()?,
        name: value["name"].as_str()?.to_owned(),
        parts: value["parts"].as_array()?.iter().map(part).collect::<Option<_>>()?,
    })
}
