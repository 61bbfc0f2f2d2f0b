//! How a question finds its memories: a list of stages, each a file, each data in and data out.
//!
//! [`plan`] reads the question, the store proposes candidates, [`bm25`] scores them. The index proposes, this crate
//! disposes: no score is computed in SQL and ties are broken by id, so both engines give the same answer.
//!
//! Beside them: [`metrics`] says how good a ranking is, [`learn`] finds the weights of a good one. Recall uses neither.

pub mod ask;
pub mod bm25;
pub mod learn;
pub mod metrics;
pub mod plan;

pub use ask::{Filter, Layer, Mode};
pub use bm25::{Corpus, Posting, Scored, TermMatch, Weights};
pub use plan::Plan;
