//! Taking back: what came by a link goes, with all that was made of it and all that was given on.

use super::Both;
use super::copy::{Arriving, Traveller, linked, vectors_of};
use crate::error::{Result, StoreResult};
use crate::forget::{BY_LINK, Item as Forgettable, ItemKind, LedgerEntry, Taking, with_what_was_made_of};
use crate::knowledge;
use crate::mind::{Access, Mind, Speaker};
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, ErasureId, Id, LinkId, MemoryId, ObservationId, SummaryId};
use selfsame_core::knowledge::evidence::{Origin, SourceRef, SourceSort};
use selfsame_core::knowledge::{Subject, SubjectType};
use selfsame_core::link::{LinkState, Side};
use selfsame_core::memory::{Links, Memory};
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Caller;
use selfsame_store::agents::{self, Agent};
use selfsame_store::erasures::{self, Buried, Erasure, Proof};
use selfsame_store::knowledge::{claims, observations};
use selfsame_store::links::{self, Item, Link};
use selfsame_store::{
    Writer, entities, events, memory, memory_life, shelves, summaries as store_summaries, vectors,
};
use std::collections::{BTreeMap, BTreeSet};

impl Mind {
    /// Takes some of what came by a link away from its receiver; after the last of it, the shelf. Says whether there is more.
    pub(super) fn take_some_away(&self, receiver: &Agent, link: &Link) -> Result<bool> {
        let most = self.settings.link.batch as i64;
        let items = self.store.read(&Caller::agent(None), &[receiver.id], |reader| {
            links::items(reader, receiver.id, link.id, MemoryId::of(Id::NIL), most)
        })?;
        if items.is_empty() {
            return self.end_of_fall(receiver, link);
        }
        self.take_away_items(receiver, link.id, &items, &[])?;
        Ok(true)
    }

    /// Takes these away, first from those to whom the receiver gave them on.
    fn take_away_items(
        &self,
        receiver: &Agent,
        link: LinkId,
        items: &[Item],
        summed_up: &[SummaryId],
    ) -> Result<()> {
        let access = self.access(&receiver.id.to_string(), Speaker::Agent(None))?;
        let gone = items.iter().filter(|item| !item.merged).map(|item| (ItemKind::Memory, item.memory.id()));
        let gone = gone.chain(summed_up.iter().map(|id| (ItemKind::Summary, id.id())));
        let gone: Vec<Forgettable> = gone.map(|(kind, id)| Forgettable { kind, id }).collect();
        self.take_away_what_was_made_of(&access, &gone)?;
        let zone = access.zone()?;
        let now = self.now();
        let erasure = Erasure {
            id: ErasureId::of(self.mint.id(now)),
            agent: receiver.id,
            reason: "link revoked".into(),
            at: now,
        };
        // An id for each that may have to go on under another link.
        let spare: Vec<Id> = items.iter().map(|item| self.mint.id(item.memory.id().minted_at())).collect();
        let mut days = BTreeSet::new();
        self.fall_step(&[receiver.id], |writer| {
            days.clear();
            erasures::erase(writer, &erasure, |writer| {
                let falling = Falling { access: &access, link, zone: &zone, now };
                let mut buried = falling.take(writer, items, &spare, &mut days)?;
                buried.extend(falling.take_summaries(writer, summed_up, &mut days)?);
                Ok(buried)
            })
            .map(drop)
        })?;
        for day in days {
            access.write_journal_if_it_may(day)?;
        }
        Ok(())
    }

    /// What an agent gave away of these goes from whoever has it, too.
    pub(crate) fn take_away_copies(&self, giver: &Agent, going: &[Forgettable]) -> Result<()> {
        let of_kind = |kind: ItemKind| going.iter().filter(move |item| item.kind == kind).map(|item| item.id);
        let memories: Vec<MemoryId> = of_kind(ItemKind::Memory).map(MemoryId::of).collect();
        let summed_up: Vec<SummaryId> = of_kind(ItemKind::Summary).map(SummaryId::of).collect();
        if memories.is_empty() && summed_up.is_empty() {
            return Ok(());
        }
        for link in self.given_by(giver.id)? {
            // Who was forgotten whole has nothing any more.
            let Some(receiver) = self.store.system(|reader| agents::by_id(reader, link.other))? else {
                continue;
            };
            let (items, copies) = self.store.read(&Caller::agent(None), &[receiver.id], |reader| {
                let items = links::items_of(reader, receiver.id, link.id, &memories)?;
                Ok((items, store_summaries::copies_of(reader, receiver.id, link.id, &summed_up)?))
            })?;
            if !items.is_empty() || !copies.is_empty() {
                self.take_away_items(&receiver, link.id, &items, &copies)?;
            }
        }
        Ok(())
    }

