//! Giving: the giver's memories are copied onto the receiver's shelf, some in each transaction, and then shown.

use super::Both;
use crate::entity::mentioned_in;
use crate::error::{Result, StoreResult};
use crate::indexing;
use crate::mind::Mind;
use selfsame_core::entity::name_key;
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, EntityId, Id, LinkId, MemoryId};
use selfsame_core::link::{Arrival, LinkState, copied, edition_of, may_be_given, travels};
use selfsame_core::memory::sameness::Prints;
use selfsame_core::memory::{Links, Memory};
use selfsame_core::recall::indexed::{Indexed, indexed};
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_core::trust::{Caller, Provenance};
use selfsame_core::vector::Unit;
use selfsame_store::agents::Agent;
use selfsame_store::links::{self, Item, Link};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Reader, StoreError, Writer, entities, events, memory, memory_life, mentions, vectors};
use std::collections::{BTreeMap, BTreeSet};

/// Events of what arrived in one transaction, at most.
const TOLD: i64 = 500;
/// What the receiver was told while something was copied that is looked at, at most: the first of it.
const TOLD_MEANWHILE: i64 = 10_000;
/// After all others.
const LAST: MemoryId = MemoryId::of(Id::from_bytes([0xff; 16]));

/// A memory on its way, with all that needs no transaction.
pub(super) struct Traveller {
    original: Memory,
    /// The id that its copy will have: it says when the original was stored, so that both stand at the same place in time.
    id: MemoryId,
    indexed: Indexed,
    prints: Prints,
    /// Its vectors, by generation.
    pub(super) vectors: Vec<(i64, Unit)>,
}

impl Traveller {
    pub(super) fn of(id: MemoryId, mut original: Memory, zone: &Zone) -> Traveller {
        if original.tokens.is_none() {
            let tokens = count(&original.content);
            original = original.counted(tokens);
        }
        Traveller {
            id,
            indexed: indexed(&original.content, zone.date(original.created_at)),
            prints: Prints::of(&original.content),
            vectors: Vec::new(),
            original,
        }
    }
}

/// Some of the giver's memories.
struct Batch {
    travellers: Vec<Traveller>,
    /// Whom they are about, as the giver knows them.
    about: BTreeMap<EntityId, entities::Entity>,
    /// The last that was looked at, whether it travels or not.
    last: MemoryId,
}

impl Mind {
    /// Copies the next batch; after the last one, shows all. Says whether there is more to be done.
    pub(super) fn copy_some(&self, receiver: &Agent, link: &Link) -> Result<bool> {
        let zone = Zone::parse(&receiver.zone)?;
        match self.next_batch(link, &zone)? {
            Some(batch) => self.stage(receiver, link, &zone, &batch)?,
            None if self.copy_a_summary(receiver, link)? => {}
            None => self.show(receiver, link)?,
        }
        Ok(true)
    }

    /// The giver's next memories. Read before the transaction, and looked for again in it.
    fn next_batch(&self, link: &Link, zone: &Zone) -> Result<Option<Batch>> {
        let Some(until) = link.until else { return Ok(None) };
        let (giver, after) = (link.other, link.copied_until.unwrap_or(MemoryId::of(Id::NIL)));
        let most = self.settings.link.batch as i64;
        let read = self.store.read(&Caller::agent(None), &[giver], |reader| {
            let page = memory::bank_page(reader, giver, after, until, most)?;
            let last = page.last().map(|row| match row {
                Ok(row) => Ok(row.id),
                Err(StoreError::Spoiled(spoiled)) => Ok(MemoryId::of(spoiled.id)),
                Err(_) => Err(StoreError::Damaged("the memories cannot be read".into())),
            });
            let Some(last) = last.transpose()? else { return Ok(None) };
            let onward = links::onward(reader, giver)?;
            // What is damaged is nobody's to give.
            let sound: Vec<Memory> =
                page.into_iter().flatten().filter(|memory| travels(memory, &onward)).collect();
            let mut page = Vec::with_capacity(sound.len());
            for memory in sound {
                if may_be_given_on(reader, &memory, &onward)? {
                    page.push(memory);
                }
            }
            let about: Vec<EntityId> = page.iter().filter_map(|memory| memory.entity).collect();
            let about =
                entities::by_ids(reader, giver, &about)?.into_iter().map(|one| (one.id, one)).collect();
            let vectors = vectors_of(reader, giver, &page)?;
            Ok(Some((page, about, vectors, last)))
        })?;
        let Some((page, about, mut vectors, last)) = read else { return Ok(None) };
        let travellers = page
            .into_iter()
            .map(|original| Traveller {
                vectors: vectors.remove(&original.id).unwrap_or_default(),
                ..Traveller::of(MemoryId::of(self.mint.id(original.created_at)), original, zone)
            })
            .collect();
        Ok(Some(Batch { travellers, about, last }))
    }

