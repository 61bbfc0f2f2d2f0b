//! A lesson that is sure enough becomes a belief. Its evidence is the lesson and nothing else: what the agent once told of its
//! own thinking is no evidence of how things are.

use super::consolidate::Keeping;
use super::desk::Desk;
use super::source::{Saying, Source, Speaker};
use crate::error::StoreResult;
use crate::mind::Mind;
use selfsame_core::id::ObservationId;
use selfsame_core::kept::Kept;
use selfsame_core::knowledge::claim::Reader as ReadBy;
use selfsame_core::knowledge::decide::Voucher;
use selfsame_core::knowledge::evidence::{Base, Origin, SourceRef, SourceSort};
use selfsame_core::lesson::Lesson;
use selfsame_core::lesson::propose::proposal;
use selfsame_core::local::plain_date;
use selfsame_core::time::{Time, Zone};
use selfsame_core::trust::Author;
use selfsame_store::Writer;
use selfsame_store::agents::Agent;
use selfsame_store::knowledge::observations;

/// Enters what a lesson says; gives what is believed because of it. The agent's own days on which it was seen are the
/// independent sources behind it: what the agent said itself on such a day is not counted twice.
pub(crate) fn propose(
    writer: &mut Writer,
    mind: &Mind,
    agent: &Agent,
    zone: &Zone,
    lesson: &Kept<Lesson>,
    days: &[String],
    now: Time,
) -> StoreResult<Option<ObservationId>> {
    let seen = days.iter().filter_map(|day| plain_date(day));
    let saying = Saying {
        origins: seen.map(|day| Origin::day(Author::Agent, None, day)).collect(),
        weight: Base::Lesson(lesson.confidence).weight() * lesson.provenance.trust().value(),
        voucher: Voucher::Other,
        at: now,
    };
    let source = Source {
        row: SourceRef { sort: SourceSort::Lesson, id: lesson.id.id() },
        text: lesson.lesson.clone(),
        speaker: Speaker::Agent,
        principal: lesson.provenance.principal_id(),
        about: None,
        sayings: vec![saying],
        corrects: None,
        provenance: lesson.provenance.clone(),
    };
    let Some(claim) = Desk::new(mind, agent).claim(writer, &source, &proposal(lesson), ReadBy::Rules)? else {
        return Ok(None);
    };
    let mut keeping = Keeping::begin(writer, mind, agent, zone)?;
    let claimed = keeping.claimed(&source, &claim);
    keeping.enter(writer, &claimed)?;
    keeping.finish(writer)?;
    Ok(observations::latest_of_key(writer, agent.id, &claim.key())?.map(|row| row.id))
}
