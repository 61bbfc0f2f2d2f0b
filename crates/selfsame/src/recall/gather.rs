//! The stage that reads rows: candidates in the order of their fit, through their seals, until no later one can still
//! be among those asked for. What the caller may not see, and what the filter does not fit, is left out here.

use super::{Found, Question};
use crate::error::StoreResult;
use crate::knowledge::{Belief, held_at};
use crate::mind::Access;
use crate::sound::sound;
use crate::summary::{self, Summary};
use selfsame_core::conversation::Message;
use selfsame_core::id::{EntityId, Id, LinkId, MemoryId, MessageId, ObservationId, SummaryId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::{Status, router};
use selfsame_core::local::Moment;
use selfsame_core::memory::{Memory, State};
use selfsame_core::recall::abstain::STRENGTHS;
use selfsame_core::recall::rank::{self, Regard};
use selfsame_core::recall::weights::IMPORTANCE_OF_MESSAGES;
use selfsame_core::recall::{Fit, Layer, Mode, Row};
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Provenance;
use selfsame_store::knowledge::{evidence, observations};
use selfsame_store::{Reader, entities, links, memory, memory_life, mentions, messages, shelves};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Candidates that are read at a time.
pub(super) const CHUNK: usize = 32;
const MICROS_PER_DAY: u128 = 86_400_000_000;

/// The answers of one page, and what was learnt on the way.
pub(super) struct Gathered {
    pub(super) hits: Vec<Ranked>,
    /// Whether more would follow.
    pub(super) more: bool,
    /// Rows that would have answered but are damaged.
    pub(super) damaged: Vec<String>,
}

impl Gathered {
    /// Nothing, after all that was read.
    pub(super) fn nothing(rows: Rows) -> Gathered {
        Gathered { hits: Vec::new(), more: false, damaged: rows.damaged }
    }
}

/// A row with how well it answers.
pub(super) struct Ranked {
    pub(super) found: Found,
    /// How well it fits, and why.
    pub(super) fit: Fit,
    /// What the mode makes of that.
    pub(super) factor: f64,
    /// Both together.
    pub(super) score: f64,
    /// A belief that comes before all that was said.
    pub(super) leads: bool,
}

/// What was read so far: each row once, however often it is looked at.
#[derive(Default)]
pub(super) struct Rows {
    /// Those that may be shown, and nothing for those that may not.
    read: BTreeMap<Id, Option<Found>>,
    damaged: Vec<String>,
}

impl Rows {
    /// The row, if it was read and may be shown.
    pub(super) fn get(&self, item: Id) -> Option<&Found> {
        self.read.get(&item)?.as_ref()
    }
}

/// Who asks for what, as far as rows are judged by it.
pub(super) struct Gathering<'a> {
    access: &'a Access<'a>,
    question: &'a Question,
    limit: usize,
    /// The moment that is asked about.
    then: Time,
    /// The end of its day: what is judged by it is the same all day long, and so is an answer.
    tonight: Time,
    /// The entity that is asked for, and those that were merged into it.
    family: Vec<EntityId>,
    /// Since when what came by each link is seen, where an earlier moment is asked about.
    linked: BTreeMap<LinkId, Time>,
}