    fn stage(&self, receiver: &Agent, link: &Link, zone: &Zone, batch: &Batch) -> Result<()> {
        let now = self.now();
        let both = Both { mine: receiver.id, other: link.other };
        self.give_step(&both.agents(), |writer| {
            let there = links::by_id(writer, receiver.id, link.id)?;
            // Somebody else was faster, or it was taken back meanwhile.
            if there.is_none_or(|there| there.state != link.state || there.copied_until != link.copied_until)
            {
                return Ok(());
            }
            let mut arriving =
                Arriving { receiver: receiver.id, link: link.id, zone, now, arrived: BTreeMap::new() };
            let ids: Vec<MemoryId> = batch.travellers.iter().map(|traveller| traveller.original.id).collect();
            let left =
                memory::by_ids(writer, link.other, &ids)?.into_iter().flatten().map(|memory| memory.id);
            let left: BTreeSet<MemoryId> = left.collect();
            // What was forgotten since it was read does not go.
            let leaving = batch.travellers.iter().filter(|one| left.contains(&one.original.id));
            let mut items = Vec::new();
            for traveller in leaving {
                let entity = arriving.known_as(writer, traveller.original.entity, &batch.about)?;
                items.push(arriving.take_in(writer, traveller, entity)?);
            }
            let merged = items.iter().filter(|item| item.merged).count() as i64;
            links::insert_items(writer, receiver.id, link.id, &items)?;
            for agent in both.agents() {
                links::copied(writer, agent, link.id, batch.last, items.len() as i64 - merged, merged)?;
            }
            Ok(())
        })
    }

    /// Shows all that was copied, in one statement.
    fn show(&self, receiver: &Agent, link: &Link) -> Result<()> {
        let (zone, now) = (Zone::parse(&receiver.zone)?, self.now());
        let both = Both { mine: receiver.id, other: link.other };
        self.give_step(&both.agents(), |writer| match links::by_id(writer, receiver.id, link.id)? {
            Some(there) if there.state == LinkState::Copying && there.copied_until == link.copied_until => {
                give_way(writer, receiver.id, link, &zone, now)?;
                both.move_on(writer, link.id, LinkState::Accepted, true, now)?;
                links::move_on(writer, link.other, link.id, LinkState::Accepted, false, now)
            }
            _ => Ok(()),
        })?;
        self.unread.note(receiver.id, now);
        Ok(())
    }

    /// Writes into the receiver's log what arrived, so that it is read for what it says. Says whether there is more.
    pub(super) fn tell_of_some(&self, receiver: &Agent, link: &Link) -> Result<bool> {
        let now = self.now();
        let after = link.told_until.unwrap_or(MemoryId::of(Id::NIL));
        self.give_step(&[receiver.id], |writer| {
            let there = links::by_id(writer, receiver.id, link.id)?;
            if there.is_none_or(|there| there.state != link.state || there.told_until != link.told_until) {
                return Ok(());
            }
            let items = links::items(writer, receiver.id, link.id, after, TOLD)?;
            let acts: Vec<Act> = items
                .iter()
                .map(|item| Act {
                    act: if item.merged { "reinforced" } else { "remembered" },
                    subject_kind: "memory",
                    subject: item.memory.id(),
                })
                .collect();
            if !acts.is_empty() {
                events::record(writer, receiver.id, now, &acts)?;
            }
            let last = items.last().map_or(after, |item| item.origin);
            links::told(writer, receiver.id, link.id, last, !items.is_empty())
        })?;
        self.unread.note(receiver.id, now);
        Ok(true)
    }
}

