//! Who is meant by a reading, and which question it answers: turns what a text says into claims.

use super::source::{Source, Speaker};
use crate::entity::mentioned_in;
use crate::error::StoreResult;
use crate::mind::Mind;
use selfsame_core::entity::{EntityKind, name_key};
use selfsame_core::fence;
use selfsame_core::id::{EntityId, PrincipalId};
use selfsame_core::knowledge::claim::{About, Claim, Reader as ReadBy, Reading, in_one_breath};
use selfsame_core::knowledge::key::{Question, segment};
use selfsame_core::knowledge::slot::{self, PREFERENCE, Slot};
use selfsame_core::knowledge::summary::third_person;
use selfsame_core::knowledge::value::value_key;
use selfsame_core::knowledge::{Observation, ObservationKind, Subject, rules, topical};
use selfsame_core::text::terms;
use selfsame_core::time::Time;
use selfsame_store::agents::Agent;
use selfsame_store::entities::{self, Entity};
use selfsame_store::knowledge::{claims, observations, slots};
use selfsame_store::principals::{self, Principal};
use selfsame_store::{Reader, Writer};
use std::collections::{BTreeMap, BTreeSet};

/// Beliefs of one subject that a text may touch, at most: the newest.
const TOUCHED: i64 = 32;
/// Characters of a text that evidence shows, at most.
const EXCERPT: usize = 300;

/// What is known of an agent's people and questions, looked up once for many readings.
pub(crate) struct Desk<'m> {
    mind: &'m Mind,
    agent: &'m Agent,
    principals: Option<Vec<Principal>>,
    slots: Option<Vec<Slot>>,
    named: BTreeMap<String, Option<Entity>>,
}

/// A subject, and what it is called.
struct Meant {
    subject: Subject,
    name: String,
}

