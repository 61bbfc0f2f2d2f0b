//! Consolidation: reads the log of what was stored, and keeps the books of what is believed.
//!
//! The log is read in order, in transactions of some events each; how far it was read is written in the same transaction.
//! Killed anywhere, it goes on where it was; two processes at once take turns.

use super::book::{Book, LeftOut, Together, Withdrawn};
use super::desk::Desk;
use super::source::{self, Source, Sources};
use crate::error::{Result, StoreResult};
use crate::mind::{Access, Mind};
use crate::scheduler::{Effects, Job};
use selfsame_core::event::Event;
use selfsame_core::id::{AgentId, EntityId, Id};
use selfsame_core::knowledge::claim::Claim;
use selfsame_core::knowledge::decide::{Decision, Voice};
use selfsame_core::knowledge::evidence::{Piece, SourceRef, SourceSort};
use selfsame_core::knowledge::key::prefix_of;
use selfsame_core::knowledge::{Subject, SubjectType};
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Caller;
use selfsame_store::agents::Agent;
use selfsame_store::duties::Duty;
use selfsame_store::knowledge::claims::{self, Claimed, Reading};
use selfsame_store::knowledge::evidence;
use selfsame_store::{Reader, Writer, entities, events};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// Events in one transaction, at most: others want to write too.
const BATCH: i64 = 200;
/// Transactions for one agent before the next has its turn.
const TURNS: usize = 8;
/// How long after a write its agent's log is read: what is said in one go is read in one go.
const SETTLES: Duration = Duration::from_secs(2);

/// What was done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Consolidated {
    /// Events of the log that were read.
    pub read: u64,
    /// Claims that were found.
    pub claims: u64,
    /// Beliefs that were formed.
    pub created: u64,
    /// Claims that agreed with what was believed.
    pub reinforced: u64,
    /// Beliefs that took the place of others.
    pub superseded: u64,
    /// Claims that spoke against what is believed.
    pub contended: u64,
    /// Beliefs that were given up.
    pub given_up: u64,
    /// Whether there is more to read.
    pub more: bool,
}

impl Consolidated {
    fn count(&mut self, decision: Decision) {
        match decision {
            Decision::Create => self.created += 1,
            Decision::Reinforce => self.reinforced += 1,
            Decision::Supersede(_) => self.superseded += 1,
            Decision::Contend => self.contended += 1,
            Decision::GiveUp => self.given_up += 1,
            Decision::Note | Decision::Skip => {}
        }
    }

    fn add(&mut self, other: Consolidated) {
        self.read += other.read;
        self.claims += other.claims;
        self.created += other.created;
        self.reinforced += other.reinforced;
        self.superseded += other.superseded;
        self.contended += other.contended;
        self.given_up += other.given_up;
        self.more = other.more;
    }
}

/// One transaction of consolidation, for one agent.
pub(crate) struct Keeping<'m> {
    mind: &'m Mind,
    agent: &'m Agent,
    zone: Zone,
    books: BTreeMap<String, Book<'m>>,
    /// Rows of which nothing was read before and nothing so far.
    unread: BTreeSet<Id>,
    pub(crate) reading: Reading,
    done: Consolidated,
}

