//! The tests of the judgement: values in, values out.

mod bm25;
mod calendar;
mod duty;
mod id;
mod json;
mod plan;
mod seal;
mod text;
mod time;
mod trust;
