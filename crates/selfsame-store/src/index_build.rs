//! Building an agent's index anew: what version it has, and how a new one begins and ends.
//!
//! While it is built its version is the negative of the one that it will have: whoever finds that goes on after the last
//! item, and whoever finds another version begins from nothing.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::postings::Kind;
use crate::statement::statements;
use crate::value::params;
use selfsame_core::id::{AgentId, Id};
use selfsame_core::text::INDEX_VERSION;

statements! {
    agent VERSION = "SELECT version FROM corpus_stats WHERE agent_id = $1 AND kind = $2";
    agent LAST_ITEM = "SELECT item_id FROM indexed_texts WHERE agent_id = $1 AND kind = $2
        ORDER BY item_id DESC LIMIT 1";
    agent WIPE_POSTINGS = "DELETE FROM postings WHERE agent_id = $1 AND kind = $2";
    agent WIPE_TERMS = "DELETE FROM term_stats WHERE agent_id = $1 AND kind = $2";
    agent WIPE_TEXTS = "DELETE FROM indexed_texts WHERE agent_id = $1 AND kind = $2";
    agent WIPE_THREADS = "DELETE FROM threads WHERE agent_id = $1 AND kind = $2";
    agent WIPE_CORPUS = "DELETE FROM corpus_stats WHERE agent_id = $1 AND kind = $2";
    agent BEGIN = "INSERT INTO corpus_stats (agent_id, kind, docs, words, next_thread, version)
        VALUES ($1, $2, 0, 0, 0, $3)";
    agent FINISH = "UPDATE corpus_stats SET version = $3 WHERE agent_id = $1 AND kind = $2";
}

/// How far the index of a kind is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Built {
    /// Nothing was ever indexed.
    Nothing,
    /// It is of another version.
    Otherwise,
    /// It is being built; this is the last item that is in it.
    UpTo(Id),
    /// It is of this version.
    Whole,
}

/// How far the index of a kind is.
pub fn state(reader: &mut Reader, agent: AgentId, kind: Kind) -> Result<Built> {
    let Some(row) = reader.row(&VERSION, agent, params![kind.as_str()])? else {
        return Ok(Built::Nothing);
    };
    match row.fields().int()? {
        INDEX_VERSION => Ok(Built::Whole),
        version if version == -INDEX_VERSION => {
            let last = reader.row(&LAST_ITEM, agent, params![kind.as_str()])?;
            Ok(Built::UpTo(last.map_or(Ok(Id::NIL), |row| row.fields().id())?))
        }
        _ => Ok(Built::Otherwise),
    }
}

/// Takes away all that the index of a kind has.
pub fn wipe(writer: &mut Writer, agent: AgentId, kind: Kind) -> Result<()> {
    for statement in [&WIPE_POSTINGS, &WIPE_TERMS, &WIPE_TEXTS, &WIPE_THREADS, &WIPE_CORPUS] {
        writer.execute(statement, agent, params![kind.as_str()])?;
    }
    Ok(())
}

/// From now on it is being built.
pub fn begin(writer: &mut Writer, agent: AgentId, kind: Kind) -> Result<()> {
    wipe(writer, agent, kind)?;
    writer.execute(&BEGIN, agent, params![kind.as_str(), -INDEX_VERSION])?;
    Ok(())
}

/// It is whole.
pub fn finish(writer: &mut Writer, agent: AgentId, kind: Kind) -> Result<()> {
    writer.execute(&FINISH, agent, params![kind.as_str(), INDEX_VERSION])?;
    Ok(())
}
