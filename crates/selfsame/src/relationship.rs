//! How the agent stands to whom it has met. The system notes that they met; the rest is the agent's own to say.

use crate::error::{Error, Result, StoreResult, check_limit};
use crate::mind::Access;
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, ChangeId, EntityId, Id, MessageId};
use selfsame_core::kept::Kept;
use selfsame_core::relationship::{Change, FIRST_MET, Standing};
use selfsame_core::seal::sha256;
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Provenance};
use selfsame_store::entities::Entity;
use selfsame_store::{
    Idempotency, Reader, Replay, StoreError, Writer, conversations, entities, events, relationships,
};
use std::collections::BTreeMap;

pub use selfsame_core::relationship::Assignment;
pub use selfsame_store::relationships::Relationship;

/// Relationships in one answer, at most.
const MAX_LIMIT: usize = 1000;

/// How the agent stands to somebody, with whom.
#[derive(Clone, PartialEq, Debug)]
pub struct Related {
    /// To whom.
    pub entity: Entity,
    /// How.
    pub relationship: Relationship,
}

/// How the agent stands to somebody, and how that came to be.
#[derive(Clone, PartialEq, Debug)]
pub struct RelationshipCard {
    /// How it is.
    pub related: Related,
    /// How it came to be, oldest first.
    pub history: Vec<Kept<Change>>,
    /// Changes that were left out because they are damaged.
    pub damaged: Vec<ChangeId>,
}

/// A relationship that was assigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Assigned {
    /// To whom.
    pub entity: EntityId,
    /// The change, in the history.
    pub change: ChangeId,
}

impl Access<'_> {
    /// Says how the agent stands to somebody from now on, and why. Only the agent itself may.
    pub fn assign_relationship(
        &self,
        entity: &str,
        assignment: &Assignment,
        key: Option<&Idempotency>,
    ) -> Result<Assigned> {
        if self.caller.author() != Author::Agent {
            return Err(Error::Forbidden(
                "only the agent itself says how it stands to others: speak as the agent (`selfsame --as agent`, \
                 or a key that speaks as agent)"
                    .into(),
            ));
        }
        let assignment = &self.without_secrets(assignment.clone());
        assignment.check()?;
        let entity = self.find_entity(entity)?;
        self.require_met(&entity)?;
        let now = self.mind.now();
        let id = ChangeId::of(self.mind.mint.id(now));
        let provenance = Provenance::stated(&self.caller, None, selfsame_core::trust::Privacy::Shared);
        let agent = self.agent.id;
        Ok(self.mind.store.write(&self.caller, &[agent], key, |writer| {
            let found = relationships::of(writer, agent, &[entity.id])?.into_iter().next();
            let old = found.ok_or_else(|| StoreError::Refused("the relationship is gone".into()))?;
            let new = assignment.applied_to(&old.standing);
            let change = Change {
                id,
                agent,
                entity: entity.id,
                old: Some(old.standing.clone()),
                new: new.clone(),
                rationale: assignment.rationale.clone(),
                created_at: now,
            };
            relationships::append(writer, &Kept::new(change, provenance.clone()))?;
            let relationship = Relationship {
                standing: new,
                rationale: assignment.rationale.clone(),
                notes: assignment.notes.clone().or_else(|| old.notes.clone()),
                updated_at: now,
                ..old
            };
            relationships::assign(writer, agent, &relationship)?;
            let act = Act { act: "assigned", subject_kind: "relationship", subject: entity.id.id() };
            events::record(writer, agent, now, &[act])?;
            Ok(Assigned { entity: entity.id, change: id })
        })?)
    }

    /// How the agent stands to everybody whom it has met, in the order in which it came to know them.
    pub fn relationship_list(&self, after: Option<EntityId>, limit: usize) -> Result<Vec<Related>> {
        check_limit(limit, MAX_LIMIT)?;
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let mut after = after.unwrap_or(EntityId::of(Id::NIL));
            let mut listed = Vec::new();
            // Whoever was merged into another is listed as that one.
            while listed.len() < limit {
                let page = relationships::page(reader, agent, after, limit as i64)?;
                let Some(last) = page.last() else { break };
                after = last.entity;
                let mut found = entities_of(reader, agent, &page)?;
                for relationship in page {
                    match found.remove(&relationship.entity) {
                        Some(entity) if entity.merged_into.is_none() => {
                            let entity = self.as_seen(reader, entity)?;
                            listed.push(related(reader, agent, entity, relationship)?);
                        }
                        _ => {}
                    }
                }
            }
            listed.truncate(limit);
            Ok(listed)
        })?)
    }

    /// How the agent stands to one of them, and how that came to be.
    pub fn relationship_show(&self, entity: &str) -> Result<RelationshipCard> {
        let entity = self.find_entity(entity)?;
        self.require_met(&entity)?;
        let agent = self.agent.id;
        let card = self.mind.store.read(&self.caller, &[agent], |reader| {
            let Some(relationship) = relationships::of(reader, agent, &[entity.id])?.into_iter().next()
            else {
                return Ok(None);
            };
            let family = entities::family(reader, agent, entity.id)?;
            let (mut history, mut damaged) = (Vec::new(), Vec::new());
            for read in relationships::history(reader, agent, &family)? {
                match read {
                    Ok(change) => history.push(change),
                    Err(StoreError::Spoiled(spoiled)) => damaged.push(ChangeId::of(spoiled.id)),
                    Err(error) => return Err(error),
                }
            }
            history.retain(|change| change.provenance.is_visible_to(&self.caller));
            history.sort_by_key(|change| change.id);
            let entity = self.as_seen(reader, entity.clone())?;
            let related = related(reader, agent, entity, relationship)?;
            Ok(Some(RelationshipCard { related, history, damaged }))
        })?;
        card.ok_or_else(|| not_met(&entity))
    }

    fn require_met(&self, entity: &Entity) -> Result<()> {
        let agent = self.agent.id;
        let found = self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| relationships::of(reader, agent, &[entity.id]))?;
        if found.is_empty() { Err(not_met(entity)) } else { Ok(()) }
    }
}

