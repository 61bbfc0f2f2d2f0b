//! A sample in a mind of its own: a temporary folder, a clock that follows the data, and every turn filed.

use super::lent::Lent;
use super::room::{AGENT, Room};
use super::run::How;
use super::{SECOND, Sample, Turn, Voice};
use rustix::time::{ClockId, clock_gettime};
use selfsame::conversation::{Place, Role, Saying};
use selfsame::entity::{EntityKind, NewEntity};
use selfsame::id::{EntityId, Id};
use selfsame::memory::Draft;
use selfsame::{Access, Error, Mind, Speaker};
use selfsame_daemon::Failure;
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Questions are asked so long after the last turn.
const LATER: Duration = Duration::from_secs(24 * 60 * 60);

/// A mind with one sample in it.
pub(super) struct Filed {
    room: Room,
    /// The row of each turn.
    pub(super) rows: Vec<Id>,
    pub(super) effort: Effort,
}

/// What filing took.
#[derive(Clone, Copy, Default)]
pub(crate) struct Effort {
    pub(crate) turns: usize,
    /// Turns that were longer than a text may be, and were cut.
    pub(crate) cut: usize,
    pub(crate) took: Took,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct Took {
    pub(crate) wall: Duration,
    pub(crate) cpu: Duration,
}

/// As what turns are filed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum As {
    /// As the data says.
    Given,
    /// As memories, whatever they are.
    Memories,
}

impl Filed {
    /// Files every turn, as the settings have it but always into a file of its own.
    pub(super) fn new(sample: &Sample, how: &How) -> Result<Filed, Failure> {
        let begin = sample.turns.first().map_or(selfsame::time::Time::from_micros(0), |turn| turn.at);
        let embedder = how.embedder.as_ref().map(Lent::embedder);
        let room = Room::new(how.settings, begin, embedder)?;
        let Room { mind, clock, .. } = &room;
        let max_bytes = how.settings.memory.max_content_bytes;
        let mut desk = Desk::new(mind, how.filed_as, max_bytes)?;
        let (rows, took) = timed(|| {
            let file = |turn: &Turn| {
                clock.set(turn.at);
                desk.file(turn)
            };
            sample.turns.iter().map(file).collect::<Result<Vec<Id>, Error>>()
        });
        let effort = Effort { turns: sample.turns.len(), cut: desk.cut, took };
        let rows = desk.latest(rows?);
        clock.advance(LATER.max(SECOND));
        Ok(Filed { room, rows, effort })
    }

    /// Who asks the questions.
    pub(super) fn asker(&self) -> Result<Access<'_>, Failure> {
        Ok(self.room.mind.access(AGENT, Speaker::Operator)?)
    }
}

/// Where turns are handed in, with whom was met so far.
struct Desk<'m> {
    host: Access<'m>,
    operator: Access<'m>,
    people: BTreeMap<String, EntityId>,
    /// Memories that have a next edition.
    replaced: BTreeMap<Id, Id>,
    filed_as: As,
    max_bytes: usize,
    cut: usize,
}

impl<'m> Desk<'m> {
    fn new(mind: &'m Mind, filed_as: As, max_bytes: usize) -> Result<Desk<'m>, Failure> {
        let operator = mind.access(AGENT, Speaker::Operator)?;
        let host = mind.access(AGENT, Speaker::Host(Some(operator.agent().operator)))?;
        let (people, replaced) = (BTreeMap::new(), BTreeMap::new());
        Ok(Desk { host, operator, people, replaced, filed_as, max_bytes, cut: 0 })
    }

    /// The row that a turn became.
    fn file(&mut self, turn: &Turn) -> Result<Id, Error> {
        let words = clipped(&turn.text, self.max_bytes);
        self.cut += usize::from(words.len() < turn.text.len());
        let (conversation, role, name) = match (&turn.voice, self.filed_as) {
            (Voice::Memory, _) | (_, As::Memories) => return self.remember(words),
            (Voice::User(conversation), _) => (conversation, Role::User, None),
            (Voice::Assistant(conversation), _) => (conversation, Role::Assistant, None),
            (Voice::Person { conversation, name }, _) => (conversation, Role::Peer, Some(name)),
        };
        let speaker = name.map(|name| self.person(name)).transpose()?.map(|person| person.to_string());
        let place = Place::Channel(conversation.clone());
        let saying = Saying { role: Some(role), speaker, at: Some(turn.at), ..Saying::new(place, words) };
        Ok(self.host.conversation_say(&saying, None)?.message.id())
    }

    fn remember(&mut self, words: &str) -> Result<Id, Error> {
        let remembered = self.operator.remember(Draft::new(words), None)?;
        if let Some(replaced) = remembered.replaces {
            self.replaced.insert(replaced.id(), remembered.id.id());
        }
        Ok(remembered.id.id())
    }

    /// The entity of that name, made when it first speaks.
    fn person(&mut self, name: &str) -> Result<EntityId, Error> {
        if let Some(known) = self.people.get(name) {
            return Ok(*known);
        }
        let new = NewEntity { name: name.to_owned(), kind: EntityKind::Person, aliases: Vec::new() };
        let id = self.host.entity_add(&new, None)?.id;
        self.people.insert(name.to_owned(), id);
        Ok(id)
    }

    /// The rows as they are in the end: what got a next edition is found as that.
    fn latest(&self, mut rows: Vec<Id>) -> Vec<Id> {
        for row in &mut rows {
            while let Some(next) = self.replaced.get(row) {
                *row = *next;
            }
        }
        rows
    }
}

/// As much of a text as may be stored.
fn clipped(text: &str, max_bytes: usize) -> &str {
    &text[..text.floor_char_boundary(max_bytes)]
}

/// Runs something, and says what it took. On a shared machine the CPU time is the figure that repeats.
pub(super) fn timed<T>(work: impl FnOnce() -> T) -> (T, Took) {
    let (wall, cpu) = (Instant::now(), cpu_time());
    let result = work();
    (result, Took { wall: wall.elapsed(), cpu: cpu_time().saturating_sub(cpu) })
}

fn cpu_time() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ProcessCPUTime)).unwrap_or_default()
}
