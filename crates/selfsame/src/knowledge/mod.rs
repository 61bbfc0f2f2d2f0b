//! What an agent believes, and why: claims are read out of what is stored, weighed, and become observations.
//!
//! - `source`: what a stored row says, when, and with what weight;
//! - `desk`: who is meant, and which question is answered;
//! - `book`: all that was said of one question, and what is believed because of it;
//! - `consolidate`: reads the log and keeps the books; `revalidate`: looks again at what is due;
//! - `ask`, `feedback`, `retract`, `slots`: the verbs; `state` and `forget`: what *remember* and *forget* mean for beliefs.

mod ask;
mod book;
mod consolidate;
mod desk;
mod feedback;
mod forget;
mod phrasing;
mod propose;
mod retract;
mod revalidate;
mod slots;
mod source;
mod state;

pub use ask::{Belief, BeliefQuery, Conflicting, Explanation, Piece, Told};
pub use consolidate::{Consolidate, Consolidated};
pub use feedback::{Feedback, Judgement};
pub use retract::{Fallen, Retracted, Retraction};
pub use revalidate::Revalidate;

pub use selfsame_core::knowledge::confidence::{self, Components, Level};
pub use selfsame_core::knowledge::evidence::{SourceRef, SourceSort};
pub use selfsame_core::knowledge::slot::{Nature, Registered};
pub use selfsame_core::knowledge::value::value_key;
pub use selfsame_core::knowledge::{ObservationKind, Stance, Status, calibration};
pub use selfsame_store::knowledge::conflicts::Conflict;
pub use selfsame_store::knowledge::observations::Change;

pub(crate) use ask::held_at;
pub(crate) use consolidate::Unread;
pub(crate) use forget::{forget, forget_saying, tidy_questions};
pub(crate) use propose::propose;
pub(crate) use source::provenance_of_profile;