    fn given_by(&self, giver: AgentId) -> Result<Vec<Link>> {
        Ok(self.store.read(&Caller::agent(None), &[giver], |reader| links::given(reader, giver))?)
    }

    /// What a receiver made of what goes and gave on goes from whoever has it.
    fn take_away_what_was_made_of(&self, receiver: &Access<'_>, gone: &[Forgettable]) -> Result<()> {
        let agent = &receiver.agent;
        if gone.is_empty() || self.given_by(agent.id)?.is_empty() {
            return Ok(());
        }
        let found = self.store.read(&Caller::agent(None), &[agent.id], |reader| {
            with_what_was_made_of(receiver, reader, gone)
        })?;
        self.take_away_copies(agent, &found.leaving())
    }

    /// Nothing of it is left but that there was a link, a proof and a line in the ledger; what took over its sources loses
    /// them, too.
    fn end_of_fall(&self, receiver: &Agent, link: &Link) -> Result<bool> {
        let now = self.now();
        let erasure = Erasure {
            id: ErasureId::of(self.mint.id(now)),
            agent: receiver.id,
            reason: "link revoked".into(),
            at: now,
        };
        let ended = self.end_fall_as(receiver, link, &erasure, None)?;
        if ended {
            self.after_fall(receiver)?;
            self.write_down(erasure.id)?;
        }
        Ok(!ended)
    }

    /// The last step of taking away, or one that goes before it; says whether it was the last. Done again after a restore
    /// it has the proof of the first time.
    fn end_fall_as(
        &self,
        receiver: &Agent,
        link: &Link,
        erasure: &Erasure,
        known: Option<&Proof>,
    ) -> Result<bool> {
        let access = self.access(&receiver.id.to_string(), Speaker::Agent(None))?;
        let zone = access.zone()?;
        let now = self.now();
        let most = self.settings.link.batch as i64;
        let both = Both { mine: receiver.id, other: link.other };
        let summed_up = self.store.read(&Caller::agent(None), &[receiver.id], |reader| {
            store_summaries::of_link(reader, receiver.id, link.id)
        })?;
        let gone: Vec<Forgettable> =
            summed_up.iter().map(|id| Forgettable { kind: ItemKind::Summary, id: id.id() }).collect();
        self.take_away_what_was_made_of(&access, &gone)?;
        let step = Erasure { id: ErasureId::of(self.mint.id(now)), at: now, ..erasure.clone() };
        let mut days = BTreeSet::new();
        let ended = self.fall_step(&both.agents(), |writer| {
            days.clear();
            let there = links::by_id(writer, receiver.id, link.id)?;
            if there.is_none_or(|there| there.state != LinkState::Falling) {
                return Ok(true);
            }
            let falling = Falling { access: &access, link: link.id, zone: &zone, now };
            let still = memory_life::sourced_by_link(writer, receiver.id, link.id, most)?;
            if !still.is_empty() {
                erasures::erase(writer, &step, |writer| {
                    falling.say_no_more(writer, &still)?;
                    Ok(Vec::new())
                })?;
                return Ok(false);
            }
            let summed_up = store_summaries::of_link(writer, receiver.id, link.id)?;
            let mut buried = Vec::new();
            erasures::erase(writer, erasure, |writer| {
                buried = falling.take_summaries(writer, &summed_up, &mut days)?;
                buried.extend(who_was_only_read_of(writer, receiver.id)?);
                buried.push(Buried { kind: BY_LINK.into(), item: link.id.id(), words_hash: None });
                Ok(buried.clone())
            })?;
            shelves::clear(writer, receiver.id, link.id)?;
            both.move_on(writer, link.id, LinkState::Revoked, false, now)?;
            let removed = BTreeMap::from([("memory".to_owned(), link.copied), (BY_LINK.to_owned(), 1)]);
            let proof = Proof {
                agent: receiver.id,
                erasure: erasure.id,
                at: erasure.at,
                actor: "link".into(),
                how: BY_LINK.into(),
                removed,
                rewritten: BTreeMap::new(),
                items_hash: self.ledger.items_hash(&buried).to_vec(),
            };
            erasures::prove(writer, known.unwrap_or(&proof))?;
            Ok(true)
        })?;
        access.put_days_right(days)?;
        Ok(ended)
    }