impl<'a> Gathering<'a> {
    pub(super) fn new(
        reader: &mut Reader,
        access: &'a Access<'a>,
        question: &'a Question,
        limit: usize,
        (now, zone): (Time, &Zone),
    ) -> StoreResult<Gathering<'a>> {
        let then = question.as_of.unwrap_or(now);
        let tonight = Moment::Day(zone.date(then)).end(zone);
        let family = match question.filter.entity {
            Some(entity) => entities::family(reader, access.agent.id, entity)?,
            None => Vec::new(),
        };
        let linked = match question.as_of {
            Some(_) => links::seen_since(reader, access.agent.id)?,
            None => BTreeMap::new(),
        };
        Ok(Gathering { access, question, limit, then, tonight, family, linked })
    }

    /// The strongest candidates by each thing that an answer can rest on, of those that may be shown. Which they are is nearly
    /// always known from the rows of the best, which the page has to read anyway.
    pub(super) fn carriers(
        &self,
        reader: &mut Reader,
        fits: &[Fit],
        rows: &mut Rows,
    ) -> StoreResult<Vec<Fit>> {
        self.read(reader, fits.iter().take(CHUNK), rows)?;
        let mut carriers = Vec::new();
        for strength in STRENGTHS {
            let mut strongest: Vec<&Fit> = fits.iter().filter(|fit| strength(fit) > 0.0).collect();
            strongest.sort_by(|a, b| strength(b).total_cmp(&strength(a)));
            carriers.extend(self.first_shown(reader, &strongest, rows)?.cloned());
        }
        Ok(carriers)
    }

    fn first_shown<'f>(
        &self,
        reader: &mut Reader,
        fits: &[&'f Fit],
        rows: &mut Rows,
    ) -> StoreResult<Option<&'f Fit>> {
        let (mut rest, mut some) = (fits, 1);
        while !rest.is_empty() {
            let (next, later) = rest.split_at(some.min(rest.len()));
            self.read(reader, next.iter().copied(), rows)?;
            if let Some(shown) = next.iter().find(|fit| rows.get(fit.item).is_some()) {
                return Ok(Some(shown));
            }
            (rest, some) = (later, (2 * some).min(CHUNK));
        }
        Ok(None)
    }

    /// Adds what was believed at the moment that is asked about, where nothing is believed of the question any more. No index
    /// knows it: it is found by the words of the memories that it rested on, and fits as they do.
    pub(super) fn add_given_up(
        &self,
        reader: &mut Reader,
        fits: &mut Vec<Fit>,
        rows: &mut Rows,
    ) -> StoreResult<()> {
        let is_memory = |fit: &&Fit| fit.layer == Layer::Memory;
        let best = fits.iter().filter(is_memory).take(CHUNK).map(|fit| MemoryId::of(fit.item));
        let best: Vec<MemoryId> = best.collect();
        let rested = evidence::ever_supported(reader, self.access.agent.id, &best)?;
        for belief in self.given_up(reader, &rested, &mut rows.damaged)? {
            let id = belief.observation.id;
            let told = |fit: &Fit| is_memory(&fit) && rested.contains(&(MemoryId::of(fit.item), id));
            if let Some(place) = fits.iter().position(told).filter(|_| self.wants_belief(&belief)) {
                fits.insert(place, Fit { item: id.id(), ..fits[place].clone() });
                rows.read.insert(id.id(), Some(Found::Observation(Box::new(belief))));
            }
        }
        Ok(())
    }

    /// What was believed then of what memories spoke for, of questions that have no answer today.
    fn given_up(
        &self,
        reader: &mut Reader,
        rested: &[(MemoryId, ObservationId)],
        damaged: &mut Vec<String>,
    ) -> StoreResult<Vec<Belief>> {
        let agent = self.access.agent.id;
        let ids: BTreeSet<ObservationId> = rested.iter().map(|(_, id)| *id).collect();
        let ids: Vec<ObservationId> = ids.into_iter().collect();
        let (mut rows, spoiled) = sound(observations::by_ids(reader, agent, &ids)?)?;
        damaged.extend(spoiled);
        let keys: BTreeSet<String> = rows.iter().map(|row| row.key.clone()).collect();
        let answered = observations::held_of_keys(reader, agent, &keys)?;
        rows.retain(|row| !answered.contains(&row.key));
        held_at(reader, self.access, rows, self.question.as_of, self.tonight)
    }

    /// The page that is asked for, of candidates that come with the best fit first.
    pub(super) fn page(&self, reader: &mut Reader, fits: &[Fit], mut rows: Rows) -> StoreResult<Gathered> {
        let wanted = self.question.offset + self.limit + 1;
        let best = fits.first().map_or(0.0, |fit| fit.fit);
        let is_belief = |fit: &Fit| {
            fit.layer == Layer::Observation
                || rows.get(fit.item).is_some_and(|found| found.belief().is_some())
        };
        let may_lead = |fit: &&Fit| is_belief(fit) && router::fits_as_well(fit.fit, best);
        let leading: Vec<&Fit> = fits.iter().filter(may_lead).collect();
        self.read(reader, leading.iter().copied(), &mut rows)?;
        let mut found: Vec<Ranked> =
            leading.iter().filter_map(|fit| self.ranked(fit, true, &mut rows)).collect();
        for chunk in fits.chunks(CHUNK) {
            if self.is_settled(&found, wanted, chunk[0].fit) {
                break;
            }
            self.read(reader, chunk, &mut rows)?;
            found.extend(chunk.iter().filter_map(|fit| self.ranked(fit, false, &mut rows)));
            found.sort_by(better);
            drop_repetitions(&mut found);
        }
        let more = found.len() >= wanted;
        let mut hits: Vec<Ranked> = found.into_iter().skip(self.question.offset).take(self.limit).collect();
        if self.question.mode == Mode::Timeline {
            hits.sort_by_key(|hit| (hit.found.created_at(), hit.found.id()));
        }
        Ok(Gathered { hits, more, damaged: rows.damaged })
    }

    /// Whether nothing that fits at most so well can still come before the last that is wanted.
    fn is_settled(&self, found: &[Ranked], wanted: usize, fit: f64) -> bool {
        found.get(wanted - 1).is_some_and(|last| last.score > fit * rank::highest(self.question.mode))
    }

    /// Reads the rows of candidates, but for those that were read before.
    pub(super) fn read<'f>(
        &self,
        reader: &mut Reader,
        fits: impl IntoIterator<Item = &'f Fit>,
        rows: &mut Rows,
    ) -> StoreResult<()> {
        let unread: Vec<&Fit> = fits.into_iter().filter(|fit| !rows.read.contains_key(&fit.item)).collect();
        let mut found = self.memories(reader, &unread, &mut rows.damaged)?;
        found.extend(self.messages(reader, &unread, &mut rows.damaged)?);
        found.extend(self.beliefs(reader, &unread, &mut rows.damaged)?);
        found.extend(self.summaries(reader, &unread, &mut rows.damaged)?);
        rows.read.extend(unread.iter().map(|fit| (fit.item, found.remove(&fit.item))));
        Ok(())
    }

    /// Takes a candidate's row, if it may be shown.
    fn ranked(&self, fit: &Fit, may_lead: bool, rows: &mut Rows) -> Option<Ranked> {
        let found = rows.read.get_mut(&fit.item)?.take()?;
        let (factor, leads) = match &found {
            Found::Observation(belief) => {
                let Belief { status, confidence, freshness, .. } = **belief;
                let factor = router::score(1.0, belief.observation.kind, as_told(confidence), freshness);
                let by_time = self.question.mode == Mode::Timeline;
                (factor, may_lead && !by_time && router::comes_first(status, confidence, freshness))
            }
            _ => (rank::factor(self.question.mode, &self.regard(&found)), false),
        };
        Some(Ranked { score: fit.fit * factor, found, factor, fit: fit.clone(), leads })
    }

    fn memories(
        &self,
        reader: &mut Reader,
        fits: &[&Fit],
        damaged: &mut Vec<String>,
    ) -> StoreResult<BTreeMap<Id, Found>> {
        let ids: Vec<MemoryId> = items(fits, Layer::Memory).map(MemoryId::of).collect();
        let (mut memories, spoiled) = sound(memory::by_ids(reader, self.access.agent.id, &ids)?)?;
        damaged.extend(spoiled);
        if let Some(then) = self.question.as_of {
            let states = memory_life::states_at(reader, self.access.agent.id, &ids, then)?;
            for memory in &mut memories {
                memory.life.state = states.get(&memory.id).copied().unwrap_or(State::Active);
            }
        }
        let named = self.naming(reader, "memory", ids.iter().map(|id| id.id()))?;
        let fitting = memories.into_iter().filter(|memory| self.wants_memory(memory, &named));
        Ok(fitting.map(|memory| (memory.id.id(), Found::Memory(Box::new(memory)))).collect())
    }

    fn messages(
        &self,
        reader: &mut Reader,
        fits: &[&Fit],
        damaged: &mut Vec<String>,
    ) -> StoreResult<BTreeMap<Id, Found>> {
        let ids: Vec<MessageId> = items(fits, Layer::Message).map(MessageId::of).collect();
        let (messages, spoiled) = sound(messages::by_ids(reader, self.access.agent.id, &ids)?)?;
        damaged.extend(spoiled);
        let named = self.naming(reader, "message", ids.iter().map(|id| id.id()))?;
        let fitting = messages.into_iter().filter(|message| self.wants_message(message, &named));
        Ok(fitting.map(|message| (message.id.id(), Found::Message(message))).collect())
    }

    /// What folded rows became. With what they were made from, so that it can be looked up.
    fn summaries(
        &self,
        reader: &mut Reader,
        fits: &[&Fit],
        damaged: &mut Vec<String>,
    ) -> StoreResult<BTreeMap<Id, Found>> {
        let agent = self.access.agent.id;
        let ids: Vec<SummaryId> = items(fits, Layer::Summary).map(SummaryId::of).collect();
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (rows, spoiled) = sound(summary::by_ids(reader, agent, &ids)?)?;
        damaged.extend(spoiled);
        let mut found = BTreeMap::new();
        for row in rows {
            let state = self.state_of(reader, &row)?;
            if self.wants_summary(&row, state) {
                let card = self.access.summary_card(reader, row)?;
                found.insert(card.summary.id().id(), Found::Summary(Box::new(card)));
            }
        }
        Ok(found)
    }

    /// A summary is in mind until it is folded itself.
    fn state_of(&self, reader: &mut Reader, row: &Summary) -> StoreResult<State> {
        let Some(into) = row.folded_into() else { return Ok(State::Active) };
        let later = summary::by_ids(reader, self.access.agent.id, &[into])?.into_iter().flatten().next();
        let was_not_yet = later.is_some_and(|later| later.created_at() > self.then);
        Ok(if was_not_yet { State::Active } else { State::Archived })
    }

    /// One tells of a time: all of that has to be within what is asked for.
    fn wants_summary(&self, row: &Summary, state: State) -> bool {
        let (from, until) = row.period();
        let known_since =
            self.given(row.provenance()).map_or(row.created_at(), |given| given.max(row.created_at()));
        known_since <= self.then
            && self.question.filter.from.is_none_or(|first| from >= first)
            && self.wants(&Row {
                at: until,
                provenance: row.provenance(),
                state,
                concerns_entity: row.counterpart().is_some_and(|who| self.family.contains(&who)),
                fact: None,
            })
    }

    /// Since when what came by a link is known here, where an earlier moment is asked about.
    fn given(&self, provenance: &Provenance) -> Option<Time> {
        memory_life::link_of(provenance).and_then(|link| self.linked.get(&link)).copied()
    }

    /// What is believed, or was at the moment that is asked about: then the answer to the same question in its place.
    fn beliefs(
        &self,
        reader: &mut Reader,
        fits: &[&Fit],
        damaged: &mut Vec<String>,
    ) -> StoreResult<BTreeMap<Id, Found>> {
        let agent = self.access.agent.id;
        let ids: Vec<ObservationId> = items(fits, Layer::Observation).map(ObservationId::of).collect();
        if ids.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (mut rows, mut spoiled) = sound(observations::by_ids(reader, agent, &ids)?)?;
        let items: BTreeMap<String, Id> = rows.iter().map(|row| (row.key.clone(), row.id.id())).collect();
        if self.question.as_of.is_some() {
            let keys: BTreeSet<String> = items.keys().cloned().collect();
            (rows, spoiled) = sound(observations::of_keys(reader, agent, &keys)?)?;
        }
        damaged.extend(spoiled);
        let held = held_at(reader, self.access, rows, self.question.as_of, self.tonight)?;
        let wanted = held.into_iter().filter(|belief| self.wants_belief(belief));
        let placed = wanted.filter_map(|belief| Some((*items.get(&belief.observation.key)?, belief)));
        Ok(placed.map(|(item, belief)| (item, Found::Observation(Box::new(belief)))).collect())
    }

    fn wants_belief(&self, belief: &Belief) -> bool {
        let row = &belief.observation;
        let of = row.subject.id.parse::<EntityId>();
        self.wants(&Row {
            at: row.created_at,
            provenance: &row.provenance,
            state: if belief.status == Status::Active { State::Active } else { State::Stale },
            concerns_entity: of.is_ok_and(|entity| self.family.contains(&entity)),
            fact: None,
        })
    }

    /// Which of these items mention the entity that is asked for.
    fn naming(
        &self,
        reader: &mut Reader,
        kind: &str,
        items: impl Iterator<Item = Id>,
    ) -> StoreResult<BTreeSet<Id>> {
        let items: Vec<Id> = items.collect();
        let mut named = BTreeSet::new();
        for entity in &self.family {
            named.extend(match kind {
                "memory" => shelves::naming(reader, self.access.agent.id, *entity, &items)?,
                kind => mentions::among(reader, self.access.agent.id, *entity, kind, &items)?,
            });
        }
        Ok(named)
    }

    fn wants_memory(&self, memory: &Memory, named: &BTreeSet<Id>) -> bool {
        let about = memory.entity.is_some_and(|entity| self.family.contains(&entity));
        // What another agent gave was said before, and known here since it was given.
        if self.given(&memory.provenance).is_some_and(|given| given > self.then) {
            return false;
        }
        self.wants(&Row {
            at: memory.created_at,
            provenance: &memory.provenance,
            state: memory.life.state,
            concerns_entity: about || named.contains(&memory.id.id()),
            fact: Some(memory),
        })
    }

    fn wants_message(&self, message: &Kept<Message>, named: &BTreeSet<Id>) -> bool {
        let spoke = message.speaker.is_some_and(|speaker| self.family.contains(&speaker));
        let archived = message.archived_at.is_some_and(|at| at <= self.then);
        self.wants(&Row {
            at: message.created_at,
            provenance: &message.provenance,
            state: if archived { State::Archived } else { State::Active },
            concerns_entity: spoke || named.contains(&message.id.id()),
            fact: None,
        })
    }

    /// Known then, for the caller's eyes, and what is asked for.
    fn wants(&self, row: &Row<'_>) -> bool {
        self.question.as_of.is_none_or(|then| row.at <= then)
            && row.provenance.is_visible_to(&self.access.caller)
            && self.question.filter.takes(self.question.mode, row)
    }

    /// By whole days, so that two facts of a day are held alike.
    fn retention(&self, memory: &Memory) -> f64 {
        let since = memory.life.hold.last_recalled_at.unwrap_or(memory.created_at);
        let days = Duration::from_secs(86_400).saturating_mul(whole_days(since, self.tonight));
        memory.retention(since.saturating_add(days))
    }

    fn regard(&self, found: &Found) -> Regard {
        let memory = found.memory();
        let at = match found {
            Found::Summary(card) => card.summary.period().1,
            other => other.created_at(),
        };
        Regard {
            retention: memory.map_or(1.0, |memory| self.retention(memory)),
            importance: memory.map_or(IMPORTANCE_OF_MESSAGES, |memory| memory.importance),
            trust: found.provenance().trust().value(),
            days: f64::from(whole_days(at, self.tonight)),
            kind: memory.map(|memory| memory.kind),
        }
    }
}

