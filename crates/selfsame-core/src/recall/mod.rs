//! How a question finds its memories: a list of stages, each a file, each data in and data out.
//!
//! [`plan`] reads the question, the store proposes candidates, [`bm25`] scores them. The index proposes, this crate
//! disposes: no score is computed in SQL and ties are broken by where texts stand, so both engines give the same answer.

pub mod bm25;
pub mod plan;
pub mod thread;

pub use bm25::{Corpus, Posting, Scored, TermMatch, Weights};
pub use plan::Plan;
pub use thread::{Sitting, Spot};
