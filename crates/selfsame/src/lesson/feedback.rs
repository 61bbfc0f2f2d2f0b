//! What people make of a lesson.

use crate::error::{Error, Result, StoreResult};
use crate::mind::Access;
use selfsame_core::event::Act;
use selfsame_core::id::LessonId;
use selfsame_core::lesson::Judgement;
use selfsame_core::lesson::judge::{Penalties, judged};
use selfsame_core::trust::Author;
use selfsame_store::{Idempotency, Replay, StoreError, Writer, events, lessons};

/// A lesson was judged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Judged {
    /// Which.
    pub id: LessonId,
    /// How sure it is now.
    pub confidence: f64,
}

impl Access<'_> {
    /// Takes somebody's judgement of a lesson. An agent may doubt its own lessons, and leaves praise to others.
    pub fn judge_lesson(
        &self,
        id: LessonId,
        judgement: Judgement,
        key: Option<&Idempotency>,
    ) -> Result<Judged> {
        match self.caller.author() {
            Author::Principal => {}
            Author::Agent if judgement != Judgement::Up => {}
            Author::Agent => {
                let told =
                    "an agent does not praise its own lessons: what helped is cited where it was followed";
                return Err(Error::Forbidden(told.into()));
            }
            _ => return Err(Error::Forbidden("only people and the agent itself judge lessons".into())),
        }
        let found = self.lesson(id)?.ok_or_else(|| Error::NoSuch { what: "lesson", id: id.to_string() })?;
        if let Some(into) = found.lesson.merged_into {
            return Err(Error::Unfit(format!("{id} goes on in {into}, which says the same: judge that one")));
        }
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            self.write_judgement(writer, id, judgement)
        })?)
    }

    fn write_judgement(
        &self,
        writer: &mut Writer,
        id: LessonId,
        judgement: Judgement,
    ) -> StoreResult<Judged> {
        let (agent, settings) = (self.agent.id, &self.mind.settings.lessons);
        let Some(mut lesson) = lessons::by_id(writer, agent, id)? else {
            return Err(StoreError::Damaged("a lesson that was just there is gone".into()));
        };
        let now = self.mind.now();
        let penalties = Penalties { down: settings.thumbs_down, unhelpful: settings.unhelpful };
        lesson.confidence = judged(self.sureness(&lesson, now), judgement, penalties, settings.floor);
        (lesson.judged_at, lesson.updated_at) = (now, now);
        lessons::judge(writer, &lesson)?;
        events::record(
            writer,
            agent,
            now,
            &[Act { act: "judged", subject_kind: "lesson", subject: id.id() }],
        )?;
        Ok(Judged { id, confidence: lesson.confidence })
    }
}

impl Replay for Judged {
    fn encode(&self) -> String {
        let Judged { id, confidence } = self;
        format!("[\"{id}\",{confidence}]")
    }

    fn decode(stored: &str) -> std::result::Result<Judged, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let (id, confidence): (String, f64) = serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(Judged { id: id.parse().map_err(|_| damaged())?, confidence })
    }
}
