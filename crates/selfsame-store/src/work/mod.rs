//! Work for thinkers: what is to be done, who tried, which tools were used, and what it cost.

pub mod attempts;
pub mod calls;
pub mod items;
pub mod spend;