/// What the receiver was told while it was copied, it knows itself: the copy gives way as it would have, had it been seen.
fn give_way(writer: &mut Writer, receiver: AgentId, link: &Link, zone: &Zone, now: Time) -> StoreResult<()> {
    let since = MemoryId::of(Id::first_at(link.answered_at.unwrap_or(link.requested_at)));
    let told = memory::bank_page(writer, receiver, since, LAST, TOLD_MEANWHILE)?;
    for own in told.into_iter().flatten().filter(|own| indexing::kind_of(own) == Kind::Memory) {
        let words = Prints::of(&own.content).words;
        for copy in memory::of_words_on_shelf(writer, receiver, &words, link.id)?.into_iter().flatten() {
            if copy.kind != own.kind || copy.entity != own.entity || own.provenance.is_private() {
                continue;
            }
            memory_life::add_source(writer, receiver, own.id, &copy.provenance, zone, now)?;
            let mut after = copy;
            after.life.replaced_by = Some(own.id);
            (after.life.state, after.life.decline) = after.judged(now);
            memory::live_on(writer, &after)?;
        }
    }
    Ok(())
}

/// Whether what a memory is an edition of may be given on; of any other there is nothing to ask.
fn may_be_given_on(reader: &mut Reader, memory: &Memory, onward: &[String]) -> StoreResult<bool> {
    Ok(lent_as(reader, memory)?.is_none_or(|lent| may_be_given(&lent, onward)))
}

/// Where the copy came from that a memory is an edition of, by way of whatever editions.
pub(super) fn lent_as(reader: &mut Reader, memory: &Memory) -> StoreResult<Option<Provenance>> {
    let mut before = edition_of(memory);
    while let Some(id) = before {
        // What is gone or damaged takes its editions along.
        let row = match memory::by_id_hidden_or_not(reader, memory.agent, id) {
            Ok(Some(row)) => row,
            Ok(None) | Err(StoreError::Spoiled(_)) => return Ok(None),
            Err(other) => return Err(other),
        };
        before = edition_of(&row);
        if before.is_none() {
            return Ok(Some(row.provenance.clone()));
        }
    }
    Ok(None)
}

/// The vectors of some memories, by memory: each with its generation.
pub(super) fn vectors_of(
    reader: &mut Reader,
    agent: AgentId,
    memories: &[Memory],
) -> StoreResult<BTreeMap<MemoryId, Vec<(i64, Unit)>>> {
    let mut by_kind: BTreeMap<Kind, Vec<Id>> = BTreeMap::new();
    for memory in memories {
        by_kind.entry(indexing::kind_of(memory)).or_default().push(memory.id.id());
    }
    let mut found: BTreeMap<MemoryId, Vec<(i64, Unit)>> = BTreeMap::new();
    for stock in vectors::stock(reader, agent)?.into_iter().filter(|stock| stock.live > 0) {
        let Some(items) = by_kind.get(&stock.kind) else { continue };
        for (item, unit) in vectors::of_items(reader, agent, stock.generation, stock.kind, items)? {
            found.entry(MemoryId::of(item)).or_default().push((stock.generation, unit));
        }
    }
    Ok(found)
}

/// The receiving side of a transaction.
pub(super) struct Arriving<'a> {
    pub(super) receiver: AgentId,
    pub(super) link: LinkId,
    pub(super) zone: &'a Zone,
    pub(super) now: Time,
    /// What became of the originals in this transaction.
    pub(super) arrived: BTreeMap<MemoryId, MemoryId>,
}