impl<'m> Keeping<'m> {
    /// Begins, knowing how far the log was read.
    pub(crate) fn begin(
        reader: &mut Reader,
        mind: &'m Mind,
        agent: &'m Agent,
        zone: &Zone,
    ) -> StoreResult<Keeping<'m>> {
        let zone = zone.clone();
        let reading = claims::reading(reader, agent.id)?;
        let (books, unread) = (BTreeMap::new(), BTreeSet::new());
        Ok(Keeping { mind, agent, zone, books, unread, reading, done: Consolidated::default() })
    }

    fn read_on(&mut self, writer: &mut Writer) -> StoreResult<()> {
        let events = events::after(writer, self.agent.id, self.reading.read_seq, BATCH)?;
        let events: Vec<Event> = events.into_iter().map(|(event, _)| event).collect();
        let zone = self.zone.clone();
        let mut sources = Sources::new(self.agent, &zone);
        sources.read_ahead(writer, &events)?;
        self.note_unread(writer, &events)?;
        let mut desk = Desk::new(self.mind, self.agent);
        for event in &events {
            if (event.subject_kind.as_str(), event.act.as_str()) == ("entity", "merged") {
                self.merge(writer, EntityId::of(event.subject), event.at)?;
                desk = Desk::new(self.mind, self.agent);
            } else if let Some(source) = sources.told_of(writer, event)? {
                self.take_in(writer, &mut desk, &source)?;
            }
            self.reading.read_seq = event.seq;
        }
        self.done.read = events.len() as u64;
        self.done.more = events.len() as i64 == BATCH;
        Ok(())
    }

    /// Two turned out to be one: what was said of the one is said of the other, and judged again there.
    fn merge(&mut self, writer: &mut Writer, from: EntityId, now: Time) -> StoreResult<()> {
        let Some(into) = entities::survivor(writer, self.agent.id, from)?.filter(|into| into.id != from)
        else {
            return Ok(());
        };
        let old = Subject { sort: SubjectType::Entity, id: from.to_string() };
        let new = Subject { sort: SubjectType::Entity, id: into.id.to_string() };
        // What is in the books is not all in the store yet.
        self.close_books(writer)?;
        let mut moved = claims::of_subject(writer, self.agent.id, &old)?;
        let keys: BTreeSet<String> = moved.iter().map(|claim| claim.key.clone()).collect();
        for key in &keys {
            let book = open(&mut self.books, writer, self.mind, self.agent, key)?;
            book.close_question(&mut self.reading, "merged", now);
            claims::withdraw_key(writer, self.agent.id, key, now)?;
        }
        for claim in &mut moved {
            claim.key = claim.key.replacen(&old.id, &new.id, 1);
            claim.seq = self.reading.take();
        }
        self.enter(writer, &moved)
    }

    /// Notes which rows say nothing yet, so that not each of them has to be asked for.
    fn note_unread(&mut self, reader: &mut Reader, events: &[Event]) -> StoreResult<()> {
        let rows: Vec<Id> = events.iter().filter_map(source::subject).map(|row| row.id).collect();
        let read = claims::read_already(reader, self.agent.id, &rows)?;
        self.unread = rows.into_iter().filter(|row| !read.contains(row)).collect();
        Ok(())
    }

    /// Reads what a source says, and enters what was not known of it yet.
    fn take_in(&mut self, writer: &mut Writer, desk: &mut Desk<'m>, source: &Source) -> StoreResult<()> {
        if let Some(old) = source.corrects {
            let old = SourceRef { sort: SourceSort::Memory, id: old.id() };
            let at = source.sayings.first().map_or(Time::MIN, |saying| saying.at);
            self.withdraw_for_good(writer, &Withdrawn::Row(old), "corrected", at)?;
        }
        let mut known = match self.unread.remove(&source.row.id) {
            true => Vec::new(),
            false => claims::of_source(writer, self.agent.id, source.row.id)?,
        };
        if source.row.sort == SourceSort::Entity && !known.is_empty() {
            // A profile is written anew as a whole.
            let at = source.sayings.first().map_or(Time::MIN, |saying| saying.at);
            self.withdraw_for_good(writer, &Withdrawn::Row(source.row), "profile_changed", at)?;
            known.clear();
        }
        let new: Vec<Claimed> = match known.is_empty() {
            true => {
                let found = self.read(writer, desk, source)?;
                found.iter().flat_map(|claim| self.claimed(source, claim)).collect()
            }
            // It was read before: somebody else says the same now.
            false => self.said_again(source, &known),
        };
        self.enter(writer, &new)
    }

    /// What a source says: as the rules read it, or else whatever it touches.
    fn read(&mut self, writer: &mut Writer, desk: &mut Desk<'m>, source: &Source) -> StoreResult<Vec<Claim>> {
        let found = desk.claims(writer, source)?;
        if !found.is_empty() {
            return Ok(found);
        }
        let named = desk.named(writer, source)?;
        let is_open = |subject: &Subject| {
            let prefix = prefix_of(subject);
            self.books.keys().any(|key| key.starts_with(&prefix))
        };
        if named.iter().any(is_open) {
            // What is believed since a moment ago counts too.
            self.close_books(writer)?;
        }
        desk.topical(writer, source, &named)
    }

    /// A claim, once for each independent time that its source was said.
    pub(crate) fn claimed(&mut self, source: &Source, claim: &Claim) -> Vec<Claimed> {
        let key = claim.key();
        let mut claimed = Vec::with_capacity(source.sayings.len());
        for saying in &source.sayings {
            claimed.push(Claimed {
                key: key.clone(),
                seq: self.reading.take(),
                source: source.row,
                sentence: claim.sentence.clone(),
                reader: claim.reader,
                confirms: false,
                voice: Voice {
                    value: claim.value.clone(),
                    says: claim.says,
                    replaces: claim.replaces.clone(),
                    voucher: saying.voucher,
                    piece: Piece {
                        sort: source.row.sort,
                        origins: saying.origins.clone(),
                        weight: saying.weight,
                        at: saying.at,
                    },
                },
            });
        }
        claimed
    }

    /// What was read out of a row before, once for each saying that is new.
    fn said_again(&mut self, source: &Source, known: &[Claimed]) -> Vec<Claimed> {
        let mut new = Vec::new();
        for saying in &source.sayings {
            if known.iter().any(|claim| claim.voice.piece.origins == saying.origins) {
                continue;
            }
            let first = known[0].voice.piece.origins.clone();
            for claim in known.iter().filter(|claim| claim.voice.piece.origins == first) {
                let mut again = claim.clone();
                again.seq = self.reading.take();
                again.voice.voucher = saying.voucher;
                again.voice.piece.origins = saying.origins.clone();
                again.voice.piece.weight = saying.weight;
                again.voice.piece.at = saying.at;
                new.push(again);
            }
        }
        new
    }

    /// Judges claims, and stores them.
    pub(crate) fn enter(&mut self, writer: &mut Writer, new: &[Claimed]) -> StoreResult<()> {
        let mut judged = Vec::with_capacity(new.len());
        for claim in new {
            let book = open(&mut self.books, writer, self.mind, self.agent, &claim.key)?;
            let claim = book.in_its_words(claim);
            let decision = book.enter(writer, &mut self.reading, &claim)?;
            self.done.count(decision);
            judged.push(claim);
        }
        self.done.claims += judged.len() as u64;
        if judged.is_empty() { Ok(()) } else { claims::insert(writer, self.agent.id, &judged) }
    }

    /// What is withdrawn counts no more; says of each question that it touches what became of the belief.
    pub(crate) fn withdraw(
        &mut self,
        reader: &mut Reader,
        withdrawn: &Withdrawn,
        reason: &'static str,
        now: Time,
    ) -> StoreResult<Vec<(String, LeftOut)>> {
        let mut keys: Vec<String> = self.withdrawn_claims(reader, withdrawn)?;
        keys.sort();
        keys.dedup();
        let mut outcomes = Vec::with_capacity(keys.len());
        for key in keys {
            let book = open(&mut self.books, reader, self.mind, self.agent, &key)?;
            let outcome = book.leave_out(reader, &mut self.reading, withdrawn, reason, now)?;
            outcomes.push((key, outcome));
        }
        Ok(outcomes)
    }

    /// The same, and it is noted with the claims and the evidence.
    pub(crate) fn withdraw_for_good(
        &mut self,
        writer: &mut Writer,
        withdrawn: &Withdrawn,
        reason: &'static str,
        now: Time,
    ) -> StoreResult<Vec<(String, LeftOut)>> {
        // What was said in this very reading is withdrawn like anything else: it must be there.
        self.close_books(writer)?;
        let outcomes = self.withdraw(writer, withdrawn, reason, now)?;
        match withdrawn {
            Withdrawn::Row(row) => {
                claims::withdraw(writer, self.agent.id, row.id, now)?;
                evidence::withdraw(writer, self.agent.id, *row, now)?;
            }
            Withdrawn::Origin(origin) => {
                claims::withdraw_origin(writer, self.agent.id, *origin, now)?;
                evidence::withdraw_origin(writer, self.agent.id, *origin, now)?;
            }
            // Its claims and its evidence are taken away, not kept.
            Withdrawn::Saying(..) => {}
        }
        Ok(outcomes)
    }

    /// The questions of the claims that are withdrawn.
    fn withdrawn_claims(&self, reader: &mut Reader, withdrawn: &Withdrawn) -> StoreResult<Vec<String>> {
        let claims = match withdrawn {
            Withdrawn::Row(row) => claims::of_source(reader, self.agent.id, row.id)?,
            Withdrawn::Origin(origin) => claims::of_origin(reader, self.agent.id, *origin)?,
            Withdrawn::Saying(row, origin) => {
                let mut said = claims::of_source(reader, self.agent.id, row.id)?;
                said.retain(|claim| claim.voice.piece.origins == [*origin]);
                said
            }
        };
        Ok(claims.into_iter().map(|claim| claim.key).collect())
    }

    /// The book of a question.
    pub(crate) fn book(&self, key: &str) -> Option<&Book<'m>> {
        self.books.get(key)
    }

    /// Writes what is in the books.
    fn close_books(&mut self, writer: &mut Writer) -> StoreResult<()> {
        let mut together = Together::default();
        for book in std::mem::take(&mut self.books).into_values() {
            book.close(writer, &mut together)?;
        }
        together.write(writer, self.agent.id)
    }

    /// Writes everything.
    pub(crate) fn finish(mut self, writer: &mut Writer) -> StoreResult<Consolidated> {
        let was_read = self.reading.read_seq >= events::head(writer, self.agent.id)?.seq;
        self.close_books(writer)?;
        if was_read {
            // What it recorded itself tells of no source.
            self.reading.read_seq = events::head(writer, self.agent.id)?.seq;
        }
        claims::keep_reading(writer, self.agent.id, self.reading)?;
        Ok(self.done)
    }
}