fn not_met(entity: &Entity) -> Error {
    let name = &entity.name;
    Error::NoSuch {
        what: "relationship",
        id: format!("with {name:?} yet: it begins with the first message that they exchange"),
    }
}

/// With the day on which the first of those who became one was met.
fn related(
    reader: &mut Reader,
    agent: AgentId,
    entity: Entity,
    relationship: Relationship,
) -> StoreResult<Related> {
    let family = entities::family(reader, agent, entity.id)?;
    let met = relationships::of(reader, agent, &family)?.into_iter().map(|one| one.first_met_at).min();
    let first_met_at = met.unwrap_or(relationship.first_met_at);
    Ok(Related { entity, relationship: Relationship { first_met_at, ..relationship } })
}

fn entities_of(
    reader: &mut Reader,
    agent: AgentId,
    page: &[Relationship],
) -> StoreResult<BTreeMap<EntityId, Entity>> {
    let ids: Vec<EntityId> = page.iter().map(|relationship| relationship.entity).collect();
    Ok(entities::by_ids(reader, agent, &ids)?.into_iter().map(|entity| (entity.id, entity)).collect())
}

/// A meeting that has just taken place: a message went from one to the other.
pub(crate) struct Meeting<'m> {
    pub(crate) agent: AgentId,
    pub(crate) message: MessageId,
    pub(crate) at: Time,
    /// What the system may say of it: as trusted as the message.
    pub(crate) provenance: &'m Provenance,
}

/// Notes that the agent met somebody; if for the first time, the relationship begins.
pub(crate) fn meet(writer: &mut Writer, meeting: &Meeting<'_>, entity: EntityId) -> StoreResult<()> {
    let Meeting { agent, message, at, provenance } = *meeting;
    if !relationships::of(writer, agent, &[entity])?.is_empty() {
        return relationships::met(writer, agent, entity, at);
    }
    let first = Relationship {
        entity,
        standing: Standing::first(),
        rationale: FIRST_MET.into(),
        notes: None,
        interactions: 0,
        first_met_at: at,
        last_met_at: at,
        updated_at: at,
    };
    relationships::insert(writer, agent, &first)?;
    let change = Change {
        id: first_change_id(message, entity),
        agent,
        entity,
        old: None,
        new: Standing::first(),
        rationale: FIRST_MET.into(),
        created_at: at,
    };
    relationships::append(writer, &Kept::new(change, provenance.clone()))
}

/// Both have spoken in one more conversation.
pub(crate) fn recount(writer: &mut Writer, agent: AgentId, entity: EntityId) -> StoreResult<()> {
    let family = entities::family(writer, agent, entity)?;
    let interactions = conversations::counted(writer, agent, &family)?;
    relationships::set_count(writer, agent, entity, interactions as i64)
}

/// How many meet at once is known only in the transaction, which may be run again: the id follows from the message.
fn first_change_id(message: MessageId, entity: EntityId) -> ChangeId {
    let mut bytes = message.id().bytes();
    let chance = sha256(&[b"first met", &bytes, &entity.id().bytes()]);
    bytes[9..].copy_from_slice(&chance[..7]);
    ChangeId::of(Id::from_bytes(bytes))
}

impl Replay for Assigned {
    fn encode(&self) -> String {
        format!("[\"{}\",\"{}\"]", self.entity, self.change)
    }

    fn decode(stored: &str) -> StoreResult<Assigned> {
        let damaged = StoreError::unreadable_reply;
        let (entity, change): (String, String) = serde_json::from_str(stored).map_err(|_| damaged())?;
        let entity = entity.parse().map_err(|_| damaged())?;
        Ok(Assigned { entity, change: change.parse().map_err(|_| damaged())? })
    }
}