    fn after_fall(&self, receiver: &Agent) -> Result<()> {
        // Whoever took a batch away may have died before the journals of its days were put right.
        self.put_journals_right(receiver.id)?;
        let stock = self
            .store
            .read(&Caller::agent(None), &[receiver.id], |reader| vectors::stock(reader, receiver.id))?;
        for stock in stock {
            self.store.let_go_of_vectors(receiver.id, stock.generation);
        }
        // What a reader holds up now is done by the next checkpoint.
        let _ = self.store.compact();
        Ok(())
    }

    /// A link that was taken back, and that an older database still has, is taken back again.
    pub(crate) fn take_back_again(&self, entry: &LedgerEntry) -> Result<()> {
        let receiver = self.known_agent(entry.proof.agent)?;
        let Some(id) = entry.items.iter().find(|one| one.kind == BY_LINK).map(|one| LinkId::of(one.item))
        else {
            return Ok(());
        };
        let find = || {
            self.store
                .read(&Caller::agent(None), &[receiver.id], |reader| links::by_id(reader, receiver.id, id))
        };
        let proof = &entry.proof;
        let Some(link) = find()?.filter(|link| link.state != LinkState::Revoked) else {
            return self.prove_again(entry);
        };
        let both = Both { mine: receiver.id, other: link.other };
        let now = self.now();
        self.store.background("link", &both.agents(), |writer| {
            both.move_on(writer, id, LinkState::Falling, true, now)
        })?;
        let erasure =
            Erasure { id: proof.erasure, agent: proof.agent, reason: "link revoked".into(), at: proof.at };
        loop {
            let Some(link) = find()? else { return Ok(()) };
            let most = self.settings.link.batch as i64;
            let items = self.store.read(&Caller::agent(None), &[receiver.id], |reader| {
                links::items(reader, receiver.id, id, MemoryId::of(Id::NIL), most)
            })?;
            if !items.is_empty() {
                self.take_away_items(&receiver, id, &items, &[])?;
            } else if self.end_fall_as(&receiver, &link, &erasure, Some(proof))? {
                return self.after_fall(&receiver);
            }
        }
    }
}

/// Takes away whom the agent knows from nothing but what it has read in memories that are gone.
pub(crate) fn who_was_only_read_of(writer: &mut Writer, agent: AgentId) -> StoreResult<Vec<Buried>> {
    let mut gone = Vec::new();
    for id in entities::unnamed(writer, agent)? {
        let subject = Subject { sort: SubjectType::Entity, id: id.to_string() };
        let is_spoken_of = !claims::of_subject(writer, agent, &subject)?.is_empty()
            || !observations::of_subject(writer, agent, &subject, false, 1)?.is_empty();
        if !is_spoken_of {
            entities::delete(writer, agent, id)?;
            gone.push(Buried { kind: "entity".into(), item: id.id(), words_hash: None });
        }
    }
    Ok(gone)
}

/// One transaction of taking away.
struct Falling<'f> {
    access: &'f Access<'f>,
    link: LinkId,
    zone: &'f Zone,
    now: Time,
}

