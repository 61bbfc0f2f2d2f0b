//! The tests of the judgement: values in, values out.

mod bm25;
mod duty;
mod fence;
mod id;
mod inbox;
mod json;
mod monitor;
mod plan;
mod retention;
mod sameness;
mod seal;
mod text;
mod time;
mod trust;