/// The book of a question.
fn open<'b, 'm>(
    books: &'b mut BTreeMap<String, Book<'m>>,
    reader: &mut Reader,
    mind: &'m Mind,
    agent: &'m Agent,
    key: &str,
) -> StoreResult<&'b mut Book<'m>> {
    if !books.contains_key(key) {
        books.insert(key.to_owned(), Book::open(reader, mind, agent, key)?);
    }
    Ok(books.entry(key.to_owned()).or_insert_with(|| unreachable!("it was just put there")))
}

impl Mind {
    /// Reads on in an agent's log, one transaction; says whether there is more.
    fn consolidate_batch(&self, agent: &Agent) -> Result<Consolidated> {
        if self.is_read(agent)? {
            return Ok(Consolidated::default());
        }
        let zone = Zone::parse(&agent.zone)?;
        Ok(self.store.background("consolidate", &[agent.id], |writer| {
            let mut keeping = Keeping::begin(writer, self, agent, &zone)?;
            keeping.read_on(writer)?;
            keeping.finish(writer)
        })?)
    }

    fn is_read(&self, agent: &Agent) -> Result<bool> {
        Ok(self.store.read(&Caller::agent(None), &[agent.id], |reader| {
            let head = events::head(reader, agent.id)?;
            Ok(claims::reading(reader, agent.id)?.read_seq >= head.seq)
        })?)
    }

