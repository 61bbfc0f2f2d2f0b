//! Whom and what an agent knows: the verbs on entities, and who is mentioned in a text.

use crate::error::{Error, Result, StoreResult, check_field, check_limit};
use crate::knowledge::provenance_of_profile;
use crate::mind::Access;
use selfsame_core::entity::{
    Candidate, MAX_ALIASES, MAX_NAME_BYTES, MAX_PROFILE_BYTES, MAX_PROFILE_SOURCES, candidate_names,
    mentioned, name_key,
};
use selfsame_core::event::Act;
use selfsame_core::id::{EntityId, Id, MemoryId, MessageId};
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Provenance};
use selfsame_store::relationships::Relationship;
use selfsame_store::{
    Idempotency, Reader, Replay, StoreError, Writer, conversations, entities, events, memory, mentions,
    messages, relationships, shelves,
};
use std::collections::BTreeSet;

pub use selfsame_core::entity::EntityKind;
pub use selfsame_store::entities::{Entity, Profile};

/// Entities in one answer, at most.
const MAX_LIMIT: usize = 1000;
/// Candidates that an error about an ambiguous name lists.
const SHOWN_CANDIDATES: usize = 8;

/// An entity to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewEntity {
    /// Its first name.
    pub name: String,
    /// What it is.
    pub kind: EntityKind,
    /// Its other names.
    pub aliases: Vec<String>,
}

/// What became of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Added {
    /// The entity.
    pub id: EntityId,
    /// Who else has one of its names.
    pub shares_a_name_with: Vec<EntityId>,
}

/// An entity with its other names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The entity.
    pub entity: Entity,
    /// Its other names, the oldest first.
    pub aliases: Vec<String>,
}

/// An entity with everything that is known of it at once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct EntityCard {
    /// The entity and its names.
    pub known: Known,
    /// Ids that it had before others were merged into it.
    pub former_ids: Vec<EntityId>,
    /// Memories that name it or are about it.
    pub memories: u64,
    /// Messages that name it.
    pub messages: u64,
}

