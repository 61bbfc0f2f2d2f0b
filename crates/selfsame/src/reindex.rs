//! An index that another version wrote is built anew from its rows, before a mind is ready.
//!
//! Batch by batch, each a transaction that locks the agent: killed anywhere, whoever opens the mind next goes on, and two
//! who open it at the same time share the work.

use crate::error::{Result, StoreResult};
use crate::indexing::page;
use crate::mind::Mind;
use crate::progress::{Count, Unit};
use selfsame_core::id::{AgentId, Id};
use selfsame_core::time::Zone;
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::index_build::{self, Built};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, StoreError, Writer, shelves};

/// Rows in one transaction, at most: others may want to write too.
const BATCH: i64 = 200;

/// What was indexed anew.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Reindexed {
    /// Agents that had such texts.
    pub agents: u64,
    /// Texts.
    pub texts: u64,
}

impl Mind {
    /// Brings the index of every agent to the present version.
    pub(crate) fn reindex(&self) -> Result<Reindexed> {
        let mut reindexed = Reindexed::default();
        let count = self.watch.count_up("building the index", Unit::Texts);
        for agent in self.agents()? {
            let mut texts = 0;
            for kind in self.kinds_behind(&agent)? {
                texts += self.reindex_kind(&agent, kind, &count)?;
            }
            reindexed.agents += u64::from(texts > 0);
            reindexed.texts += texts;
        }
        Ok(reindexed)
    }

    fn kinds_behind(&self, agent: &Agent) -> Result<Vec<Kind>> {
        let caller = Caller::operator(agent.operator);
        Ok(self.store.read(&caller, &[agent.id], |reader| {
            let mut behind = Vec::new();
            for kind in Kind::ALL.into_iter().chain(shelves::all(reader, agent.id)?) {
                if is_behind(reader, agent.id, kind)? {
                    behind.push(kind);
                }
            }
            Ok(behind)
        })?)
    }

    fn reindex_kind(&self, agent: &Agent, kind: Kind, count: &Count) -> Result<u64> {
        let zone = Zone::parse(&agent.zone)?;
        let mut texts = 0;
        let mut passed = Id::NIL;
        loop {
            let batch = self.store.background("reindex", &[agent.id], |writer| {
                build_batch(writer, agent.id, kind, &zone, passed)
            })?;
            let Some(batch) = batch else {
                return Ok(texts);
            };
            texts += batch.texts;
            count.add(batch.texts);
            passed = batch.last;
        }
    }
}

fn is_behind(reader: &mut Reader, agent: AgentId, kind: Kind) -> StoreResult<bool> {
    Ok(match index_build::state(reader, agent, kind)? {
        Built::Whole => false,
        Built::Otherwise | Built::UpTo(_) => true,
        Built::Nothing => !page(reader, agent, kind, Id::NIL, 1)?.is_empty(),
    })
}

/// What one transaction did.
struct Batch {
    texts: u64,
    /// The last row that was looked at, indexed or not.
    last: Id,
}

/// Indexes the next rows; nothing if the index is whole. `passed` are rows that this process has looked at already, for
/// those that are not indexed leave no trace.
fn build_batch(
    writer: &mut Writer,
    agent: AgentId,
    kind: Kind,
    zone: &Zone,
    passed: Id,
) -> StoreResult<Option<Batch>> {
    let after = match index_build::state(writer, agent, kind)? {
        Built::Whole => return Ok(None),
        Built::UpTo(last) => last.max(passed),
        Built::Nothing | Built::Otherwise => {
            index_build::begin(writer, agent, kind)?;
            Id::NIL
        }
    };
    let rows = page(writer, agent, kind, after, BATCH)?;
    if rows.is_empty() {
        index_build::finish(writer, agent, kind)?;
        return Ok(None);
    }
    let mut batch = Batch { texts: 0, last: after };
    for row in rows {
        match row {
            Ok(row) => {
                batch.last = row.id();
                if let Some(text) = row.text(&row.indexed(zone)) {
                    postings::insert(writer, agent, kind, &text)?;
                    batch.texts += 1;
                }
            }
            // Nobody can say what its words are; `verify` names it.
            Err(StoreError::Spoiled(spoiled)) => batch.last = spoiled.id,
            Err(error) => return Err(error),
        }
    }
    Ok(Some(batch))
}
