//! A chat as it is believed: the user's sentences become memories, message by message, and what the mind then holds to
//! be at odds is traced back to the messages.

use super::super::room::{AGENT, Room};
use super::super::{Sample, Turn, Voice};
use super::{How, User};
use selfsame::id::MemoryId;
use selfsame::knowledge::{Belief, BeliefQuery, Explanation, ObservationKind, Stance, Status};
use selfsame::memory::Draft;
use selfsame::sentence::sentences;
use selfsame::time::Time;
use selfsame::{Access, Error, Mind, Speaker};
use selfsame_daemon::Failure;
use std::collections::{BTreeMap, BTreeSet};

/// Beliefs of one kind in one answer: the most that *know* gives.
const MOST: usize = 200;
/// What begins and ends code in a message. Nobody claims what stands between.
const CODE: &str = "```";

/// What is believed after a chat.
pub(super) struct Beliefs {
    /// Messages of the user.
    pub(super) messages: usize,
    /// Memories that were made of their sentences.
    pub(super) memories: usize,
    /// Every two messages that were found to be at odds, by their places, the earlier first.
    pub(super) flagged: BTreeMap<(usize, usize), Flag>,
    /// What is believed in the end.
    pub(super) active: Vec<Active>,
    /// Kinds of belief of which there were more than can be asked for.
    pub(super) cut: usize,
}

/// Why two messages were found to be at odds.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Flag {
    /// The question, or how two memories are at odds.
    pub(super) about: String,
    /// What the earlier and the later say.
    pub(super) words: [String; 2],
}

/// Something that is believed, and the messages that say so.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Active {
    /// The question.
    pub(super) about: String,
    pub(super) value: String,
    pub(super) summary: String,
    pub(super) said_in: BTreeSet<usize>,
}

impl Beliefs {
    /// Files the user's messages as they come, consolidating after each, and asks what is believed in the end.
    pub(super) fn of(sample: &Sample, how: &How) -> Result<Beliefs, Failure> {
        let begin = sample.turns.first().map_or(Time::from_micros(0), |turn| turn.at);
        let room = Room::new(how.settings, begin, None)?;
        let access = user(&room.mind, how.user)?;
        let mut filed = Filed { rows: BTreeMap::new(), max_bytes: how.settings.memory.max_content_bytes };
        let mut messages = 0;
        for (place, turn) in sample.turns.iter().enumerate() {
            if matches!(turn.voice, Voice::User(_)) {
                room.clock.set(turn.at);
                filed.file(&access, place, turn)?;
                messages += 1;
            }
        }
        Ok(filed.look(&access, messages)?)
    }
}

fn user(mind: &Mind, user: User) -> Result<Access<'_>, Error> {
    let operator = mind.access(AGENT, Speaker::Operator)?;
    match user {
        User::Operator => Ok(operator),
        User::Principal => {
            let principal = operator.principal_add("user", None, None)?;
            mind.access(AGENT, Speaker::Principal(principal.id))
        }
    }
}

/// Which messages became which memories.
struct Filed {
    rows: BTreeMap<MemoryId, BTreeSet<usize>>,
    max_bytes: usize,
}

impl Filed {
    fn file(&mut self, access: &Access, place: usize, turn: &Turn) -> Result<(), Error> {
        for sentence in spoken(&turn.text).iter().flat_map(|part| sentences(part)) {
            let sentence = sentence.trim();
            let words = &sentence[..sentence.floor_char_boundary(self.max_bytes)];
            let row = access.remember(Draft::new(words), None)?.id;
            self.rows.entry(row).or_default().insert(place);
        }
        access.consolidate().map(drop)
    }

    fn look(&self, access: &Access, messages: usize) -> Result<Beliefs, Error> {
        let mut found = Beliefs {
            messages,
            memories: self.rows.len(),
            flagged: BTreeMap::new(),
            active: Vec::new(),
            cut: 0,
        };
        for kind in ObservationKind::ALL {
            let query =
                BeliefQuery { kind: Some(*kind), history: true, limit: MOST, ..BeliefQuery::default() };
            let beliefs = access.know(&query)?.beliefs;
            found.cut += usize::from(beliefs.len() == MOST);
            for belief in beliefs {
                if let Some(explained) = access.why(belief.observation.id)? {
                    self.trace(&mut found, &belief, &explained);
                }
            }
        }
        for row in self.rows.keys() {
            self.trace_pairs(&mut found, access, *row)?;
        }
        Ok(found)
    }

    /// What speaks for a belief is at odds with what speaks against it.
    fn trace(&self, found: &mut Beliefs, belief: &Belief, explained: &Explanation) {
        let side = |stance: Stance| {
            let of_it = explained.evidence.iter().filter(move |piece| piece.evidence.stance == stance);
            of_it.flat_map(|piece| {
                let row = MemoryId::of(piece.evidence.source.id);
                self.places(row).map(move |place| (place, row, piece.evidence.excerpt.as_str()))
            })
        };
        for one in side(Stance::Support) {
            for other in side(Stance::Contradict) {
                flag(found, &belief.observation.key, one, other);
            }
        }
        if belief.status == Status::Active {
            let said_in = side(Stance::Support).map(|(place, ..)| place).collect();
            let held = &belief.observation;
            found.active.push(Active {
                about: held.key.clone(),
                value: held.value.clone(),
                summary: held.summary.clone(),
                said_in,
            });
        }
    }

    /// What was seen to be at odds when it was stored.
    fn trace_pairs(&self, found: &mut Beliefs, access: &Access, row: MemoryId) -> Result<(), Error> {
        let Some(portrait) = access.portrait(row)? else {
            return Ok(());
        };
        for pair in portrait.pairs.iter().filter(|pair| pair.memory == row) {
            let Some(other) = access.memory(pair.other)? else { continue };
            for place in self.places(row) {
                for earlier in self.places(pair.other) {
                    let one = (place, row, portrait.memory.content.as_str());
                    flag(found, &pair.how, one, (earlier, pair.other, other.content.as_str()));
                }
            }
        }
        Ok(())
    }

    fn places(&self, row: MemoryId) -> impl Iterator<Item = usize> {
        self.rows.get(&row).into_iter().flatten().copied()
    }
}

/// Notes that two messages are at odds, or two sentences of one. A sentence is not at odds with itself.
fn flag(found: &mut Beliefs, about: &str, one: (usize, MemoryId, &str), other: (usize, MemoryId, &str)) {
    let (earlier, later) = if one.0 <= other.0 { (one, other) } else { (other, one) };
    if earlier.1 != later.1 {
        found.flagged.entry((earlier.0, later.0)).or_insert_with(|| Flag {
            about: about.to_owned(),
            words: [earlier.2.to_owned(), later.2.to_owned()],
        });
    }
}

/// A message without its code.
fn spoken(text: &str) -> Vec<&str> {
    text.split(CODE).step_by(2).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_not_said() {
        assert_eq!(spoken("Look:\n```python\nx = 1\n```\nIs it right?"), ["Look:\n", "\nIs it right?"]);
        assert_eq!(spoken("Nothing but words."), ["Nothing but words."]);
    }
}
