//! Acts of forgetting, the tombstones they leave, and their proofs.
//!
//! The schema refuses to delete or change what must be kept, except inside a transaction in which an erasure of that
//! agent is open. [`erase`] opens one, does the work and closes it: an open erasure is never committed.

use crate::db::{Reader, Writer};
use crate::error::{Result, StoreError};
use crate::statement::statements;
use crate::value::{Row, Value, params};
use crate::words;
use selfsame_core::id::{AgentId, ErasureId, Id};
use selfsame_core::seal::{hex, unhex};
use selfsame_core::time::Time;
use std::collections::{BTreeMap, BTreeSet};

macro_rules! proof_columns {
    () => {
        "agent_id, erasure_id, at, actor, how, removed, rewritten, items_hash"
    };
}

statements! {
    agent OPEN = "INSERT INTO erasures (agent_id, id, reason, erased, at, open) VALUES ($1, $2, $3, 0, $4, TRUE)";
    agent CLOSE = "UPDATE erasures SET open = FALSE, erased = $3 WHERE agent_id = $1 AND id = $2";
    agent IS_DONE = "SELECT COUNT(*) FROM erasures WHERE agent_id = $1 AND id = $2";
    agent BURY = "INSERT INTO tombstones (agent_id, item_id, kind, erasure_id, words_hash)
        VALUES {rows: $1, ?, ?, ?, ?} ON CONFLICT (agent_id, item_id) DO NOTHING";
    agent IS_BURIED = "SELECT COUNT(*) FROM tombstones WHERE agent_id = $1 AND item_id = $2";
    agent UNDER = "SELECT kind, item_id, words_hash FROM tombstones WHERE agent_id = $1 AND erasure_id = $2
        ORDER BY kind, item_id";
    agent LEFT_OPEN = "SELECT COUNT(*) FROM erasures WHERE agent_id = $1 AND open";
    global PROVE = concat!("INSERT INTO erasure_proofs (", proof_columns!(), ")
        VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (agent_id, erasure_id) DO NOTHING");
    global PROOF = concat!("SELECT ", proof_columns!(), " FROM erasure_proofs WHERE erasure_id = $1");
    global PROOFS = concat!("SELECT ", proof_columns!(), " FROM erasure_proofs WHERE agent_id = $1
        ORDER BY at DESC, erasure_id DESC LIMIT $2");
    global ALL_PROOFS = concat!("SELECT ", proof_columns!(), " FROM erasure_proofs ORDER BY at, erasure_id");
}

/// One act of forgetting.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Erasure {
    /// Its id.
    pub id: ErasureId,
    /// Whose.
    pub agent: AgentId,
    /// Why, in a word of ours; never content.
    pub reason: String,
    /// When.
    pub at: Time,
}

/// Something that was erased: what kind of row, its id, and a keyed hash of what it said.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Buried {
    /// What kind of row.
    pub kind: String,
    /// Which.
    pub item: Id,
    /// What it said, hashed; none if that could not be known.
    pub words_hash: Option<Vec<u8>>,
}

/// What stayed of one kind with other words, or none. What an older database still has of it is cut again by its id.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reworded {
    /// These.
    Which(BTreeSet<Id>),
    /// So many: what was kept of acts before their ids were.
    Number(u64),
}

impl Reworded {
    /// How many.
    pub fn count(&self) -> u64 {
        match self {
            Reworded::Which(ids) => ids.len() as u64,
            Reworded::Number(number) => *number,
        }
    }

    /// Which, as far as it is known.
    pub fn ids(&self) -> impl Iterator<Item = Id> + '_ {
        let ids = match self {
            Reworded::Which(ids) => Some(ids),
            Reworded::Number(_) => None,
        };
        ids.into_iter().flatten().copied()
    }
}

/// By kind, as it is written down.
pub fn reworded_to_json(reworded: &BTreeMap<String, Reworded>) -> serde_json::Value {
    let one = |reworded: &Reworded| match reworded {
        Reworded::Which(ids) => ids.iter().map(|id| hex(&id.bytes())).collect::<serde_json::Value>(),
        Reworded::Number(number) => (*number).into(),
    };
    reworded.iter().map(|(kind, reworded)| (kind.clone(), one(reworded))).collect()
}

/// The same, as it was written.
pub fn reworded_from_json(written: &serde_json::Value) -> Option<BTreeMap<String, Reworded>> {
    let id = |id: &serde_json::Value| Some(Id::from_bytes(unhex(id.as_str()?)?.try_into().ok()?));
    let one = |reworded: &serde_json::Value| match reworded.as_array() {
        Some(ids) => Some(Reworded::Which(ids.iter().map(id).collect::<Option<_>>()?)),
        None => reworded.as_u64().map(Reworded::Number),
    };
    written.as_object()?.iter().map(|(kind, reworded)| Some((kind.clone(), one(reworded)?))).collect()
}

/// What an act of forgetting took away.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proof {
    /// Whose.
    pub agent: AgentId,
    /// The act.
    pub erasure: ErasureId,
    /// When.
    pub at: Time,
    /// By whom.
    pub actor: String,
    /// What it was named by.
    pub how: String,
    /// How many of each kind went.
    pub removed: BTreeMap<String, u64>,
    /// What of each kind stayed with other words, or none.
    pub rewritten: BTreeMap<String, Reworded>,
    /// Keyed, over all that went.
    pub items_hash: Vec<u8>,
}

