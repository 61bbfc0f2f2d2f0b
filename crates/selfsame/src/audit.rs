//! The verb *audit*: the junk meter. It reads and changes nothing.

use crate::error::{Error, Result};
use crate::mind::Access;
use selfsame_core::audit::{Judge, Looked, holds_secret};
use selfsame_core::id::{CandidateId, DiaryId, Id, MemoryId, MessageId, ObservationId};
use selfsame_store::audit::{self, Layer};
use std::collections::BTreeMap;

pub use selfsame_core::audit::Sort;

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Audit {
    /// Memories that were looked at.
    pub memories: u64,
    /// Texts that were looked at in all.
    pub texts: u64,
    /// What was counted, in the order of [`Sort::ALL`].
    pub figures: Vec<Figure>,
}

/// One figure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    /// Of what.
    pub sort: Sort,
    /// How many.
    pub count: u64,
    /// Out of how many.
    pub of: u64,
    /// Which, the oldest first.
    pub ids: Vec<String>,
}

impl Access<'_> {
    /// Looks through everything for what helps nobody. For the agent and its operator.
    pub fn audit(&self) -> Result<Audit> {
        if self.caller.is_unattended() || self.caller.principal_id().is_some() && !self.caller.is_operator() {
            return Err(Error::Forbidden("only the agent and its operator see what it holds in all".into()));
        }
        let (agent, now) = (self.agent.id, self.mind.now());
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let (mut judge, mut found) = (Judge::default(), BTreeMap::<Sort, Vec<String>>::new());
            let (mut memories, mut texts) = (0, 0);
            audit::memories(reader, agent, &mut |seen| {
                memories += 1;
                let looked = Looked {
                    content: &seen.content,
                    created_at: seen.created_at,
                    recalled: seen.recalled,
                    is_stale: matches!(seen.state.as_str(), "stale" | "archived"),
                };
                let mut sorts = judge.judge(&looked, now);
                if holds_secret(&seen.content) {
                    sorts.push(Sort::Secret);
                }
                for sort in sorts {
                    found.entry(sort).or_default().push(MemoryId::of(seen.id).to_string());
                }
            })?;
            for layer in Layer::ALL {
                audit::texts(reader, agent, layer, &mut |id, text| {
                    texts += 1;
                    if holds_secret(text) {
                        found.entry(Sort::Secret).or_default().push(name(layer, id));
                    }
                })?;
            }
            let (unsupported, beliefs) = audit::unsupported(reader, agent)?;
            let named = unsupported.into_iter().map(|id| ObservationId::of(id).to_string());
            found.entry(Sort::Unsupported).or_default().extend(named);
            let texts = texts + memories;
            let figure = |sort: Sort| {
                let ids = found.remove(&sort).unwrap_or_default();
                let of = match sort {
                    Sort::Unsupported => beliefs,
                    Sort::Secret => texts,
                    _ => memories,
                };
                Figure { sort, count: ids.len() as u64, of, ids }
            };
            Ok(Audit { memories, texts, figures: Sort::ALL.map(figure).into() })
        })?)
    }
}

fn name(layer: Layer, id: Id) -> String {
    match layer {
        Layer::Messages => MessageId::of(id).to_string(),
        Layer::Diary => DiaryId::of(id).to_string(),
        Layer::Inbox => CandidateId::of(id).to_string(),
    }
}
