//! Which open plan an activity serves, which open question a fact answers: guessed from shared words when the writer did
//! not say.
//!
//! A guess links, it never closes: only a writer's own word resolves a plan or a question.

use super::{Fact, MemoryKind};

/// Content words that two texts must share, at least: one word in common is chance.
const FEWEST_SHARED: u32 = 2;
/// Of a plan's content words, the share that an activity must name.
const OF_A_PLAN: f64 = 0.5;
/// Of a question's content words, the share that an answer must name.
const OF_A_QUESTION: f64 = 0.6;

/// What sort of open memory a new one may be linked to.
pub const fn counterpart(kind: MemoryKind) -> Option<MemoryKind> {
    match kind {
        MemoryKind::Activity => Some(MemoryKind::Plan),
        MemoryKind::Identity
        | MemoryKind::Preference
        | MemoryKind::Relationship
        | MemoryKind::Knowledge
        | MemoryKind::Skill
        | MemoryKind::Event => Some(MemoryKind::Question),
        _ => None,
    }
}

/// How well a new memory fits an open one that shares `shared` of its `of` content words; nothing: not well enough.
pub fn fit(open: &Fact, shared: u32, of: u32) -> Option<f64> {
    let enough = match open.kind {
        MemoryKind::Plan => OF_A_PLAN,
        MemoryKind::Question => OF_A_QUESTION,
        _ => return None,
    };
    let share = f64::from(shared) / f64::from(of.max(1));
    (open.is_open() && shared >= FEWEST_SHARED && share >= enough).then_some(share)
}
