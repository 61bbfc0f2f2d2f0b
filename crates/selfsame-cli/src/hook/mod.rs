//! What is done when the program that an agent runs in tells of its session: it starts, the user says something, the agent has
//! answered, the window is about to be compacted, it ends.
//!
//! Nothing here may hold up the host. Who calls has a deadline and goes on without an answer ([`crate::commands::hook`]); what
//! could not be filed by then is kept in the data folder and filed by the next hook that gets through ([`late`]).

pub(crate) mod acts;
pub(crate) mod late;
pub(crate) mod told;
pub(crate) mod transcript;

use serde::{Deserialize, Serialize};

/// What a host tells of.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Event {
    SessionStart,
    UserPrompt,
    Stop,
    PreCompact,
    SessionEnd,
}

impl Event {
    const ALL: [Event; 5] =
        [Event::SessionStart, Event::UserPrompt, Event::Stop, Event::PreCompact, Event::SessionEnd];

    /// As the command line spells it.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Event::SessionStart => "session-start",
            Event::UserPrompt => "user-prompt",
            Event::Stop => "stop",
            Event::PreCompact => "pre-compact",
            Event::SessionEnd => "session-end",
        }
    }

    /// As most hosts spell it, where one did not say.
    pub(crate) const fn usual_spelling(self) -> &'static str {
        match self {
            Event::SessionStart => "SessionStart",
            Event::UserPrompt => "UserPromptSubmit",
            Event::Stop => "Stop",
            Event::PreCompact => "PreCompact",
            Event::SessionEnd => "SessionEnd",
        }
    }

    /// From the command line.
    pub(crate) fn parse(name: &str) -> Option<Event> {
        Event::ALL.into_iter().find(|event| event.name() == name)
    }

    /// All names, for whoever wrote another.
    pub(crate) fn names() -> String {
        Event::ALL.map(Event::name).join(", ")
    }
}
