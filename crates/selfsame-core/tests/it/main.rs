//! The tests of the judgement: values in, values out.

mod bm25;
mod calendar;
mod context;
mod conversation;
mod duty;
mod entity;
mod fence;
mod id;
mod inbox;
mod json;
mod learn;
mod metrics;
mod monitor;
mod plan;
mod relationship;
mod retention;
mod sameness;
mod seal;
mod text;
mod thread;
mod time;
mod tokens;
mod trust;
mod when;
