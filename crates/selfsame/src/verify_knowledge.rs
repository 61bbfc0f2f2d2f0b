//! Holds what is believed against what it rests on: evidence names rows that are there, the history of a belief ends where
//! it stands, and a question has one answer. That the words are what was sealed, and the index fits, is checked with the
//! other indexed layers.

use crate::error::StoreResult;
use crate::verify::PAGE;
use selfsame_core::id::{AgentId, EntityId, LessonId, MemoryId, ObservationId, ReflectionId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::evidence::{SourceRef, SourceSort};
use selfsame_core::knowledge::{Observation, Status};
use selfsame_store::knowledge::{evidence, observations};
use selfsame_store::{Reader, StoreError, entities, lessons, memory, reflections};
use std::collections::BTreeMap;

/// Numbers that went through a text may differ by less than this.
const SAME: f64 = 1e-9;

/// What does not fit, in words.
pub(crate) fn verify_knowledge(reader: &mut Reader, agent: AgentId) -> StoreResult<Vec<String>> {
    let mut problems = Vec::new();
    let mut active: BTreeMap<String, ObservationId> = BTreeMap::new();
    let mut after = ObservationId::of(selfsame_core::id::Id::NIL);
    loop {
        let page = observations::page(reader, agent, after, PAGE)?;
        if page.is_empty() {
            return Ok(problems);
        }
        for row in page {
            match row {
                Ok(row) => {
                    after = row.id;
                    problems.extend(missing_sources(reader, agent, row.id)?);
                    problems.extend(strayed(reader, agent, &row)?);
                    let is_active = row.standing.status == Status::Active;
                    if let Some(other) = is_active.then(|| active.insert(row.key.clone(), row.id)).flatten() {
                        let id = row.id;
                        problems.push(format!("observations {other} and {id} both answer one question"));
                    }
                }
                // Named already: it is indexed.
                Err(StoreError::Spoiled(spoiled)) => after = ObservationId::of(spoiled.id),
                Err(error) => return Err(error),
            }
        }
    }
}

/// Evidence that names a row which is not there.
fn missing_sources(reader: &mut Reader, agent: AgentId, id: ObservationId) -> StoreResult<Vec<String>> {
    let mut problems = Vec::new();
    for piece in evidence::of(reader, agent, id)? {
        if !is_there(reader, agent, piece.source)? {
            let sort = piece.source.sort.as_str();
            problems.push(format!("observation {id} rests on a {sort} that is not there"));
        }
    }
    Ok(problems)
}

fn is_there(reader: &mut Reader, agent: AgentId, source: SourceRef) -> StoreResult<bool> {
    let SourceRef { sort, id } = source;
    let found = match sort {
        SourceSort::Memory => {
            memory::by_id_hidden_or_not(reader, agent, MemoryId::of(id)).map(|row| row.is_some())
        }
        SourceSort::Lesson => lessons::by_id(reader, agent, LessonId::of(id)).map(|row| row.is_some()),
        SourceSort::Reflection => {
            reflections::by_id(reader, agent, ReflectionId::of(id)).map(|row| row.is_some())
        }
        SourceSort::Entity => entities::exists(reader, agent, EntityId::of(id)),
    };
    match found {
        // Damaged, and named as that, but there.
        Err(StoreError::Spoiled(_)) => Ok(true),
        found => found,
    }
}

/// Whether the history of a belief ends where it stands.
fn strayed(reader: &mut Reader, agent: AgentId, row: &Kept<Observation>) -> StoreResult<Option<String>> {
    let changes = observations::changes(reader, agent, row.id)?;
    let standing = &row.standing;
    let fits = changes.last().is_some_and(|last| {
        last.to == standing.status && (last.confidence - standing.confidence()).abs() < SAME
    });
    Ok((!fits).then(|| format!("the history of observation {} does not end where it stands", row.id)))
}
