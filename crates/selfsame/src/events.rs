//! What happened to an agent, as its log has it.

use crate::error::{Result, check_limit};
use crate::mind::Access;
use selfsame_core::event::Event;
use selfsame_core::id::{
    AgentId, CalendarId, CandidateId, ConversationId, DiaryId, EntityId, EpisodeId, Id, LessonId, MemoryId,
    MessageId, NudgeId, ObservationId, PrincipalId, ReceiptId, ReflectionId, ScheduleId, SoulId, TodoId,
};
use selfsame_store::events;

/// Events in one answer, at most.
const MAX_LIMIT: usize = 1000;

/// A part of the log.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Log {
    /// The oldest first, each with its subject as people see it.
    pub events: Vec<(Event, String)>,
    /// The number of the last event there is.
    pub head: i64,
}

impl Access<'_> {
    /// The events after a number, oldest first.
    pub fn events(&self, after: i64, limit: usize) -> Result<Log> {
        check_limit(limit, MAX_LIMIT)?;
        let (page, head) = self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let page = events::after(reader, self.agent.id, after, limit as i64)?;
            Ok((page, events::head(reader, self.agent.id)?))
        })?;
        let events = page.into_iter().map(|(event, _)| {
            let subject = shown(&event.subject_kind, event.subject);
            (event, subject)
        });
        Ok(Log { events: events.collect(), head: head.seq })
    }
}

/// An id with the prefix of its kind.
pub(crate) fn shown(kind: &str, id: Id) -> String {
    match kind {
        // Documents have names and no ids: an event says whose it is.
        "agent" | "document" => AgentId::of(id).to_string(),
        "calendar" => CalendarId::of(id).to_string(),
        "candidate" => CandidateId::of(id).to_string(),
        "conversation" => ConversationId::of(id).to_string(),
        "diary" => DiaryId::of(id).to_string(),
        "episode" => EpisodeId::of(id).to_string(),
        "entity" | "relationship" => EntityId::of(id).to_string(),
        "lesson" => LessonId::of(id).to_string(),
        "memory" | "monitor" => MemoryId::of(id).to_string(),
        "message" => MessageId::of(id).to_string(),
        "nudge" => NudgeId::of(id).to_string(),
        "principal" | "heartbeat" => PrincipalId::of(id).to_string(),
        "receipt" => ReceiptId::of(id).to_string(),
        "observation" => ObservationId::of(id).to_string(),
        "reflection" => ReflectionId::of(id).to_string(),
        "schedule" => ScheduleId::of(id).to_string(),
        "soul" => SoulId::of(id).to_string(),
        "todo" => TodoId::of(id).to_string(),
        other => format!("{other}_{id:?}"),
    }
}