    /// Reads an agent's log to its end.
    pub(crate) fn consolidate_agent(&self, agent: &Agent) -> Result<Consolidated> {
        let mut done = Consolidated::default();
        loop {
            done.add(self.consolidate_batch(agent)?);
            if !done.more {
                return Ok(done);
            }
        }
    }

    /// Reads the logs of agents that were written to a moment ago.
    pub(crate) fn consolidate_written(&self) -> Result<()> {
        let now = self.now();
        self.consolidate_those(&self.unread.due(|since| now.since(since) >= SETTLES || now < since))
    }

    /// Reads the logs of all that this process has written to. A process that ends calls it.
    pub fn consolidate_unread(&self) -> Result<()> {
        self.consolidate_those(&self.unread.due(|_| true))
    }

    fn consolidate_those(&self, agents: &[AgentId]) -> Result<()> {
        for agent in agents {
            if let Some(agent) = self.agents()?.into_iter().find(|known| known.id == *agent) {
                self.consolidate_agent(&agent)?;
            }
        }
        Ok(())
    }
}

impl Access<'_> {
    /// Reads what was stored and is not read yet, to the end.
    pub fn consolidate(&self) -> Result<Consolidated> {
        self.mind.consolidate_agent(&self.agent)
    }
}

/// The agents that were written to and whose logs are not read yet, as far as this process knows. What another process
/// wrote, and what a crash made this one forget, is found by the sweep.
#[derive(Default)]
pub(crate) struct Unread(Mutex<BTreeMap<AgentId, Time>>);

impl Unread {
    /// Notes that an agent is written to.
    pub(crate) fn note(&self, agent: AgentId, now: Time) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(agent).or_insert(now);
    }

    /// Those that have waited long enough, which are noted no more.
    fn due(&self, is_due: impl Fn(Time) -> bool) -> Vec<AgentId> {
        let mut noted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let due: Vec<AgentId> =
            noted.iter().filter(|(_, since)| is_due(**since)).map(|(agent, _)| *agent).collect();
        noted.retain(|agent, _| !due.contains(agent));
        due
    }
}

/// The sweep: every agent's log, some transactions in turn, until all are read.
pub struct Consolidate;

impl Job for Consolidate {
    fn kind(&self) -> &'static str {
        "consolidate"
    }

    fn prepare(&self, mind: &Mind, _duty: &Duty) -> Result<Effects> {
        let mut waiting = mind.agents()?;
        while !waiting.is_empty() {
            let mut unread = Vec::new();
            for agent in waiting {
                let mut more = true;
                for _ in 0..TURNS {
                    more = mind.consolidate_batch(&agent)?.more;
                    if !more {
                        break;
                    }
                }
                if more {
                    unread.push(agent);
                }
            }
            waiting = unread;
        }
        Ok(Effects::none())
    }
}
