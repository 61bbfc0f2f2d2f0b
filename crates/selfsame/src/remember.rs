//! The verb *remember*: one fact, stored for good; or known already, and then held more firmly.
//!
//! All that the heartbeat will want to know of a memory is settled here, at write time: whether it is new, which plan or
//! question it belongs to, what it is at odds with. Later, SQL alone can find it.

use crate::entity::mentioned_in;
use crate::error::{Error, Result, StoreResult};
use crate::heartbeat::due::{self, Plan};
use crate::indexing;
use crate::life::{self, carry_on};
use crate::linking;
use crate::meaning::Meaning;
use crate::mind::Access;
use crate::topics;
use selfsame_core::event::Act;
use selfsame_core::heartbeat::{Ladder, schedule};
use selfsame_core::id::{EntityId, MemoryId, PrincipalId};
use selfsame_core::link::edition_of;
use selfsame_core::memory::sameness::{
    Odds, Prints, can_be_at_odds, content_terms, is_same_in_other_words, odds,
};
use selfsame_core::memory::{Draft, Memory, MemoryKind, State};
use selfsame_core::monitor::{self, Monitor};
use selfsame_core::recall::indexed::{Indexed, indexed};
use selfsame_core::text::TermCounts;
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_core::trust::{Author, Caller, Provenance};
use selfsame_store::postings::{self, Kind};
use selfsame_store::vectors::Near;
use selfsame_store::{
    Idempotency, Reader, Replay, StoreError, Writer, entities, events, memory, memory_life, mentions,
    monitors, shelves,
};

use std::time::Duration;

/// Memories that are nearest in meaning which a new one is compared with, at most.
const NEAR: usize = 4;
/// Memories of the same gist that a new one is compared with, at most; the newest.
const COMPARED: i64 = 32;

/// What became of a fact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remembered {
    /// The memory that holds it now.
    pub id: MemoryId,
    /// What happened.
    pub outcome: Outcome,
    /// The memory of which it is the next edition.
    pub replaces: Option<MemoryId>,
    /// The plan that it was linked to.
    pub goal: Option<MemoryId>,
    /// The question that it was linked to.
    pub answers: Option<MemoryId>,
    /// Earlier memories that cannot be true together with it.
    pub at_odds_with: Vec<MemoryId>,
}

/// What happened to a fact.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// It is a new memory.
    Stored,
    /// It was known; now one source more says so.
    Reinforced,
    /// It was known, and from this very source.
    Known,
    /// It was known, and what is new about it (a label, a deadline, who vouches for it) made a next edition.
    Revised,
}

impl Outcome {
    const ALL: [Outcome; 4] = [Outcome::Stored, Outcome::Reinforced, Outcome::Known, Outcome::Revised];

    /// As shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Outcome::Stored => "stored",
            Outcome::Reinforced => "reinforced",
            Outcome::Known => "known",
            Outcome::Revised => "revised",
        }
    }
}

impl Remembered {
    fn of(memory: &Memory, outcome: Outcome) -> Remembered {
        Remembered {
            id: memory.id,
            outcome,
            replaces: memory.links.replaces,
            goal: memory.links.goal,
            answers: memory.links.answers,
            at_odds_with: Vec::new(),
        }
    }
}