impl Access<'_> {
    /// Makes an entity. Another one may have the same name: the reply says so.
    pub fn entity_add(&self, new: &NewEntity, key: Option<&Idempotency>) -> Result<Added> {
        self.must_be_vouched_for()?;
        let new = &NewEntity {
            kind: new.kind,
            name: self.without_secrets(new.name.clone()),
            aliases: self.without_secrets(new.aliases.clone()),
        };
        check_name("name", &new.name)?;
        check_aliases(&new.aliases)?;
        let now = self.mind.now();
        let id = EntityId::of(self.mind.mint.id(now));
        let agent = self.agent.id;
        let names: Vec<&String> = std::iter::once(&new.name).chain(&new.aliases).collect();
        let keys: BTreeSet<String> = names.iter().map(|name| name_key(name)).collect();
        Ok(self.mind.store.write(&self.caller, &[agent], key, |writer| {
            let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
            let others: BTreeSet<EntityId> =
                entities::by_name_keys(writer, agent, &keys)?.into_values().flatten().collect();
            entities::insert(writer, agent, id, new.kind.as_str(), &new.name, now)?;
            for alias in &new.aliases {
                entities::add_name(writer, agent, id, alias, now)?;
            }
            self.record_entity(writer, now, "added", id)?;
            Ok(Added { id, shares_a_name_with: others.into_iter().collect() })
        })?)
    }

    /// The entities that are still themselves, first seen first.
    pub fn entity_list(
        &self,
        kind: Option<EntityKind>,
        after: Option<EntityId>,
        limit: usize,
    ) -> Result<Vec<Known>> {
        check_limit(limit, MAX_LIMIT)?;
        let after = after.unwrap_or(EntityId::of(Id::NIL));
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let page = entities::page(reader, self.agent.id, kind, after, limit as i64)?;
            self.with_names(reader, page)
        })?)
    }

    /// One entity by its id, a former id, its name or an alias.
    pub fn entity_show(&self, entity: &str) -> Result<EntityCard> {
        let entity = self.find_entity(entity)?;
        let (id, agent) = (entity.id, self.agent.id);
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let family = entities::family(reader, agent, id)?;
            let counts = mentions::counts(reader, agent, &family)?;
            let count = |kind: &str| counts.get(kind).copied().unwrap_or(0);
            let known = self.with_names(reader, vec![entity.clone()])?.remove(0);
            let linked = shelves::shown(reader, agent)?.into_iter().map(|shelf| count(&shelf.as_str()));
            let (memories, messages) = (count("memory") + linked.sum::<u64>(), count("message"));
            Ok(EntityCard { known, former_ids: family[1..].to_vec(), memories, messages })
        })?)
    }

    /// Gives an entity another name.
    pub fn entity_alias(&self, entity: &str, alias: &str, key: Option<&Idempotency>) -> Result<EntityId> {
        self.must_be_vouched_for()?;
        let alias = &*self.masked(alias);
        check_name("alias", alias)?;
        let id = self.find_entity(entity)?.id;
        let now = self.mind.now();
        let written = self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            entities::add_name(writer, self.agent.id, id, alias, now)?;
            self.record_entity(writer, now, "named", id)
        });
        written?;
        Ok(id)
    }

    /// Says who an entity is. What the words were derived from is named by its ids.
    pub fn entity_profile(
        &self,
        entity: &str,
        summary: &str,
        sources: &[String],
        key: Option<&Idempotency>,
    ) -> Result<EntityId> {
        let summary = &*self.masked(summary);
        check_field("text", summary, MAX_PROFILE_BYTES)?;
        let id = self.find_entity(entity)?.id;
        self.check_sources(sources)?;
        let profile =
            Profile { summary: summary.to_owned(), by: self.caller.to_string(), sources: sources.to_vec() };
        let now = self.mind.now();
        self.mind.unread.note(self.agent.id, now);
        let written = self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            entities::set_profile(writer, self.agent.id, id, &profile)?;
            self.record_entity(writer, now, "profiled", id)
        });
        written?;
        Ok(id)
    }

    /// Both entities of a merge as they are today: the one that goes on as a name, and the one that stays.
    pub fn entity_merge_preview(&self, from: &str, into: &str) -> Result<(Entity, Entity)> {
        let (from, into) = (self.find_entity(from)?, self.find_entity(into)?);
        if from.id == into.id {
            return Err(Error::Unfit(format!("{} cannot be merged into itself: name two entities", from.id)));
        }
        match (from.agent_ref, into.agent_ref) {
            (Some(one), Some(other)) if one != other => {
                Err(Error::Unfit(format!("{} and {} stand for two different agents", from.id, into.id)))
            }
            _ => Ok((from, into)),
        }
    }

    /// Two entities turn out to be one. The old id and its names go on as names of the other; what was said of the one,
    /// and how the agent stands to it, counts for the other.
    pub fn entity_merge(&self, from: &str, into: &str, key: Option<&Idempotency>) -> Result<EntityId> {
        let merged = self.entity_merge_preview(from, into);
        let (from, into) = match merged {
            Ok(both) => both,
            // A repetition finds them merged, and its stored reply waiting.
            Err(Error::Unfit(_)) if key.is_some() => {
                let one = self.find_entity(into)?;
                (one.clone(), one)
            }
            Err(error) => return Err(error),
        };
        let now = self.mind.now();
        let agent = self.agent.id;
        let written = self.mind.store.write(&self.caller, &[agent], key, |writer| {
            if from.id == into.id {
                return Err(StoreError::BadValue(format!("{} cannot be merged into itself", from.id)));
            }
            merge_relationships(writer, agent, &from, &into)?;
            entities::merge(writer, agent, &from, &into)?;
            let family = entities::family(writer, agent, into.id)?;
            let interactions = conversations::counted(writer, agent, &family)?;
            relationships::set_count(writer, agent, into.id, interactions as i64)?;
            self.record_entity(writer, now, "merged", from.id)
        });
        written?;
        Ok(into.id)
    }

    /// The entity of that id, name or alias, as it is today.
    pub(crate) fn find_entity(&self, text: &str) -> Result<Entity> {
        let mut found = self.entities_called(text)?;
        match found.len() {
            0 => Err(no_such_entity(text)),
            1 => Ok(found.remove(0)),
            _ => Err(ambiguous(text, &found)),
        }
    }

    fn entities_called(&self, text: &str) -> Result<Vec<Entity>> {
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| match text.parse::<EntityId>() {
            Ok(id) => Ok(entities::survivor(reader, agent, id)?.into_iter().collect()),
            Err(_) => {
                let key = name_key(text);
                // What could not be stored as a name is nobody's.
                if key.is_empty() || key.contains('\0') {
                    return Ok(Vec::new());
                }
                let ids = entities::by_name_keys(reader, agent, &[&key])?.remove(&key).unwrap_or_default();
                entities::by_ids(reader, agent, &ids)
            }
        })?)
    }

    /// A name stands in the agent's mind without whose word it is: so nobody gives one who is not vouched for.
    fn must_be_vouched_for(&self) -> Result<()> {
        match self.caller.author() {
            Author::Tool | Author::Import => Err(Error::Forbidden(
                "what a tool or a file says gives nobody a name: the agent or a principal does".into(),
            )),
            _ => Ok(()),
        }
    }

    /// An entity as the caller may be told of it: where nobody watches, without a profile that nobody vouches for.
    pub(crate) fn as_seen(&self, reader: &mut Reader, mut entity: Entity) -> StoreResult<Entity> {
        if self.caller.is_unattended()
            && let Some(profile) = &entity.profile
            && !provenance_of_profile(reader, self.agent.id, profile)?.is_quotable()
        {
            entity.profile = None;
        }
        Ok(entity)
    }

    fn with_names(
        &self,
        reader: &mut Reader,
        page: Vec<Entity>,
    ) -> std::result::Result<Vec<Known>, StoreError> {
        let ids: Vec<EntityId> = page.iter().map(|entity| entity.id).collect();
        let mut names = entities::names(reader, self.agent.id, &ids)?;
        let known = page.into_iter().map(|entity| {
            let names = names.remove(&entity.id).unwrap_or_default();
            let aliases = names.into_iter().map(|(name, _)| name).filter(|name| *name != entity.name);
            Ok(Known { aliases: aliases.collect(), entity: self.as_seen(reader, entity)? })
        });
        known.collect()
    }

    /// Sources are memories and messages that are there, that the caller may see, and that are not private.
    fn check_sources(&self, sources: &[String]) -> Result<()> {
        if sources.len() > MAX_PROFILE_SOURCES {
            return Err(Error::Unfit(format!(
                "{} sources are more than {MAX_PROFILE_SOURCES}: name the most important",
                sources.len()
            )));
        }
        for source in sources {
            let provenance = self.provenance_of(source)?;
            let visible = provenance.filter(|provenance| provenance.is_visible_to(&self.caller));
            match visible {
                None => return Err(Error::NoSuch { what: "source", id: source.chars().take(64).collect() }),
                Some(provenance) if provenance.is_private() => {
                    return Err(Error::Unfit(format!("{source} is private: a private row feeds no profile")));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    fn provenance_of(&self, source: &str) -> Result<Option<Provenance>> {
        let agent = self.agent.id;
        let read = |reader: &mut Reader| {
            if let Ok(id) = source.parse::<MessageId>() {
                return Ok(messages::by_id(reader, agent, id)?.map(|message| message.provenance));
            }
            match source.parse::<MemoryId>() {
                Ok(id) => Ok(memory::by_id(reader, agent, id)?.map(|memory| memory.provenance)),
                Err(_) => Ok(None),
            }
        };
        Ok(self.mind.store.read(&self.caller, &[agent], read)?)
    }

    fn record_entity(
        &self,
        writer: &mut Writer,
        now: Time,
        act: &'static str,
        id: EntityId,
    ) -> std::result::Result<(), StoreError> {
        let act = Act { act, subject_kind: "entity", subject: id.id() };
        events::record(writer, self.agent.id, now, &[act]).map(drop)
    }
}

/// Who is mentioned in a text. A name that several have mentions each of them.
pub(crate) fn mentioned_in(
    reader: &mut Reader,
    agent: selfsame_core::id::AgentId,
    text: &str,
) -> std::result::Result<Vec<EntityId>, StoreError> {
    let candidates = candidate_names(text);
    let known = entities::by_name_keys(reader, agent, &candidate_keys(&candidates))?;
    Ok(mentioned(&candidates, &known))
}

/// What possible names are looked up by, each once.
pub(crate) fn candidate_keys(candidates: &[Candidate]) -> Vec<&str> {
    let keys: BTreeSet<&str> = candidates.iter().map(|candidate| candidate.key.as_str()).collect();
    keys.into_iter().collect()
}

/// The survivor stands as it stood; if it had not been met, it stands as the other did.
fn merge_relationships(
    writer: &mut Writer,
    agent: selfsame_core::id::AgentId,
    from: &Entity,
    into: &Entity,
) -> std::result::Result<(), StoreError> {
    let found = relationships::of(writer, agent, &[from.id, into.id])?;
    let of = |id: EntityId| found.iter().find(|relationship| relationship.entity == id);
    match (of(from.id), of(into.id)) {
        (Some(old), None) => {
            relationships::insert(writer, agent, &Relationship { entity: into.id, ..old.clone() })
        }
        (Some(old), Some(_)) => relationships::met(writer, agent, into.id, old.last_met_at),
        (None, _) => Ok(()),
    }
}

/// A name that can be told from an id.
pub(crate) fn check_name(field: &'static str, name: &str) -> Result<()> {
    check_field(field, name, MAX_NAME_BYTES)?;
    match name.parse::<EntityId>() {
        Ok(_) => Err(Error::Unfit(format!("{field}: {name:?} has the form of an id; give a name"))),
        Err(_) => Ok(()),
    }
}

fn check_aliases(aliases: &[String]) -> Result<()> {
    if aliases.len() > MAX_ALIASES {
        return Err(Error::Unfit(format!(
            "{} aliases are more than {MAX_ALIASES}: add the others one at a time",
            aliases.len()
        )));
    }
    aliases.iter().try_for_each(|alias| check_name("aliases", alias))
}

fn no_such_entity(text: &str) -> Error {
    let shown: String = text.chars().take(64).collect();
    let id = match text.parse::<EntityId>() {
        Ok(id) => id.to_string(),
        Err(_) => format!("{shown:?}"),
    };
    Error::NoSuch { what: "entity", id }
}

fn ambiguous(text: &str, found: &[Entity]) -> Error {
    let shown: Vec<String> = found
        .iter()
        .take(SHOWN_CANDIDATES)
        .map(|entity| format!("{} ({}, {})", entity.id, entity.name, entity.kind.as_str()))
        .collect();
    let more = match found.len().saturating_sub(SHOWN_CANDIDATES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let text: String = text.chars().take(64).collect();
    Error::Unfit(format!("{text:?} could be {}{more}: name it by its id", shown.join(", ")))
}

impl Replay for Added {
    fn encode(&self) -> String {
        let others: Vec<String> = self.shares_a_name_with.iter().map(ToString::to_string).collect();
        serde_json::json!([self.id.to_string(), others]).to_string()
    }

    fn decode(stored: &str) -> std::result::Result<Added, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (id, others): (String, Vec<String>) = serde_json::from_str(stored).map_err(|_| damaged())?;
        let shares_a_name_with = others
            .iter()
            .map(|id| id.parse())
            .collect::<std::result::Result<_, _>>()
            .map_err(|_| damaged())?;
        Ok(Added { id: id.parse().map_err(|_| damaged())?, shares_a_name_with })
    }
}
