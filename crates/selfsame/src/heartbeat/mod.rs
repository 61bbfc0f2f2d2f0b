//! What is said unasked, and how it goes out.

pub mod deliver;