impl Access<'_> {
    /// Stores a fact. When this returns, it is on disk.
    pub fn remember(&self, draft: Draft, key: Option<&Idempotency>) -> Result<Remembered> {
        let draft = self.without_secrets(draft);
        let stated = draft.claim.clone();
        let new = self.prepare(draft)?;
        self.check_references(&new.memory)?;
        if stated.is_some() {
            // What was said before is judged before.
            self.consolidate()?;
        }
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let remembered = new.store(writer)?;
            if let Some(stated) = &stated {
                self.state(writer, remembered.id, stated, &new.zone)?;
            }
            Ok(remembered)
        })?)
    }

    /// Everything that needs no transaction: checked, analysed, with its id and its moment.
    pub(crate) fn prepare(&self, draft: Draft) -> Result<NewMemory> {
        let provenance = Provenance::stated(&self.caller, draft.source.clone(), draft.privacy);
        self.prepare_as(draft, provenance)
    }

    /// The same for what comes from elsewhere than the caller's own mouth.
    pub(crate) fn prepare_as(&self, draft: Draft, provenance: Provenance) -> Result<NewMemory> {
        let mut draft = self.without_secrets(draft).check(self.mind.settings.memory.max_content_bytes)?;
        if draft.tags.iter().any(|tag| tag.starts_with(schedule::TAG) || tag.starts_with(monitor::TAG)) {
            self.must_be_watched("something is set to be brought up")?;
        }
        let (zone, now) = (self.zone()?, self.mind.now());
        let plan = match is_deliberate(&self.caller) {
            true => self.plan(&draft.tags, now)?,
            // Nobody but the agent and whom it serves says when something is to be brought up.
            false => {
                draft.tags.retain(|tag| !tag.starts_with(schedule::TAG));
                Plan::Keep
            }
        };
        let id = MemoryId::of(self.mind.mint.id(now));
        let tokens = count(&draft.content);
        self.mind.unread.note(self.agent.id, now);
        let meaning = self.mind.meaning_of(self.agent.id, &draft.content)?;
        Ok(NewMemory {
            near: self.nearly_the_same(&meaning)?,
            meaning,
            indexed: indexed(&draft.content, zone.date(now)),
            prints: Prints::of(&draft.content),
            checked_every: monitor::from_tags(&draft.tags)?,
            about: content_terms(&draft.content),
            memory: Memory::from_draft(id, self.agent.id, draft, provenance, now).counted(tokens),
            operator: self.agent.operator,
            plan,
            ladder: self.mind.settings.heartbeat.ladder,
            zone,
            now,
        })
    }

    /// Memories that mean nearly the same. Looked for before the transaction, and looked at again in it.
    fn nearly_the_same(&self, meaning: &Meaning) -> Result<Vec<MemoryId>> {
        let Some((generation, unit)) = meaning.searched() else {
            return Ok(Vec::new());
        };
        let near = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            shelves::nearest(reader, self.agent.id, generation, Kind::Memory, unit, NEAR)
        })?;
        let is_same = |near: &&Near| generation.baseline.says_the_same(near.cosine);
        Ok(near.iter().filter(is_same).map(|near| MemoryId::of(near.item)).collect())
    }

    /// What a memory refers to must be there, and be of the right sort.
    pub(crate) fn check_references(&self, memory: &Memory) -> Result<()> {
        let missing = |what: &'static str, id: String| Err(Error::NoSuch { what, id });
        self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            if let Some(entity) = memory.entity
                && !entities::exists(reader, self.agent.id, entity)?
            {
                return Ok(missing("entity", entity.to_string()));
            }
            let links = memory.links;
            let named = [
                ("goal", links.goal, &[MemoryKind::Plan][..]),
                ("answers", links.answers, &[MemoryKind::Question]),
                ("resolves", links.resolves, &[MemoryKind::Plan, MemoryKind::Activity, MemoryKind::Question]),
            ];
            for (field, id, kinds) in named {
                let Some(id) = id else { continue };
                match memory::by_id(reader, self.agent.id, id)? {
                    Some(found) if !found.provenance.is_visible_to(&self.caller) => {
                        return Ok(missing("memory", id.to_string()));
                    }
                    None => return Ok(missing("memory", id.to_string())),
                    Some(found) if !kinds.contains(&found.kind) => {
                        let wanted: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
                        return Ok(Err(Error::Unfit(format!(
                            "{field}: {id} is of type {}, not {}",
                            found.kind.as_str(),
                            wanted.join(" or ")
                        ))));
                    }
                    Some(_) => {}
                }
            }
            Ok(Ok(()))
        })?
    }
}

/// A memory on its way into the store.
#[derive(Clone)]
pub(crate) struct NewMemory {
    pub(crate) memory: Memory,
    indexed: Indexed,
    prints: Prints,
    about: TermCounts,
    meaning: Meaning,
    /// Memories that mean nearly the same, the nearest first.
    near: Vec<MemoryId>,
    checked_every: Option<Duration>,
    operator: PrincipalId,
    plan: Plan,
    ladder: Ladder,
    zone: Zone,
    now: Time,
}

