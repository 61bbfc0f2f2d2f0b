//! Time to think: whose turn it is, what became of each, and what it brought.

pub mod cycles;
pub mod episodes;
pub mod turns;
