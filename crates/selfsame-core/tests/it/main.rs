//! The tests of the judgement: values in, values out.

mod bm25;
mod conversation;
mod duty;
mod entity;
mod id;
mod json;
mod plan;
mod relationship;
mod seal;
mod text;
mod time;
mod trust;
