//! What happened to an agent, as its log has it.

use crate::error::{Result, StoreResult, check_limit};
use crate::mind::Access;
use crate::sound::sound;
use selfsame_core::contemplation::{Episode, IdentityLink};
use selfsame_core::event::Event;
use selfsame_core::id::{
    AgentId, CalendarId, CandidateId, ConversationId, DiaryId, EntityId, EpisodeId, Id, LessonId, LinkId,
    MemoryId, MessageId, NudgeId, ObservationId, PrincipalId, ReceiptId, ReflectionId, RunId, ScheduleId,
    SoulId, SummaryId, TodoId,
};
use selfsame_core::kept::Kept;
use selfsame_core::trust::{Caller, Provenance};
use selfsame_store::contemplation::episodes;
use selfsame_store::{Reader, events};
use std::collections::BTreeMap;

pub use selfsame_store::{Ear, News};

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

/// An event as it is told to those who watch.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// What happened.
    pub event: Event,
    /// To what, as people see it.
    pub subject: String,
    /// How the agent felt, where it had thought.
    pub presence: Option<Presence>,
}

/// How an agent felt in an episode: what its presence is drawn from.
#[derive(Clone, PartialEq, Debug)]
pub struct Presence {
    /// In a word or two.
    pub mood: String,
    /// With how much strength.
    pub energy: &'static str,
    /// Bad to good, -2 to 2.
    pub valence: f64,
    /// Calm to stirred, 0 to 1.
    pub arousal: f64,
    /// What of itself it touched.
    pub identity_links: Vec<IdentityLink>,
    provenance: Provenance,
}

impl Presence {
    fn of(episode: Kept<Episode>) -> Presence {
        let Kept { words, provenance, .. } = episode;
        let account = words.captured.account;
        Presence {
            mood: account.mood.state,
            energy: account.mood.energy.as_str(),
            valence: account.valence,
            arousal: account.arousal,
            identity_links: account.identity_links,
            provenance,
        }
    }

    /// Whether a caller may see it.
    pub fn is_visible_to(&self, caller: &Caller) -> bool {
        self.provenance.is_visible_to(caller)
    }
}

impl Access<'_> {
    /// The events after a number, as they are told to those who watch, and the number of the last there is. Whoever passes
    /// them on asks of each presence whether it may be seen.
    pub fn told(&self, after: i64, limit: usize) -> Result<(Vec<Told>, i64)> {
        check_limit(limit, MAX_LIMIT)?;
        let agent = self.agent.id;
        let (page, mut presences, head) = self.mind.store.read(&self.caller, &[agent], |reader| {
            let page = events::after(reader, agent, after, limit as i64)?;
            let thoughts: Vec<EpisodeId> = page.iter().filter_map(|(event, _)| thought(event)).collect();
            let presences = presences(reader, agent, &thoughts)?;
            Ok((page, presences, events::head(reader, agent)?.seq))
        })?;
        let told = page.into_iter().map(|(event, _)| Told {
            subject: shown(&event.subject_kind, event.subject),
            presence: thought(&event).and_then(|id| presences.remove(&id)),
            event,
        });
        Ok((told.collect(), head))
    }

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

/// The episode that an event tells of.
fn thought(event: &Event) -> Option<EpisodeId> {
    (event.act == "thought" && event.subject_kind == "episode").then(|| EpisodeId::of(event.subject))
}

/// What is forgotten or damaged is told without.
fn presences(
    reader: &mut Reader<'_>,
    agent: AgentId,
    ids: &[EpisodeId],
) -> StoreResult<BTreeMap<EpisodeId, Presence>> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let (rows, _) = sound(episodes::by_ids(reader, agent, ids)?)?;
    Ok(rows.into_iter().map(|row| (row.id, Presence::of(row))).collect())
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
        "import" => RunId::of(id).to_string(),
        "link" => LinkId::of(id).to_string(),
        "memory" | "monitor" => MemoryId::of(id).to_string(),
        "message" => MessageId::of(id).to_string(),
        "nudge" => NudgeId::of(id).to_string(),
        "principal" | "heartbeat" => PrincipalId::of(id).to_string(),
        "receipt" => ReceiptId::of(id).to_string(),
        "observation" => ObservationId::of(id).to_string(),
        "reflection" => ReflectionId::of(id).to_string(),
        "schedule" => ScheduleId::of(id).to_string(),
        "soul" => SoulId::of(id).to_string(),
        "summary" => SummaryId::of(id).to_string(),
        "todo" => TodoId::of(id).to_string(),
        other => format!("{other}_{id:?}"),
    }
}