/// Opens the erasure, lets `work` delete, buries what it names, closes.
pub fn erase(
    writer: &mut Writer,
    erasure: &Erasure,
    work: impl FnOnce(&mut Writer) -> Result<Vec<Buried>>,
) -> Result<usize> {
    let Erasure { id, agent, reason, at } = erasure;
    writer.execute(&OPEN, *agent, params![id.id(), reason, *at])?;
    let buried = work(writer)?;
    let tombstone = |one: &Buried| {
        vec![one.item.into(), one.kind.as_str().into(), id.id().into(), one.words_hash.as_deref().into()]
    };
    writer.insert_all(&BURY, *agent, &buried.iter().map(tombstone).collect::<Vec<_>>())?;
    writer.execute(&CLOSE, *agent, params![id.id(), buried.len() as i64])?;
    Ok(buried.len())
}

/// Opens the erasure and deletes every row of the agent, the erasure's own included; says how many of each table.
pub fn erase_agent(writer: &mut Writer, erasure: &Erasure) -> Result<BTreeMap<String, u64>> {
    let Erasure { id, agent, reason, at } = erasure;
    writer.execute(&OPEN, *agent, params![id.id(), reason, *at])?;
    let gone = words::wipe(writer, *agent)?;
    // The act that was opened for it is nothing that was forgotten.
    let counted = gone.into_iter().map(|(table, count)| match table {
        "erasures" => (table, count - 1),
        _ => (table, count),
    });
    Ok(counted.filter(|(_, count)| *count > 0).map(|(table, count)| (table.to_owned(), count)).collect())
}

/// Whether something of that id was here and was forgotten.
pub fn is_buried(reader: &mut Reader, agent: AgentId, item: Id) -> Result<bool> {
    let row = reader.row(&IS_BURIED, agent, params![item])?;
    Ok(row.map(|row| row.fields().count()).transpose()?.is_some_and(|count| count > 0))
}

/// Whether an act was done here.
pub fn is_done(reader: &mut Reader, agent: AgentId, erasure: ErasureId) -> Result<bool> {
    let row = reader.row(&IS_DONE, agent, params![erasure.id()])?;
    Ok(row.map(|row| row.fields().count()).transpose()?.is_some_and(|count| count > 0))
}

/// What went by an act.
pub fn under(reader: &mut Reader, agent: AgentId, erasure: ErasureId) -> Result<Vec<Buried>> {
    let one = |row: Row| {
        let mut fields = row.fields();
        Ok(Buried { kind: fields.text()?, item: fields.id()?, words_hash: fields.opt_bytes()? })
    };
    reader.rows(&UNDER, agent, params![erasure.id()])?.into_iter().map(one).collect()
}

/// Erasures that somebody committed open, against the rule; zero, or the guards stand aside.
pub fn left_open(reader: &mut Reader, agent: AgentId) -> Result<u64> {
    reader.row(&LEFT_OPEN, agent, &[])?.map_or(Ok(0), |row| row.fields().count())
}

/// Keeps a proof.
pub fn prove(writer: &mut Writer, proof: &Proof) -> Result<()> {
    let Proof { agent, erasure, at, actor, how, removed, rewritten, items_hash } = proof;
    let bound = params![
        agent.id(),
        erasure.id(),
        *at,
        actor,
        how,
        Value::Json(serde_json::json!(removed).to_string()),
        Value::Json(reworded_to_json(rewritten).to_string()),
        items_hash.as_slice()
    ];
    writer.global_execute(&PROVE, bound).map(drop)
}

/// The proof of an act.
pub fn proof(reader: &mut Reader, erasure: ErasureId) -> Result<Option<Proof>> {
    reader.global_rows(&PROOF, params![erasure.id()])?.into_iter().next().map(proven).transpose()
}

/// The proofs of an agent's acts, the newest first.
pub fn proofs(reader: &mut Reader, agent: AgentId, limit: i64) -> Result<Vec<Proof>> {
    reader.global_rows(&PROOFS, params![agent.id(), limit])?.into_iter().map(proven).collect()
}

/// Every proof, the oldest first.
pub fn all_proofs(reader: &mut Reader) -> Result<Vec<Proof>> {
    reader.global_rows(&ALL_PROOFS, &[])?.into_iter().map(proven).collect()
}

fn proven(row: Row) -> Result<Proof> {
    let unread = || StoreError::Damaged("the counts of an erasure cannot be read".into());
    let counts = |text: String| serde_json::from_str(&text).map_err(|_| unread());
    let reworded = |text: String| {
        let written = serde_json::from_str(&text).ok();
        written.as_ref().and_then(reworded_from_json).ok_or_else(unread)
    };
    let mut fields = row.fields();
    Ok(Proof {
        agent: AgentId::of(fields.id()?),
        erasure: ErasureId::of(fields.id()?),
        at: fields.time()?,
        actor: fields.text()?,
        how: fields.text()?,
        removed: counts(fields.json()?)?,
        rewritten: reworded(fields.json()?)?,
        items_hash: fields.bytes()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_reworded_is_read_as_it_was_written_and_so_is_a_bare_number() {
        let which = Reworded::Which([Id::from_bytes([7; 16]), Id::from_bytes([9; 16])].into());
        let both =
            BTreeMap::from([("title".to_owned(), which.clone()), ("work".to_owned(), Reworded::Number(3))]);
        let written = reworded_to_json(&both);
        assert_eq!(written["work"], 3);
        assert_eq!(reworded_from_json(&written), Some(both));
        assert_eq!((which.count(), which.ids().count()), (2, 2));
        assert_eq!(reworded_from_json(&serde_json::json!({ "title": ["no id"] })), None);
    }
}
