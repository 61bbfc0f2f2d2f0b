//! The few lessons that go into a context.

use super::STANDING;
use crate::error::Result;
use crate::mind::Access;
use crate::sound::{Sound, sound};
use selfsame_core::id::LessonId;
use selfsame_core::lesson::Lesson;
use selfsame_core::lesson::inject::{Choice, Weights, chosen};
use selfsame_store::lessons;

/// A lesson, as a prompt shows it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct LessonShown {
    pub(crate) id: LessonId,
    pub(crate) text: String,
    pub(crate) trust: f64,
    /// What sort, and how sure it is now.
    pub(crate) note: Option<String>,
}

impl Access<'_> {
    /// The lessons to have in mind for these words, the best first, as the caller may see them.
    pub(crate) fn lesson_entries(&self, words: &str) -> Result<Vec<LessonShown>> {
        let now = self.mind.now();
        let (rows, _) = self.lessons_for(words)?;
        let shown = |lesson: &selfsame_core::kept::Kept<Lesson>| LessonShown {
            id: lesson.id,
            text: lesson_words(lesson),
            trust: lesson.provenance.trust().value(),
            note: Some(format!("{}, confidence {:.2}", lesson.kind.as_str(), self.sureness(lesson, now))),
        };
        Ok(rows.iter().map(shown).collect())
    }

    /// The same as rows, with the names of those that are damaged.
    pub(crate) fn lessons_for(&self, words: &str) -> Result<Sound<Lesson>> {
        let (agent, now) = (self.agent.id, self.mind.now());
        let (mut rows, damaged) = self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| sound(lessons::surest(reader, agent, STANDING)?))?;
        rows.retain(|lesson| lesson.provenance.is_visible_to(&self.caller));
        let best = chosen(rows.iter().map(|row| &row.words), words, &self.choice(), now);
        let place = |id: LessonId| best.iter().position(|one| one.id == id);
        rows.retain(|lesson| place(lesson.id).is_some());
        rows.sort_by_key(|lesson| place(lesson.id));
        Ok((rows, damaged))
    }

    fn choice(&self) -> Choice {
        let settings = &self.mind.settings.lessons;
        Choice {
            weights: Weights {
                confidence: settings.weight_confidence,
                overlap: settings.weight_overlap,
                recency: settings.weight_recency,
                occurrences: settings.weight_occurrences,
            },
            least_confidence: settings.injected_confidence,
            most: settings.injected,
            half_life: settings.half_life,
            floor: settings.floor,
        }
    }
}

/// What follows, in which situation, and what to do instead.
pub(crate) fn lesson_words(lesson: &Lesson) -> String {
    let context = lesson.context.as_ref().map(|context| format!("{context}: ")).unwrap_or_default();
    let instead =
        lesson.correction.as_ref().map(|instead| format!("\nInstead: {instead}")).unwrap_or_default();
    format!("{context}{}{instead}", lesson.lesson)
}
