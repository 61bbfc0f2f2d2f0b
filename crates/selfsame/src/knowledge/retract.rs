//! Retraction: a source is taken back. What rested on it alone falls, what is said elsewhere too stays.

use super::book::{LeftOut, Withdrawn};
use super::consolidate::Keeping;
use crate::error::{Error, Result, StoreResult};
use crate::mind::Access;
use selfsame_core::id::{ConversationId, EntityId, LessonId, MemoryId, MessageId, PrincipalId, ReflectionId};
use selfsame_core::knowledge::evidence::{Origin, SourceRef, SourceSort};
use selfsame_store::knowledge::claims;
use selfsame_store::{Idempotency, Reader, Replay, StoreError, memory};

/// A source to be taken back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Retraction {
    /// A memory, lesson, reflection or entity; a message, a conversation or a document that things came from; or a
    /// principal, for all that was said in that name.
    pub source: String,
    /// Only says what would fall.
    pub dry_run: bool,
}

/// What a retraction does.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Retracted {
    /// What falls, and what takes its place.
    pub fallen: Vec<Fallen>,
    /// Beliefs that stay, because they rest on something else too.
    pub standing: Vec<String>,
}

/// A belief that falls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fallen {
    /// The question.
    pub key: String,
    /// What was believed.
    pub summary: String,
    /// What is believed instead, if anything is.
    pub instead: Option<String>,
}

impl Access<'_> {
    /// Takes a source back, or says what that would do.
    pub fn retract(&self, retraction: &Retraction, key: Option<&Idempotency>) -> Result<Retracted> {
        if self.caller.author() != selfsame_core::trust::Author::Agent && !self.caller.is_operator() {
            return Err(Error::Forbidden("only the agent or its operator may take a source back".into()));
        }
        self.consolidate()?;
        let withdrawn = self.withdrawn(&retraction.source)?;
        if withdrawn.is_empty() {
            let source: String = retraction.source.chars().take(64).collect();
            return Err(Error::NoSuch { what: "belief that rests on", id: source });
        }
        let zone = self.zone()?;
        let now = self.mind.now();
        if retraction.dry_run {
            // The books are opened, changed, and thrown away.
            return self.preview(&withdrawn);
        }
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let mut keeping = Keeping::begin(writer, self.mind, &self.agent, &zone)?;
            let mut retracted = Retracted::default();
            for one in &withdrawn {
                let outcomes = keeping.withdraw_for_good(writer, one, "retracted", now)?;
                retracted.add(&keeping, &outcomes);
            }
            keeping.finish(writer)?;
            Ok(retracted)
        })?)
    }

    fn preview(&self, withdrawn: &[Withdrawn]) -> Result<Retracted> {
        let zone = self.zone()?;
        let now = self.mind.now();
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let mut keeping = Keeping::begin(reader, self.mind, &self.agent, &zone)?;
            let mut retracted = Retracted::default();
            for one in withdrawn {
                let outcomes = keeping.withdraw(reader, one, "retracted", now)?;
                retracted.add(&keeping, &outcomes);
            }
            Ok(retracted)
        })?)
    }

    /// What a name of a source stands for.
    fn withdrawn(&self, source: &str) -> Result<Vec<Withdrawn>> {
        let row = |sort, id| vec![Withdrawn::Row(SourceRef { sort, id })];
        let rows = match () {
            () if let Ok(id) = source.parse::<MemoryId>() => row(SourceSort::Memory, id.id()),
            () if let Ok(id) = source.parse::<LessonId>() => row(SourceSort::Lesson, id.id()),
            () if let Ok(id) = source.parse::<ReflectionId>() => row(SourceSort::Reflection, id.id()),
            () if let Ok(id) = source.parse::<EntityId>() => row(SourceSort::Entity, id.id()),
            () => Vec::new(),
        };
        if !rows.is_empty() {
            return self.those_that_say_something(rows);
        }
        if let Ok(principal) = source.parse::<PrincipalId>() {
            return self.said_by(principal);
        }
        if let Ok(message) = source.parse::<MessageId>() {
            let said = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
                memory::of_source(reader, self.agent.id, &message.to_string())
            })?;
            return self.those_that_say_something(rows_of(said));
        }
        let origin = match source.parse::<ConversationId>() {
            Ok(conversation) => Origin::conversation(conversation),
            Err(_) => Origin::document(source),
        };
        self.those_that_say_something(vec![Withdrawn::Origin(origin)])
    }

    fn said_by(&self, principal: PrincipalId) -> Result<Vec<Withdrawn>> {
        let said = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            memory::said_by(reader, self.agent.id, principal)
        })?;
        self.those_that_say_something(rows_of(said))
    }

    fn those_that_say_something(&self, withdrawn: Vec<Withdrawn>) -> Result<Vec<Withdrawn>> {
        Ok(self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| {
                let mut some = Vec::new();
                for one in &withdrawn {
                    some.push(says_something(reader, self.agent.id, one)?);
                }
                Ok(some)
            })?
            .into_iter()
            .zip(withdrawn)
            .filter_map(|(says, one)| says.then_some(one))
            .collect())
    }
}

fn rows_of(memories: Vec<MemoryId>) -> Vec<Withdrawn> {
    let row = |id: MemoryId| Withdrawn::Row(SourceRef { sort: SourceSort::Memory, id: id.id() });
    memories.into_iter().map(row).collect()
}

fn says_something(
    reader: &mut Reader,
    agent: selfsame_core::id::AgentId,
    withdrawn: &Withdrawn,
) -> StoreResult<bool> {
    Ok(match withdrawn {
        Withdrawn::Row(row) => !claims::of_source(reader, agent, row.id)?.is_empty(),
        Withdrawn::Origin(origin) => !claims::of_origin(reader, agent, *origin)?.is_empty(),
        Withdrawn::Saying(row, _) => !claims::of_source(reader, agent, row.id)?.is_empty(),
    })
}

impl Retracted {
    fn add(&mut self, keeping: &Keeping<'_>, outcomes: &[(String, LeftOut)]) {
        for (key, outcome) in outcomes {
            let Some(book) = keeping.book(key) else { continue };
            let summaries: Vec<&str> = book.beliefs().map(|belief| belief.summary.as_str()).collect();
            match outcome {
                LeftOut::Nothing => {}
                LeftOut::Stands => self.standing.extend(summaries.last().map(|last| (*last).to_owned())),
                LeftOut::Fell => self.fallen.push(Fallen {
                    key: key.clone(),
                    summary: summaries.first().copied().unwrap_or_default().to_owned(),
                    instead: summaries.get(1).map(|next| (*next).to_owned()),
                }),
            }
        }
    }
}

impl Replay for Retracted {
    fn encode(&self) -> String {
        let fallen: Vec<_> =
            self.fallen.iter().map(|one| serde_json::json!([one.key, one.summary, one.instead])).collect();
        serde_json::json!([fallen, self.standing]).to_string()
    }

    fn decode(stored: &str) -> std::result::Result<Retracted, StoreError> {
        type StoredFallen = (String, String, Option<String>);
        let (fallen, standing): (Vec<StoredFallen>, Vec<String>) =
            serde_json::from_str(stored).map_err(|_| StoreError::unreadable_reply())?;
        let fallen =
            fallen.into_iter().map(|(key, summary, instead)| Fallen { key, summary, instead }).collect();
        Ok(Retracted { fallen, standing })
    }
}
