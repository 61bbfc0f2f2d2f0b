//! How a question finds its answers: a list of stages, each a file, each data in and data out.
//!
//! [`plan`] reads the question; the store proposes what its words, people and days are found in, laid out on a [`sheet`];
//! [`weigh`] makes [`features`] of that, of a long text by its [`parts`], with what [`meaning`] says where there are vectors; [`fuse`] makes one number of
//! those; [`abstain`] says whether there is likely an answer at all; [`phrase`] looks closer at the best; [`rank`] prefers
//! what the mode asks for; [`explain`] says why. Every number they are tuned with is in
//! [`weights`]. [`bm25`] scores words alone, for the layers that are searched by them.
//!
//! The index proposes, this crate disposes: no score is computed in SQL and ties are broken by where texts stand, so both
//! engines give the same answer.

pub mod abstain;
pub mod ask;
pub mod bm25;
pub mod explain;
pub mod features;
pub mod fillers;
pub mod fuse;
pub mod indexed;
pub mod learn;
pub mod marks;
pub mod meaning;
pub mod metrics;
pub mod parts;
pub mod phrase;
pub mod plan;
pub mod rank;
pub mod sheet;
pub mod thread;
pub mod weigh;
pub mod weights;

pub use ask::{Filter, Layer, Mode, Row};
pub use bm25::{Corpus, Posting, Scored, TermMatch, Weights};
pub use fuse::Fit;
pub use marks::Marks;
pub use plan::Plan;
pub use thread::{Sitting, Spot};
