//! The heartbeat: what falls due, and what is said about it.

pub mod due;
mod due_before;

pub use selfsame_core::heartbeat::{ladder, schedule};
