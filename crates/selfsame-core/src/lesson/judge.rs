//! What judgements and good outcomes do to a lesson.
//!
//! An outcome rewards only the lessons that the episode says it followed, and only a successful one by the record: rewarding
//! whatever lay in the prompt would make popular lessons popular.

use crate::contemplation::Episode;
use crate::id::LessonId;
use crate::lesson::extract::teaches;
use crate::word::words;

words! {
    /// What somebody makes of a lesson.
    Judgement, "judgement":
    /// It is right.
    Up = "up",
    /// It is not.
    Down = "down",
    /// It may be right, but it did not help.
    Unhelpful = "unhelpful",
}

/// What a good outcome, or a thumb up, adds: as much as a thumb down takes away.
pub const REWARD: f64 = 0.05;

/// What bad judgements take away.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Penalties {
    /// For a thumb down.
    pub down: f64,
    /// For a judgement as unhelpful.
    pub unhelpful: f64,
}

/// How sure a lesson is after a judgement, never below the floor.
pub fn judged(confidence: f64, judgement: Judgement, penalties: Penalties, floor: f64) -> f64 {
    match judgement {
        Judgement::Up => rewarded(confidence),
        Judgement::Down => (confidence - penalties.down).max(floor),
        Judgement::Unhelpful => (confidence - penalties.unhelpful).max(floor),
    }
}

/// How sure a lesson is that was followed to a good outcome.
pub fn rewarded(confidence: f64) -> f64 {
    (confidence + REWARD).min(1.0)
}

/// The lessons that an episode followed to a good outcome, each once. Whether they are there is the caller's to look up.
pub fn followed(episode: &Episode) -> Vec<LessonId> {
    if !episode.successful || !teaches(episode) {
        return Vec::new();
    }
    let cited = &episode.captured.account.lessons_applied;
    let mut ids: Vec<LessonId> = cited.iter().filter_map(|id| id.trim().parse().ok()).collect();
    ids.sort();
    ids.dedup();
    ids
}
