//! What *forget* means for beliefs: evidence goes and leaves its mark, beliefs that rested on it alone fall, and no belief
//! goes on saying what was forgotten.

use super::book::Withdrawn;
use super::consolidate::Keeping;
use crate::error::StoreResult;
use crate::forget::FORGOTTEN;
use crate::mind::Mind;
use selfsame_core::id::{AgentId, ObservationId};
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::evidence::{Origin, SourceRef};
use selfsame_core::knowledge::key::{Question, canonical, segment};
use selfsame_core::knowledge::slot::seeded;
use selfsame_core::knowledge::{Observation, Stance};
use selfsame_core::text::count_terms;
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_store::agents::Agent;
use selfsame_store::knowledge::{claims, conflicts, evidence, observations, slots};
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Writer, taken, vectors};
use std::collections::BTreeSet;

/// Takes a row out of all beliefs; gives the slots of the questions that it spoke to. An erasure must be open, and the row still be there.
pub(crate) fn forget(
    writer: &mut Writer,
    mind: &Mind,
    agent: &Agent,
    zone: &Zone,
    source: SourceRef,
    now: Time,
) -> StoreResult<BTreeSet<String>> {
    let cited = evidence::of_source(writer, agent.id, source)?;
    let said = claims::of_source(writer, agent.id, source.id)?;
    if !said.is_empty() {
        let mut keeping = Keeping::begin(writer, mind, agent, zone)?;
        keeping.withdraw(writer, &Withdrawn::Row(source), "forgotten", now)?;
        keeping.finish(writer)?;
        claims::delete(writer, agent.id, source.id)?;
    }
    for one in &cited {
        let hash = mind.words_hash("evidence", &one.excerpt);
        evidence::bury(writer, agent.id, one, &hash, now)?;
    }
    let excerpts: BTreeSet<&str> = cited.iter().map(|one| one.excerpt.as_str()).collect();
    let touched: BTreeSet<ObservationId> = cited.iter().map(|one| one.observation).collect();
    for id in &touched {
        if let Some(row) = observations::by_id(writer, agent.id, *id)? {
            reword(writer, row, &excerpts)?;
        }
    }
    let keys: BTreeSet<String> = said.into_iter().map(|claim| claim.key).collect();
    settle_rivals(writer, agent.id, &keys)?;
    Ok(keys.iter().filter_map(|key| Question::parse(key)).map(|question| question.slot).collect())
}

/// One independent source says a row no more: what was believed on its word is judged without it. The row's own words stay.
pub(crate) fn forget_saying(
    writer: &mut Writer,
    mind: &Mind,
    agent: &Agent,
    zone: &Zone,
    source: SourceRef,
    origin: Origin,
    now: Time,
) -> StoreResult<()> {
    let is_said = |origins: &[Origin]| origins == [origin];
    let claimed = claims::of_source(writer, agent.id, source.id)?;
    if claimed.iter().any(|claim| is_said(&claim.voice.piece.origins)) {
        let mut keeping = Keeping::begin(writer, mind, agent, zone)?;
        keeping.withdraw(writer, &Withdrawn::Saying(source, origin), "forgotten", now)?;
        keeping.finish(writer)?;
        claims::delete_saying(writer, agent.id, source.id, origin)?;
    }
    for one in evidence::of_source(writer, agent.id, source)?.iter().filter(|one| is_said(&one.piece.origins))
    {
        let hash = mind.words_hash("evidence", &one.excerpt);
        evidence::bury(writer, agent.id, one, &hash, now)?;
    }
    Ok(())
}

/// Says a belief in the words of what it still rests on; or, if that is nothing, in none.
fn reword(writer: &mut Writer, mut row: Kept<Observation>, gone: &BTreeSet<&str>) -> StoreResult<()> {
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
        Some(best) if gone.contains(row.summary.as_str()) => row.summary = best.excerpt.clone(),
        Some(_) => {}
        None => leave_nothing(&mut row),
    }
    // A thinker's words may be anybody's.
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

/// That something was believed is left, and of whom; not what. A question that is not known from the start may say as much,
/// and goes too.
fn leave_nothing(row: &mut Kept<Observation>) {
    row.summary = FORGOTTEN.to_owned();
    row.value = FORGOTTEN.to_owned();
    row.tags.clear();
    let (id, question) = (row.id, Question::parse(&row.key));
    match question {
        Some(Question { slot, value: None, .. }) if seeded(&slot).is_some() => {}
        Some(Question { subject, kind, slot, value: Some(_) }) if seeded(&slot).is_some() => {
            row.key = canonical(&subject, kind, &slot, Some(&id.to_string()));
        }
        _ => row.key = canonical(&row.subject, row.kind, &format!("forgotten-{id}"), None),
    }
}

/// A rival that nobody claims any more is no rival.
fn settle_rivals(writer: &mut Writer, agent: AgentId, keys: &BTreeSet<String>) -> StoreResult<()> {
    for row in observations::of_keys(writer, agent, keys)?.into_iter().flatten() {
        let claimed = claims::of_key(writer, agent, &row.key, i64::MAX)?;
        let claimed: BTreeSet<String> = claimed.into_iter().map(|claim| claim.voice.value).collect();
        for conflict in conflicts::of(writer, agent, row.id)? {
            if !claimed.contains(&conflict.rival) && conflict.rival != row.value {
                taken::conflict(writer, agent, conflict.id.id())?;
            }
        }
    }
    Ok(())
}

/// Questions that nothing answers any more are the words of what was forgotten, and go; `touched` are their slots.
pub(crate) fn tidy_questions(
    writer: &mut Writer,
    agent: AgentId,
    touched: &BTreeSet<String>,
) -> StoreResult<()> {
    if touched.is_empty() {
        return Ok(());
    }
    let used: BTreeSet<String> = taken::keys_in_use(writer, agent)?
        .iter()
        .filter_map(|key| Question::parse(key))
        .map(|question| question.slot)
        .collect();
    for slot in slots::all(writer, agent)? {
        // One that turned out to be another is known again when it is said again.
        let means = slot.joins.as_ref().unwrap_or(&slot.name);
        if touched.contains(&segment(means)) && !used.contains(&segment(&slot.name)) {
            taken::slot(writer, agent, &slot.name)?;
        }
    }
    Ok(())
}
