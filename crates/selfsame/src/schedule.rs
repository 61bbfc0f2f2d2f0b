//! What is scheduled: listed with when it is due next, and what came of the last time.

use crate::error::{Result, StoreResult, check_limit};
use crate::mind::Access;
use selfsame_core::heartbeat::schedule::SourceKind;
use selfsame_core::id::{CalendarId, MemoryId, TodoId};
use selfsame_core::trust::Provenance;
use selfsame_store::{Reader, StoreError, calendar, memory, schedules, todos};

pub use selfsame_core::heartbeat::schedule::{Ending, Outcome, Source};
pub use selfsame_store::schedules::ScheduleRow;

/// Schedules in one answer, at most.
const MAX_LIMIT: usize = 500;

/// A schedule with the words of what it brings up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScheduleCard {
    /// The schedule.
    pub schedule: ScheduleRow,
    /// What the memory says, or the title of the to-do or entry.
    pub what: String,
}

impl Access<'_> {
    /// What is scheduled: the next first, then what has ended, the last first.
    pub fn schedules(&self, limit: usize) -> Result<Vec<ScheduleCard>> {
        check_limit(limit, MAX_LIMIT)?;
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let mut rows = schedules::running(reader, self.agent.id, limit as i64)?;
            rows.extend(schedules::ended(reader, self.agent.id, (limit - rows.len()) as i64)?);
            let mut cards = Vec::with_capacity(rows.len());
            for schedule in rows {
                let what = self.words_of(reader, schedule.source)?;
                cards.extend(what.map(|what| ScheduleCard { schedule, what }));
            }
            Ok(cards)
        })?)
    }

    /// The words of what is scheduled, if the caller may see them; what is damaged is `verify`'s to name.
    fn words_of(&self, reader: &mut Reader, source: Source) -> StoreResult<Option<String>> {
        let agent = self.agent.id;
        let said = match source.kind {
            SourceKind::Memory => memory::by_id(reader, agent, MemoryId::of(source.id))
                .map(|found| found.map(|one| (one.content.clone(), one.provenance.clone()))),
            SourceKind::Todo => todos::by_id(reader, agent, TodoId::of(source.id))
                .map(|found| found.map(|one| (one.title.clone(), one.provenance.clone()))),
            SourceKind::Calendar => calendar::by_id(reader, agent, CalendarId::of(source.id))
                .map(|found| found.map(|one| (one.title.clone(), one.provenance.clone()))),
        };
        let visible = |(_, provenance): &(String, Provenance)| provenance.is_visible_to(&self.caller);
        match said {
            Err(StoreError::Spoiled(_)) => Ok(None),
            said => Ok(said?.filter(visible).map(|(words, _)| words)),
        }
    }
}