/// A belief that leads first, then the better hit; of equals the memory, then the one that was stored first.
fn better(a: &Ranked, b: &Ranked) -> Ordering {
    let leads = b.leads.cmp(&a.leads).then(b.score.total_cmp(&a.score));
    leads.then_with(|| (a.fit.layer, a.found.id()).cmp(&(b.fit.layer, b.found.id())))
}

/// A message whose words became a memory that is here too would say the same twice.
fn drop_repetitions(found: &mut Vec<Ranked>) {
    let said: BTreeSet<String> =
        found.iter().filter_map(|hit| hit.found.memory()?.provenance.source().map(str::to_owned)).collect();
    found.retain(|hit| match &hit.found {
        Found::Message(message) => !said.contains(&message.id.to_string()),
        Found::Memory(_) | Found::Observation(_) | Found::Summary(_) => true,
    });
}

fn items(fits: &[&Fit], layer: Layer) -> impl Iterator<Item = Id> {
    fits.iter().filter(move |fit| fit.layer == layer).map(|fit| fit.item)
}

/// A confidence as it is told: what is finer comes from the microseconds between two sayings.
fn as_told(confidence: f64) -> f64 {
    (confidence * 1e4).round() / 1e4
}

fn whole_days(from: Time, until: Time) -> u32 {
    u32::try_from(until.since(from).as_micros() / MICROS_PER_DAY).unwrap_or(u32::MAX)
}
