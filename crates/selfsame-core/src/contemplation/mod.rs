//! Time to think: when an agent has it, what it is given to think about, and what is kept of what it thought.

pub mod afterthought;
pub mod budget;
pub mod cadence;
pub mod decisions;
mod deck;
pub mod episode;
pub mod fault;
pub mod lenient;
pub mod parse;
pub mod phrases;
pub mod prompt;
pub(crate) mod reply;
pub mod retry;
pub mod season;
pub mod success;
pub mod tool;
pub mod work;

pub use budget::Purse;
pub use decisions::{InboxVerdict, InboxVerdicts};
pub use episode::{
    Account, Captured, Energy, Episode, EpisodeKind, IdentityLink, Mood, Outcome, Parse, ToolCheck, ToolClaim,
};
pub use fault::{Fault, FaultKind};
pub use parse::capture;
pub use tool::{CallOutcome, ToolClass};
pub use work::{WorkKind, WorkState, keeps_from_thinking};