impl Arriving<'_> {
    /// Takes one in: known already, or as a copy on the link's shelf.
    fn take_in(
        &mut self,
        writer: &mut Writer,
        traveller: &Traveller,
        entity: Option<EntityId>,
    ) -> StoreResult<Item> {
        let origin = traveller.original.id;
        let twin = self.twin(writer, traveller, entity)?;
        let memory = match &twin {
            Some(twin) => {
                self.say_too(writer, traveller, twin)?;
                twin.id
            }
            None => {
                let links = self.links_of(writer, &traveller.original)?;
                self.insert(writer, traveller, entity, links)?
            }
        };
        self.arrived.insert(origin, memory);
        Ok(Item { origin, memory, merged: twin.is_some() })
    }

    /// The memory that says the same, whoever said it: the receiver's own before what came by another link, and that before
    /// what came by this one.
    fn twin(
        &self,
        reader: &mut Reader,
        traveller: &Traveller,
        entity: Option<EntityId>,
    ) -> StoreResult<Option<Memory>> {
        let words = &traveller.prints.words;
        let mut alike = memory::of_words(reader, self.receiver, words)?;
        alike.extend(memory::of_words_on_shelf(reader, self.receiver, words, self.link)?);
        let is_same = |other: &Memory| {
            other.kind == traveller.original.kind
                && other.entity == entity
                && !other.provenance.is_private()
                // It goes with what it is an edition of.
                && edition_of(other).is_none()
        };
        let alike = alike.into_iter().flatten().filter(is_same);
        Ok(alike.min_by_key(|other| (memory_life::link_of(&other.provenance).is_some(), other.id)))
    }

    /// The link is one source more of what is known. Nothing else of it changes, so that this can be taken away again.
    fn say_too(&self, writer: &mut Writer, traveller: &Traveller, twin: &Memory) -> StoreResult<()> {
        if memory_life::link_of(&twin.provenance) == Some(self.link) {
            return Ok(());
        }
        let source = linked(&traveller.original, self.link)?;
        memory_life::add_source(writer, self.receiver, twin.id, &source, self.zone, self.now).map(drop)
    }

    /// Stores a copy with its words, its vectors and whom it mentions; gives its id.
    pub(super) fn insert(
        &self,
        writer: &mut Writer,
        traveller: &Traveller,
        entity: Option<EntityId>,
        links: Links,
    ) -> StoreResult<MemoryId> {
        let (agent, kind) = (self.receiver, Kind::Linked(self.link));
        let arrival =
            Arrival { id: traveller.id, receiver: agent, link: self.link, entity, links, now: self.now };
        let copy = copied(&traveller.original, arrival).map_err(refused)?;
        memory::insert(writer, &copy, &traveller.prints, None)?;
        postings::insert(writer, agent, kind, &indexing::of_memory(&copy, &traveller.indexed))?;
        for (generation, unit) in &traveller.vectors {
            vectors::insert(writer, agent, *generation, kind, copy.id.id(), unit)?;
        }
        let mut mentioned = mentioned_in(writer, agent, &copy.content)?;
        mentioned.extend(entity.filter(|about| !mentioned.contains(about)));
        mentions::insert(writer, agent, &kind.as_str(), copy.id.id(), &mentioned)?;
        Ok(copy.id)
    }

    /// What it refers to, as far as that came by the same link, too.
    fn links_of(&self, reader: &mut Reader, original: &Memory) -> StoreResult<Links> {
        let Links { goal, answers, resolves, .. } = original.links;
        let named: Vec<MemoryId> = [goal, answers, resolves].into_iter().flatten().collect();
        let unknown: Vec<MemoryId> =
            named.iter().filter(|id| !self.arrived.contains_key(*id)).copied().collect();
        let mut here: BTreeMap<MemoryId, MemoryId> =
            named.iter().filter_map(|id| Some((*id, *self.arrived.get(id)?))).collect();
        if !unknown.is_empty() {
            let items = links::items_of(reader, self.receiver, self.link, &unknown)?;
            here.extend(items.into_iter().map(|item| (item.origin, item.memory)));
        }
        let here = |id: Option<MemoryId>| id.and_then(|id| here.get(&id).copied());
        Ok(Links { goal: here(goal), answers: here(answers), resolves: here(resolves), replaces: None })
    }

    /// Whom it is about, if the receiver knows exactly one of that name and sort.
    fn known_as(
        &self,
        reader: &mut Reader,
        about: Option<EntityId>,
        known: &BTreeMap<EntityId, entities::Entity>,
    ) -> StoreResult<Option<EntityId>> {
        let Some(theirs) = about.and_then(|id| known.get(&id)) else { return Ok(None) };
        let key = name_key(&theirs.name);
        let named = entities::by_name_keys(reader, self.receiver, &[&key])?;
        let named: Vec<EntityId> = named.into_values().flatten().collect();
        let mut here = BTreeSet::new();
        for id in named {
            let today = entities::survivor(reader, self.receiver, id)?;
            here.extend(today.filter(|one| one.kind == theirs.kind).map(|one| one.id));
        }
        Ok(here.pop_first().filter(|_| here.is_empty()))
    }
}

/// Where a copy of a memory comes from.
pub(super) fn linked(original: &Memory, link: LinkId) -> StoreResult<Provenance> {
    Provenance::linked(&original.provenance, link.to_string()).map_err(refused)
}

pub(super) fn refused(private: selfsame_core::trust::PrivateSource) -> StoreError {
    StoreError::Refused(private.to_string())
}