impl NewMemory {
    /// The zone of the agent's days.
    pub(crate) fn zone(&self) -> &Zone {
        &self.zone
    }

    /// With another word on its schedule than its tags have.
    pub(crate) fn with_plan(self, plan: Plan) -> NewMemory {
        NewMemory { plan, ..self }
    }

    /// Stores it, or finds that it is known.
    pub(crate) fn store(&self, writer: &mut Writer) -> StoreResult<Remembered> {
        match self.twin(writer)? {
            // What another agent gave may be taken back: it cannot hold what this one was told itself.
            Some(twin) if is_lent(&twin) => self.take_the_place_of(writer, &twin),
            Some(twin) if self.adds_nothing_to(&twin) => self.reinforce(writer, &twin),
            Some(twin) => self.revise(writer, &twin),
            None => self.insert(writer),
        }
    }

    /// The memory that says the same, of the same principal, about the same entity, of the same type: in the same words,
    /// or else in other words.
    fn twin(&self, reader: &mut Reader) -> StoreResult<Option<Memory>> {
        let memory = &self.memory;
        let alike = undamaged(memory::of_words(reader, memory.agent, &self.prints.words)?)?;
        if let Some(twin) = alike.into_iter().find(|other| self.is_of_the_same(other)) {
            return Ok(Some(twin));
        }
        let near = undamaged(memory::by_ids(reader, memory.agent, &self.near)?)?;
        Ok(near.into_iter().find(|other| {
            self.is_of_the_same(other)
                && is_held(other)
                && is_same_in_other_words(&memory.content, &other.content)
        }))
    }

    fn is_of_the_same(&self, other: &Memory) -> bool {
        let memory = &self.memory;
        other.kind == memory.kind
            && other.entity == memory.entity
            && (is_lent(other) || other.provenance.principal_id() == memory.provenance.principal_id())
            && other.provenance.is_private() == memory.provenance.is_private()
    }

    fn adds_nothing_to(&self, twin: &Memory) -> bool {
        let new = &self.memory;
        let told = |new: Option<MemoryId>, known: Option<MemoryId>| new.is_none() || new == known;
        new.tags.iter().all(|tag| twin.tags.contains(tag))
            && (new.expires_at.is_none() || new.expires_at == twin.expires_at)
            && (new.affect.is_unsaid() || new.affect == twin.affect)
            && told(new.links.goal, twin.links.goal)
            && told(new.links.answers, twin.links.answers)
            && told(new.links.resolves, twin.links.resolves)
            && new.importance <= twin.importance
            && new.provenance.trust() <= twin.provenance.trust()
    }

    /// It is known: one source more, if it is one, and it is fresh in mind again.
    fn reinforce(&self, writer: &mut Writer, twin: &Memory) -> StoreResult<Remembered> {
        let same_source = self.source_key(&self.memory) == self.source_key(twin);
        let added = !same_source
            && memory_life::add_source(
                writer,
                twin.agent,
                twin.id,
                &self.memory.provenance,
                &self.zone,
                self.now,
            )?;
        let mut after = twin.clone();
        after.life.pinned |= self.memory.life.pinned;
        if let Some(hold) = twin.life.hold.recalled(twin.kind, &self.zone, self.now) {
            after.life.hold = hold;
        }
        if after.life != twin.life {
            carry_on(writer, twin, after, "reinforced", self.now)?;
        }
        memory::touch(writer, twin.agent, twin.id, self.now)?;
        // What is said again comes up again.
        self.bring_up(writer, &self.memory)?;
        if added {
            self.record(writer, "reinforced", twin.id)?;
        }
        let outcome = if added { Outcome::Reinforced } else { Outcome::Known };
        Ok(Remembered::of(twin, outcome))
    }

