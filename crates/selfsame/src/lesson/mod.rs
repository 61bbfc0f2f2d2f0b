//! Lessons: written with their sources, listed, shown.
//!
//! - `learning`: drawn from episodes, by rules and by a thinker; `school`: what becomes of what was drawn;
//! - `reflecting`: what a stretch of episodes comes to; `feedback`: what people make of a lesson;
//! - `shown`: the few that go into a context.

mod feedback;
mod learning;
mod reflecting;
mod school;
mod shown;

pub use feedback::Judged;
pub(crate) use shown::lesson_words;

use crate::derived::each_once;
use crate::error::{Error, Result, StoreResult, check_field, check_limit};
use crate::mind::Access;
use crate::sound::all_sound;
use selfsame_core::event::Act;
use selfsame_core::id::{EpisodeId, LessonId, MemoryId};
use selfsame_core::kept::Kept;
use selfsame_core::lesson::{CONFIDENCE_AT_BIRTH, MAX_FIELD_BYTES, confidence_at};
use selfsame_core::memory::{MAX_TAG_BYTES, MAX_TAGS};
use selfsame_core::time::Time;
use selfsame_core::tokens::count;
use selfsame_store::{Idempotency, Reader, Replay, StoreError, events, lessons};

pub use selfsame_core::lesson::{Judgement, Lesson, LessonKind};

/// Lessons in one answer, at most.
const MAX_LIMIT: usize = 200;

/// Lessons that are looked through where all of them count: the surest. What is left out is hardly believed any more.
const STANDING: i64 = 500;

/// A lesson to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewLesson {
    /// What sort.
    pub kind: LessonKind,
    /// In which situation.
    pub context: Option<String>,
    /// What was done.
    pub action: Option<String>,
    /// What came of it.
    pub outcome: Option<String>,
    /// What follows.
    pub lesson: String,
    /// What to do instead.
    pub correction: Option<String>,
    /// Free labels.
    pub tags: Vec<String>,
    /// The tools it is about.
    pub tools: Vec<String>,
    /// The memories it was learned from.
    pub sources: Vec<MemoryId>,
}

impl NewLesson {
    /// Only what was learned, and from what.
    pub fn new(kind: LessonKind, lesson: impl Into<String>, sources: Vec<MemoryId>) -> NewLesson {
        NewLesson {
            kind,
            context: None,
            action: None,
            outcome: None,
            lesson: lesson.into(),
            correction: None,
            tags: Vec::new(),
            tools: Vec::new(),
            sources,
        }
    }

    fn check(&mut self) -> Result<()> {
        check_field("lesson", &self.lesson, MAX_FIELD_BYTES)?;
        for (field, text) in [
            ("context", &self.context),
            ("action", &self.action),
            ("outcome", &self.outcome),
            ("correction", &self.correction),
        ] {
            text.iter().try_for_each(|text| check_field(field, text, MAX_FIELD_BYTES))?;
        }
        check_list("tags", &mut self.tags)?;
        check_list("tools", &mut self.tools)
    }
}

fn check_list(field: &'static str, list: &mut Vec<String>) -> Result<()> {
    list.sort();
    list.dedup();
    if list.len() > MAX_TAGS {
        return Err(Error::Unfit(format!(
            "{field}: {} are more than {MAX_TAGS}; leave some out",
            list.len()
        )));
    }
    list.iter().try_for_each(|word| check_field(field, word, MAX_TAG_BYTES))
}

/// A lesson with what it was learned from.
#[derive(Clone, PartialEq, Debug)]
pub struct LessonCard {
    /// The lesson.
    pub lesson: Kept<Lesson>,
    /// How sure it is now.
    pub confidence: f64,
    /// The memories.
    pub sources: Vec<MemoryId>,
    /// The episodes.
    pub episodes: Vec<EpisodeId>,
}

/// A lesson was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Learned {
    /// Which.
    pub id: LessonId,
}

impl Access<'_> {
    /// Writes a lesson. It is believed as far as the least of its sources, and as its writer; it begins half sure.
    pub fn learn(&self, new: NewLesson, key: Option<&Idempotency>) -> Result<Learned> {
        let mut new = self.without_secrets(new);
        new.check()?;
        let sources = each_once(std::mem::take(&mut new.sources));
        let provenance = self.derived_from(&sources)?;
        let now = self.mind.now();
        self.mind.unread.note(self.agent.id, now);
        let id = LessonId::of(self.mind.mint.id(now));
        let lesson = Lesson {
            id,
            agent: self.agent.id,
            kind: new.kind,
            context: new.context,
            action: new.action,
            outcome: new.outcome,
            lesson: new.lesson,
            correction: new.correction,
            tags: new.tags,
            tools: new.tools,
            created_at: now,
            confidence: CONFIDENCE_AT_BIRTH,
            occurrences: 1,
            last_seen_at: now,
            updated_at: now,
            judged_at: now,
            merged_into: None,
            proposed: None,
        };
        let tokens = count(&lesson.lesson);
        let row = Kept::new(lesson, provenance).counted(tokens);
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            lessons::insert(writer, &row, &sources)?;
            let act = Act { act: "learned", subject_kind: "lesson", subject: id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(Learned { id })
        })?)
    }

    /// The lessons that stand for themselves, the surest first as of now.
    pub fn lessons(&self, limit: usize) -> Result<Vec<LessonCard>> {
        check_limit(limit, MAX_LIMIT)?;
        let now = self.mind.now();
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let mut rows = all_sound(lessons::surest(reader, self.agent.id, STANDING)?)?;
            rows.retain(|lesson| lesson.provenance.is_visible_to(&self.caller));
            // By rank they come as they were last judged; since then each has faded in its own time.
            rows.sort_by(|one, other| self.sureness(other, now).total_cmp(&self.sureness(one, now)));
            rows.truncate(limit);
            rows.into_iter().map(|lesson| self.card(reader, lesson, now)).collect()
        })?)
    }

    /// One lesson, if it is there.
    pub fn lesson(&self, id: LessonId) -> Result<Option<LessonCard>> {
        let now = self.mind.now();
        Ok(self.mind.store.read(&self.caller, &[self.agent.id], |reader| {
            let found = lessons::by_id(reader, self.agent.id, id)?;
            let seen = found.filter(|lesson| lesson.provenance.is_visible_to(&self.caller));
            seen.map(|lesson| self.card(reader, lesson, now)).transpose()
        })?)
    }

    fn card(&self, reader: &mut Reader, lesson: Kept<Lesson>, now: Time) -> StoreResult<LessonCard> {
        Ok(LessonCard {
            confidence: self.sureness(&lesson, now),
            sources: lessons::sources(reader, self.agent.id, lesson.id)?,
            episodes: lessons::episodes(reader, self.agent.id, lesson.id)?,
            lesson,
        })
    }

    /// How sure a lesson is at a moment.
    fn sureness(&self, lesson: &Lesson, now: Time) -> f64 {
        let settings = &self.mind.settings.lessons;
        confidence_at(lesson.confidence, lesson.judged_at, now, settings.half_life, settings.floor)
    }
}

impl Replay for Learned {
    fn encode(&self) -> String {
        format!("\"{}\"", self.id)
    }

    fn decode(stored: &str) -> std::result::Result<Learned, StoreError> {
        let damaged = StoreError::unreadable_reply;
        Ok(Learned { id: stored.trim_matches('"').parse().map_err(|_| damaged())? })
    }
}
