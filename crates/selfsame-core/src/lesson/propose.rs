//! When a lesson is so sure, and was seen so often and so long, that it is proposed as something the agent believes.

use crate::entity::EntityKind;
use crate::knowledge::ObservationKind;
use crate::knowledge::claim::{About, Reading, Says};
use crate::lesson::Lesson;

/// The question that lessons answer. Each is its own: two lessons about one tool do not contradict each other.
pub const SLOT: &str = "lesson";

/// What it takes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Ripe {
    /// How sure, at least.
    pub confidence: f64,
    /// How often it was seen, at least.
    pub occurrences: u32,
    /// On how many days, at least.
    pub days: u32,
}

impl Ripe {
    /// Whether a lesson has it. It was judged a moment ago: `confidence` is as of now.
    pub fn is_met(&self, confidence: f64, occurrences: i64, days: u64) -> bool {
        confidence >= self.confidence
            && occurrences >= i64::from(self.occurrences)
            && days >= u64::from(self.days)
    }
}

/// What a lesson says as a belief: of the one tool that it is about, or else of the agent itself.
pub fn proposal(lesson: &Lesson) -> Reading {
    let (about, kind) = match lesson.tools.as_slice() {
        [tool] => {
            (About::Named { name: tool.clone(), likely: EntityKind::Tool }, ObservationKind::ToolingState)
        }
        _ => (About::Agent, ObservationKind::SelfModel),
    };
    Reading {
        about,
        kind,
        slot: SLOT.to_owned(),
        many: true,
        value: lesson.lesson.clone(),
        says: Says::Holds,
        replaces: None,
        sentence: lesson.lesson.clone(),
    }
}