    /// It is known, but not like this: a next edition takes over what the old one had.
    fn revise(&self, writer: &mut Writer, twin: &Memory) -> StoreResult<Remembered> {
        let mut next = self.memory.clone();
        // A new schedule takes the place of the old one; a memory has one.
        let is_kept = |tag: &&String| !tag.starts_with(schedule::TAG) || matches!(self.plan, Plan::Keep);
        next.tags.extend(twin.tags.iter().filter(is_kept).cloned());
        next.tags.sort();
        next.tags.dedup();
        next.expires_at = next.expires_at.or(twin.expires_at);
        if next.affect.is_unsaid() {
            next.affect = twin.affect.clone();
        }
        next.importance = next.importance.max(twin.importance);
        next.life.pinned |= twin.life.pinned;
        next.links.goal = next.links.goal.or(twin.links.goal);
        next.links.answers = next.links.answers.or(twin.links.answers);
        next.links.resolves = next.links.resolves.or(twin.links.resolves);
        let edition = NewMemory { memory: next, ..self.clone() };
        edition.take_the_place_of(writer, twin)
    }

    /// Stores it as the next edition of a memory, which is put away and stays readable.
    pub(crate) fn take_the_place_of(&self, writer: &mut Writer, old: &Memory) -> StoreResult<Remembered> {
        let mut next = self.clone();
        next.memory.links.replaces = Some(old.id);
        next.memory.life.decline = next.memory.judged(self.now).1;
        let (id, agent) = (next.memory.id, next.memory.agent);
        // The old one first: what is put away is no twin and at odds with nothing.
        let mut put_away = old.clone();
        put_away.life.replaced_by = Some(id);
        carry_on(writer, old, put_away, "replaced", self.now)?;
        let remembered = next.insert(writer)?;
        memory_life::inherit_sources(writer, agent, old.id, id)?;
        if self.source_key(old) != self.source_key(&next.memory) {
            memory_life::add_source(writer, agent, id, &old.provenance, &self.zone, old.created_at)?;
        }
        Ok(Remembered { outcome: Outcome::Revised, replaces: Some(old.id), ..remembered })
    }

    fn source_key(&self, memory: &Memory) -> [u8; 32] {
        memory_life::source_key(&memory.provenance, self.zone.date(memory.created_at))
    }

    fn insert(&self, writer: &mut Writer) -> StoreResult<Remembered> {
        let mut memory = self.memory.clone();
        let said = memory.links;
        linking::guess(writer, &mut memory, &self.about)?;
        let serves = memory.serves(self.operator);
        memory::insert(writer, &memory, &self.prints, serves)?;
        due::keep(writer, &self.ladder, &memory, serves, &self.plan, self.now)?;
        postings::insert(writer, memory.agent, Kind::Memory, &indexing::of_memory(&memory, &self.indexed))?;
        self.meaning.keep(writer, memory.agent, Kind::Memory, memory.id.id())?;
        if memory.is_open() {
            linking::open(writer, &memory)?;
        }
        // What a tool brought is no work on a plan; whether a question is answered does not depend on by whom.
        if let Some(goal) = memory.links.goal.filter(|_| serves.is_some()) {
            memory::worked_on(writer, memory.agent, goal, self.now)?;
        }
        if let Some(question) = memory.links.answers {
            memory::answered(writer, memory.agent, question, self.now)?;
        }
        if let Some(every) = self.checked_every {
            monitors::insert(writer, &Monitor::new(memory.agent, memory.id, every, self.now))?;
        }
        let mentioned = self.bring_up(writer, &memory)?;
        mentions::insert(writer, memory.agent, "memory", memory.id.id(), &mentioned)?;
        let at_odds_with = self.find_odds(writer)?;
        memory_life::pair(writer, memory.agent, memory.id, &at_odds_with, self.now)?;
        self.record(writer, "remembered", memory.id)?;
        // Only the writer's own word closes something; a guess does not.
        for closed in [said.resolves, said.answers].into_iter().flatten() {
            life::resolve(writer, memory.agent, closed, self.now)?;
        }
        let at_odds_with = at_odds_with.into_iter().map(|(id, _)| id).collect();
        Ok(Remembered { at_odds_with, ..Remembered::of(&memory, Outcome::Stored) })
    }

