//! Measuring what is believed, without a model and without a thinker.
//!
//! [`chat`] files the chats of BEAM and looks which messages were found to be at odds; [`labels`] sets that beside what the
//! makers of the data say. [`history`] makes up histories whose truth is known, [`life`] lives through them. [`report`]
//! makes figures of both.

mod chat;
mod history;
mod labels;
mod life;
pub(crate) mod report;

use super::beam;
use super::{bad, entries};
use report::Report;
use selfsame::config::Settings;
use selfsame_daemon::Failure;
use std::path::Path;

/// How a run is done.
pub(crate) struct How<'a> {
    pub(crate) settings: &'a Settings,
    /// Whose words the user's messages are.
    pub(crate) user: User,
    /// How many histories are lived through.
    pub(crate) histories: usize,
}

/// Whose words the messages of a chat's user are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum User {
    /// The operator's: they outrank evidence, and what they say last is believed.
    Operator,
    /// Another principal's: they are weighed.
    Principal,
}

/// Files every chat and lives through every history; says how far it is.
pub(crate) fn run(path: &Path, how: &How, progress: &dyn Fn(&str)) -> Result<Report, Failure> {
    let folders = beam::samples(path, &entries(path)?);
    if folders.is_empty() {
        let what =
            "no chat to measure on: put folders with chat.json and probing_questions.json (BEAM) there";
        return Err(bad(path, what));
    }
    let chats = beam::labelled(&folders)?;
    let mut found = Vec::with_capacity(chats.len());
    for chat in &chats {
        progress(&format!("{}: filing {} turns", chat.sample.name, chat.sample.turns.len()));
        found.push(chat::Beliefs::of(&chat.sample, how)?);
    }
    let mut lives = Vec::with_capacity(how.histories);
    for seed in 0..how.histories {
        progress(&format!("history {} of {}", seed + 1, how.histories));
        lives.push(life::Life::of(&history::History::new(seed as u64), how.settings)?);
    }
    Ok(Report::new(&chats, &found, &lives))
}
