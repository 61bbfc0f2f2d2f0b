//! What an agent believes, and why: observations, drawn from raw evidence and from nothing else.
//!
//! A text is read into claims ([`rules`], [`claim`]; what no rule reads may still touch a belief: [`topical`]); each claim
//! answers a question about a subject ([`slot`], [`value`], [`key`]) and is told in a sentence ([`summary`]);
//! claims are weighed by independent source ([`evidence`]); what becomes of the belief is decided here ([`decide`]), how far
//! it is believed is a sum that can be shown ([`confidence`]), it ages ([`freshness`]), and people correct it
//! ([`correction`]). Who stores all that is the store; who runs it is the engine.

pub mod calibration;
pub mod claim;
pub mod confidence;
pub mod correction;
pub mod decide;
pub mod evidence;
pub mod freshness;
pub mod key;
pub mod observation;
pub mod router;
pub mod rules;
pub mod slot;
pub mod subject;
pub mod summary;
pub mod topical;
pub mod value;
mod vocabulary;

pub use observation::{Observation, ObservationKind, Stance, Status};
pub use subject::{Subject, SubjectType};