    /// Whom it speaks of: they are heard of with it, if it feeds a heartbeat.
    fn bring_up(&self, writer: &mut Writer, memory: &Memory) -> StoreResult<Vec<EntityId>> {
        let mut mentioned = mentioned_in(writer, memory.agent, &memory.content)?;
        // What is about somebody need not name them, and is found by their name all the same.
        mentioned.extend(memory.entity.filter(|about| !mentioned.contains(about)));
        if let Some(serves) = memory.serves(self.operator) {
            topics::came_up(writer, memory, serves, &mentioned, self.now)?;
        }
        Ok(mentioned)
    }

    /// Which memories cannot be true together with it. Private words feed nothing.
    fn find_odds(&self, reader: &mut Reader) -> StoreResult<Vec<(MemoryId, Odds)>> {
        let memory = &self.memory;
        if !can_be_at_odds(memory.kind) || memory.provenance.is_private() {
            return Ok(Vec::new());
        }
        let Prints { words, gist } = &self.prints;
        let alike = undamaged(memory::of_gist(reader, memory.agent, gist, words, COMPARED)?)?;
        let comparable = alike.into_iter().filter(|other| {
            can_be_at_odds(other.kind) && other.entity == memory.entity && !other.provenance.is_private()
        });
        let with = |other: Memory| odds(&memory.content, &other.content).map(|how| (other.id, how));
        Ok(comparable.filter_map(with).collect())
    }

    fn record(&self, writer: &mut Writer, act: &'static str, id: MemoryId) -> StoreResult<()> {
        let act = Act { act, subject_kind: "memory", subject: id.id() };
        events::record(writer, self.memory.agent, self.now, &[act]).map(drop)
    }
}

/// Whether it is a deliberate word: the agent's or a principal's own.
fn is_deliberate(caller: &Caller) -> bool {
    matches!(caller.author(), Author::Agent | Author::Principal)
}

/// Whether it came by a neural link, or is an edition of what did.
pub(crate) fn is_lent(memory: &Memory) -> bool {
    memory_life::link_of(&memory.provenance).is_some() || edition_of(memory).is_some()
}

/// Not replaced, not folded into a summary, not done with: what of the same words is looked for with in the store.
fn is_held(memory: &Memory) -> bool {
    let life = &memory.life;
    life.replaced_by.is_none() && life.summarized_into.is_none() && life.state != State::Resolved
}

/// Those that can be believed; a damaged one is `verify`'s to name.
fn undamaged(read: Vec<StoreResult<Memory>>) -> StoreResult<Vec<Memory>> {
    read.into_iter().filter(|memory| !matches!(memory, Err(StoreError::Spoiled(_)))).collect()
}

/// As a list, so that what an earlier version stored can still be read: it had the first two.
impl Replay for Remembered {
    fn encode(&self) -> String {
        let shown = |id: Option<MemoryId>| id.map(|id| id.to_string());
        let odds: Vec<String> = self.at_odds_with.iter().map(ToString::to_string).collect();
        serde_json::json!([
            self.id.to_string(),
            self.outcome.as_str(),
            shown(self.replaces),
            shown(self.goal),
            shown(self.answers),
            odds
        ])
        .to_string()
    }

    fn decode(stored: &str) -> StoreResult<Remembered> {
        let damaged = StoreError::unreadable_reply;
        let list: Vec<serde_json::Value> = serde_json::from_str(stored).map_err(|_| damaged())?;
        let text = |place: usize| list.get(place).and_then(|value| value.as_str());
        let link = |place: usize| text(place).and_then(|id| id.parse().ok());
        let odds = list.get(5).and_then(|value| value.as_array()).cloned().unwrap_or_default();
        let outcome = Outcome::ALL.into_iter().find(|outcome| Some(outcome.as_str()) == text(1));
        Ok(Remembered {
            id: link(0).ok_or_else(damaged)?,
            outcome: outcome.ok_or_else(damaged)?,
            replaces: link(2),
            goal: link(3),
            answers: link(4),
            at_odds_with: odds.iter().filter_map(|id| id.as_str()?.parse().ok()).collect(),
        })
    }
}
