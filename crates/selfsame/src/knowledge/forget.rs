//! What *forget* means for beliefs: evidence goes and leaves its mark, beliefs that rested on it alone fall, and no belief
//! goes on saying what was forgotten.

use super::book::Withdrawn;
use super::consolidate::Keeping;
use crate::error::StoreResult;
use crate::mind::Mind;
use selfsame_core::id::ObservationId;
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::evidence::SourceRef;
use selfsame_core::knowledge::{Observation, Stance};
use selfsame_core::text::count_terms;
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_store::agents::Agent;
use selfsame_store::knowledge::{claims, evidence, observations};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Writer, vectors};
use std::collections::BTreeSet;

/// What stands for words that were forgotten.
const FORGOTTEN: &str = "[forgotten]";

/// Takes a row out of all beliefs. An erasure must be open, and the row still be there.
pub(crate) fn forget(
    writer: &mut Writer,
    mind: &Mind,
    agent: &Agent,
    zone: &Zone,
    source: SourceRef,
    now: Time,
) -> StoreResult<()> {
    let cited = evidence::of_source(writer, agent.id, source)?;
    if !claims::of_source(writer, agent.id, source.id)?.is_empty() {
        let mut keeping = Keeping::begin(writer, mind, agent, zone)?;
        keeping.withdraw(writer, &Withdrawn::Row(source), "forgotten", now)?;
        keeping.finish(writer)?;
        claims::delete(writer, agent.id, source.id)?;
    }
    for one in &cited {
        evidence::bury(writer, agent.id, one, now)?;
    }
    let touched: BTreeSet<ObservationId> = cited.iter().map(|one| one.observation).collect();
    let excerpts: BTreeSet<&str> = cited.iter().map(|one| one.excerpt.as_str()).collect();
    for id in touched {
        if let Some(row) = observations::by_id(writer, agent.id, id)?
            && excerpts.contains(row.summary.as_str())
        {
            reword(writer, row)?;
        }
    }
    Ok(())
}

/// Says a belief in the words of what it still rests on; or, if that is nothing, in none.
fn reword(writer: &mut Writer, mut row: Kept<Observation>) -> StoreResult<()> {
    let left = evidence::newest_of(writer, row.agent, row.id, 64)?;
    let support = left.iter().filter(|one| one.stance == Stance::Support);
    let heaviest = support.max_by(|one, other| one.piece.weight.total_cmp(&other.piece.weight));
    let is_indexed = row.standing.status.is_held();
    if is_indexed {
        let words = count_terms(&row.indexed_text());
        postings::remove(writer, row.agent, Kind::Observation, row.id.id(), &words)?;
        vectors::remove(writer, row.agent, Kind::Observation, row.id.id())?;
    }
    match heaviest {
        Some(best) => row.summary = best.excerpt.clone(),
        None => {
            row.summary = FORGOTTEN.to_owned();
            row.value = FORGOTTEN.to_owned();
            if let Some((question, _)) = row.key.clone().split_once('#') {
                row.key = format!("{question}#{}", row.id);
            }
        }
    }
    row.phrasing = None;
    row.detail = None;
    let tokens = count(&row.summary);
    let row = row.counted(tokens);
    observations::reword(writer, &row)?;
    if is_indexed {
        let words = count_terms(&row.indexed_text());
        let text = crate::indexing::of_observation(&row, &words);
        postings::insert(writer, row.agent, Kind::Observation, &text)?;
    }
    Ok(())
}