impl Falling<'_> {
    fn take(
        &self,
        writer: &mut Writer,
        items: &[Item],
        spare: &[Id],
        days: &mut BTreeSet<Date>,
    ) -> StoreResult<Vec<Buried>> {
        let agent = self.access.agent.id;
        let leaving: BTreeSet<MemoryId> = items.iter().map(|item| item.origin).collect();
        let mut targets = Vec::new();
        let mut silenced = BTreeSet::new();
        for (item, spare) in items.iter().zip(spare) {
            let others: Vec<(LinkId, Item)> = links::items_on(writer, agent, item.memory)?
                .into_iter()
                .filter(|(link, other)| *link != self.link || !leaving.contains(&other.origin))
                .collect();
            let Some(memory) = memory::by_id_hidden_or_not(writer, agent, item.memory)? else { continue };
            let is_copy = memory_life::link_of(&memory.provenance) == Some(self.link);
            // The same words came by this link twice, and once they stay.
            if others.iter().any(|(link, _)| *link == self.link) {
                links::repoint(writer, agent, self.link, memory.id, memory.id, !is_copy)?;
                continue;
            }
            match is_copy {
                true => {
                    if !targets.contains(&memory.id) {
                        self.go_on_elsewhere(writer, &memory, *spare, &others)?;
                        targets.push(memory.id);
                    }
                }
                false => drop(silenced.insert(memory.id)),
            }
        }
        let silenced: Vec<MemoryId> = silenced.into_iter().collect();
        self.say_no_more(writer, &silenced)?;
        let targets: Vec<Forgettable> =
            targets.into_iter().map(|id| Forgettable { kind: ItemKind::Memory, id: id.id() }).collect();
        let buried = self.take_with_all(writer, &targets, days)?;
        let origins: Vec<MemoryId> = leaving.into_iter().collect();
        links::drop_items(writer, agent, self.link, &origins)?;
        Ok(buried)
    }

    /// Takes summaries away that came by the link, with what was made of them.
    fn take_summaries(
        &self,
        writer: &mut Writer,
        summed_up: &[SummaryId],
        days: &mut BTreeSet<Date>,
    ) -> StoreResult<Vec<Buried>> {
        let gone: Vec<Forgettable> =
            summed_up.iter().map(|id| Forgettable { kind: ItemKind::Summary, id: id.id() }).collect();
        self.take_with_all(writer, &gone, days)
    }

    fn take_with_all(
        &self,
        writer: &mut Writer,
        gone: &[Forgettable],
        days: &mut BTreeSet<Date>,
    ) -> StoreResult<Vec<Buried>> {
        if gone.is_empty() {
            return Ok(Vec::new());
        }
        let agent = self.access.agent.id;
        let found = with_what_was_made_of(self.access, writer, gone)?;
        let beliefs = found.going.keys().filter(|item| item.kind == ItemKind::Observation);
        let touched: Vec<ObservationId> = beliefs.map(|item| ObservationId::of(item.id)).collect();
        let mut taking =
            Taking { access: self.access, zone: self.zone, now: self.now, days: BTreeSet::new() };
        let mut buried = taking.take_all(writer, &found)?;
        days.extend(taking.days);
        for belief in touched {
            if observations::delete_bare(writer, agent, belief)? {
                buried.push(Buried { kind: "observation".into(), item: belief.id(), words_hash: None });
            }
        }
        Ok(buried)
    }

    /// The link is no source of these any more, and what was believed on its word is judged without it.
    fn say_no_more(&self, writer: &mut Writer, memories: &[MemoryId]) -> StoreResult<()> {
        let Access { mind, agent, .. } = self.access;
        let origin = Origin::document(&self.link.to_string());
        for memory in memories {
            let source = SourceRef { sort: SourceSort::Memory, id: memory.id() };
            knowledge::forget_saying(writer, mind, agent, self.zone, source, origin, self.now)?;
        }
        memory_life::drop_link_sources(writer, agent.id, self.link, memories).map(drop)
    }

    /// What came by another link too goes on as a copy of that one.
    fn go_on_elsewhere(
        &self,
        writer: &mut Writer,
        memory: &Memory,
        id: Id,
        others: &[(LinkId, Item)],
    ) -> StoreResult<()> {
        let agent = &self.access.agent;
        // The receiver's own word has taken its place, with all its sources.
        if memory.life.replaced_by.is_some() {
            return Ok(());
        }
        let mut heirs = BTreeSet::new();
        for (link, _) in others {
            let stands = links::by_id(writer, agent.id, *link)?.is_some_and(|link| {
                link.side == Side::Receives && matches!(link.state, LinkState::Accepted | LinkState::Copying)
            });
            if stands {
                heirs.insert(*link);
            }
        }
        let Some(heir) = heirs.pop_first() else { return Ok(()) };
        let mut traveller = Traveller::of(MemoryId::of(id), memory.clone(), self.zone);
        let vectors = vectors_of(writer, agent.id, std::slice::from_ref(memory))?.remove(&memory.id);
        traveller.vectors = vectors.unwrap_or_default();
        let arriving = Arriving {
            receiver: agent.id,
            link: heir,
            zone: self.zone,
            now: self.now,
            arrived: BTreeMap::new(),
        };
        let new = arriving.insert(writer, &traveller, memory.entity, Links::default())?;
        links::repoint(writer, agent.id, heir, memory.id, new, false)?;
        let act = Act { act: "remembered", subject_kind: "memory", subject: new.id() };
        events::record(writer, agent.id, self.now, &[act])?;
        for other in heirs {
            // The others go on saying it, of the new one.
            let source = linked(memory, other)?;
            memory_life::add_source(writer, agent.id, new, &source, self.zone, self.now)?;
            links::repoint(writer, agent.id, other, memory.id, new, true)?;
        }
        Ok(())
    }
}
