//! All judgement of Selfsame, as pure functions over plain data.
//!
//! Nothing here reads a clock, a file, a socket or a dice: time and chance are arguments, so a year of an agent's life
//! can be replayed in a test. What talks to a database is in `selfsame-store`; what an embedder calls is `selfsame`.
//!
//! Where to start: [`memory`] (what a memory is), [`trust`] (who said it and how far it is believed),
//! [`recall`] (how a question finds it),
//! [`knowledge`] (what is believed because of it), [`time`] and [`text`] (the two things every part leans on).

pub mod audit;
pub mod calendar;
pub mod care;
pub mod contemplation;
pub mod context;
pub mod conversation;
pub mod diary;
pub mod duty;
pub mod entity;
pub mod event;
pub mod fence;
pub mod foreign;
pub mod forgetting;
pub mod heartbeat;
pub mod id;
pub mod inbox;
pub mod json;
pub mod kept;
pub mod knowledge;
pub mod lesson;
pub mod link;
pub mod local;
pub mod memory;
pub mod monitor;
pub mod nearest;
pub mod readiness;
pub mod recall;
pub mod reflection;
pub mod relationship;
pub mod seal;
pub mod secrets;
pub mod sentence;
pub mod soul;
pub mod text;
pub mod time;
pub mod todo;
pub mod tokens;
pub mod trust;
mod unreal;
pub mod vector;
pub mod when;
pub mod word;