impl<'m> Desk<'m> {
    pub(crate) fn new(mind: &'m Mind, agent: &'m Agent) -> Desk<'m> {
        Desk { mind, agent, principals: None, slots: None, named: BTreeMap::new() }
    }

    /// What a source says, as far as the rules can read it.
    pub(crate) fn claims(&mut self, writer: &mut Writer, source: &Source) -> StoreResult<Vec<Claim>> {
        let mut claims: Vec<Claim> = Vec::new();
        // What is quoted is not said here: what the agent was told from its own memory least of all.
        for reading in rules::read(&fence::strip(&source.text)) {
            if let Some(claim) = self.claim(writer, source, &reading, ReadBy::Rules)?
                && !claims.contains(&claim)
            {
                claims.push(claim);
            }
        }
        Ok(in_one_breath(claims))
    }

    /// One reading as a claim, if it is known who is meant.
    pub(crate) fn claim(
        &mut self,
        writer: &mut Writer,
        source: &Source,
        reading: &Reading,
        reader: ReadBy,
    ) -> StoreResult<Option<Claim>> {
        let Some(meant) = self.meant(writer, source, &reading.about)? else {
            return Ok(None);
        };
        let value = value_key(&reading.value);
        if value.is_empty() {
            return Ok(None);
        }
        let kind = meant.subject.kind(reading.kind);
        let now = source.sayings.first().map_or(Time::MIN, |saying| saying.at);
        let (slot, many) = self.slot(writer, &meant.subject, kind, reading, &value, now)?;
        Ok(Some(Claim {
            subject: meant.subject,
            kind,
            slot,
            many,
            value,
            says: reading.says,
            replaces: reading.replaces.as_deref().map(value_key).filter(|value| !value.is_empty()),
            sentence: third_person(&reading.sentence, &meant.name),
            reader,
        }))
    }

    /// Whom a source names, or is about.
    pub(crate) fn named(&self, reader: &mut Reader, source: &Source) -> StoreResult<Vec<Subject>> {
        let mut named = mentioned_in(reader, self.agent.id, &fence::strip(&source.text))?;
        named.extend(source.about.filter(|about| !named.contains(about)));
        if named.is_empty() {
            return Ok(Vec::new());
        }
        let known = entities::by_ids(reader, self.agent.id, &named)?;
        Ok(known.iter().map(|entity| meant(entity).subject).collect())
    }

    /// What only has the words of something that is believed of somebody it names. It supports or belongs to it, and
    /// never contradicts.
    pub(crate) fn topical(
        &self,
        reader: &mut Reader,
        source: &Source,
        named: &[Subject],
    ) -> StoreResult<Vec<Claim>> {
        let sentence: BTreeSet<String> = terms(&fence::strip(&source.text)).into_iter().collect();
        let mut claims = Vec::new();
        for subject in named {
            let held = observations::of_subject(reader, self.agent.id, subject, true, TOUCHED)?;
            claims.extend(held.into_iter().flatten().filter_map(|row| touching(&row, &sentence, source)));
        }
        Ok(claims)
    }

    fn meant(&mut self, writer: &mut Writer, source: &Source, about: &About) -> StoreResult<Option<Meant>> {
        match about {
            About::World => Ok(Some(Meant { subject: Subject::world(), name: String::new() })),
            About::Agent => Ok(Some(self.own())),
            About::Speaker => self.speaker(writer, source.speaker),
            About::Operator => {
                let served = source.principal.unwrap_or(self.agent.operator);
                self.speaker(writer, Speaker::Principal(served))
            }
            About::Known(id) => {
                Ok(entities::survivor(writer, self.agent.id, *id)?.map(|entity| meant(&entity)))
            }
            About::Named { name, likely } => self.called(writer, source, name, *likely).map(Some),
        }
    }

    fn speaker(&mut self, reader: &mut Reader, speaker: Speaker) -> StoreResult<Option<Meant>> {
        match speaker {
            Speaker::Agent => Ok(Some(self.own())),
            Speaker::Nobody => Ok(None),
            Speaker::Principal(principal) => {
                let Some(entity) = self.entity_of(reader, principal)? else {
                    return Ok(None);
                };
                let entity = entities::survivor(reader, self.agent.id, entity)?;
                Ok(entity.map(|entity| meant(&entity)))
            }
        }
    }

    fn own(&self) -> Meant {
        Meant { subject: Subject::own(), name: self.agent.name.clone() }
    }

    fn entity_of(&mut self, reader: &mut Reader, principal: PrincipalId) -> StoreResult<Option<EntityId>> {
        let known = match &mut self.principals {
            Some(known) => known,
            none => none.insert(principals::all(reader, self.agent.id)?),
        };
        Ok(known.iter().find(|one| one.id == principal).map(|one| one.entity))
    }

    /// Somebody or something by a name: known, or a project or tool that needs no introduction, or met here first.
    fn called(
        &mut self,
        writer: &mut Writer,
        source: &Source,
        name: &str,
        likely: EntityKind,
    ) -> StoreResult<Meant> {
        let key = name_key(name);
        if key == name_key(&self.agent.name) {
            return Ok(self.own());
        }
        if !self.named.contains_key(&key) {
            let found = self.find(writer, &key, source.about)?;
            self.named.insert(key.clone(), found);
        }
        if let Some(known) = &self.named[&key] {
            return Ok(meant(known));
        }
        let subject = match likely {
            EntityKind::Project => Subject::project(name),
            EntityKind::Tool => Subject::tool(name),
            _ => {
                let met = self.meet(writer, source, name, likely)?;
                let who = meant(&met);
                self.named.insert(key, Some(met));
                return Ok(who);
            }
        };
        Ok(Meant { subject, name: name.to_owned() })
    }

    /// Whom a name means: of several, whom the row is about, or else the one known longest.
    fn find(&self, reader: &mut Reader, key: &str, about: Option<EntityId>) -> StoreResult<Option<Entity>> {
        let ids = entities::by_name_keys(reader, self.agent.id, &[key])?.remove(key).unwrap_or_default();
        let id = about.filter(|about| ids.contains(about)).or_else(|| ids.first().copied());
        match id {
            Some(id) => entities::survivor(reader, self.agent.id, id),
            None => Ok(None),
        }
    }

    fn meet(
        &self,
        writer: &mut Writer,
        source: &Source,
        name: &str,
        kind: EntityKind,
    ) -> StoreResult<Entity> {
        let at = source.sayings.first().map_or(Time::MIN, |saying| saying.at);
        let id = EntityId::of(self.mind.mint.id(at));
        entities::insert(writer, self.agent.id, id, kind.as_str(), name, at)?;
        Ok(Entity {
            id,
            kind,
            name: name.to_owned(),
            created_at: at,
            agent_ref: None,
            profile: None,
            last_seen_at: None,
            merged_into: None,
        })
    }

    /// The settled name of a question, and whether values coexist in it.
    fn slot(
        &mut self,
        writer: &mut Writer,
        subject: &Subject,
        kind: ObservationKind,
        reading: &Reading,
        value: &str,
        now: Time,
    ) -> StoreResult<(String, bool)> {
        let name = segment(&reading.slot);
        if name == PREFERENCE
            && let Some(slot) = claims::slot_with_value(writer, self.agent.id, subject, kind, value)?
        {
            return Ok((slot, false));
        }
        if let Some(known) = slot::seeded(&name) {
            return Ok((known.name.to_owned(), known.many));
        }
        let agent = self.agent.id;
        let known = match &mut self.slots {
            Some(known) => known,
            none => none.insert(slots::all(writer, agent)?),
        };
        if let Some(same) = known.iter().find(|slot| slot.name == name) {
            return Ok((same.joins.clone().unwrap_or_else(|| same.name.clone()), same.many));
        }
        let joins = slot::joined(&name, known).map(|slot| (slot.name.clone(), slot.many));
        let new = Slot {
            ordinal: known.last().map_or(0, |last| last.ordinal + 1),
            joins: joins.as_ref().map(|(name, _)| name.clone()),
            many: joins.as_ref().map_or(reading.many, |(_, many)| *many),
            name: name.clone(),
        };
        slots::insert(writer, agent, &new, now)?;
        known.push(new.clone());
        Ok((joins.map_or(name, |(name, _)| name), new.many))
    }
}

/// What a sentence says of a belief whose words it has.
fn touching(row: &Observation, sentence: &BTreeSet<String>, source: &Source) -> Option<Claim> {
    let question = Question::parse(&row.key)?;
    let value: BTreeSet<String> = terms(&row.value).into_iter().collect();
    let says = topical::touches(sentence, &slot::name_words(&question.slot), &value)?;
    Some(Claim {
        subject: question.subject,
        kind: question.kind,
        slot: question.slot,
        many: question.value.is_some(),
        value: row.value.clone(),
        says,
        replaces: None,
        sentence: excerpt(&source.text),
        reader: ReadBy::Topical,
    })
}

/// The beginning of a text, as evidence shows it.
fn excerpt(text: &str) -> String {
    text.chars().take(EXCERPT).collect()
}

fn meant(entity: &Entity) -> Meant {
    Meant { subject: Subject::known(entity.id, entity.kind, &entity.name), name: entity.name.clone() }
}
