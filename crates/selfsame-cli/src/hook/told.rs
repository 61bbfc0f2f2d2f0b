//! What a host says on standard input, whatever its dialect, and how it wants to be answered.
//!
//! Claude Code, Codex, Gemini CLI and VS Code speak alike (`session_id`, `prompt`, `hookSpecificOutput`); Cursor has names of its
//! own. Fields that are missing or of another sort are as if they were not there: a new version of a host must not break it.

use super::Event;
use selfsame::fence::fileable;
use selfsame::seal::{hex, sha256};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::path::PathBuf;

/// Bytes of a host's name for its session that are kept: a channel holds 256.
const MAX_SESSION_BYTES: usize = 160;

/// What was told, in our own words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) event: Event,
    /// The host, such as `claude-code`.
    pub(crate) client: String,
    /// The host's own name for its session.
    pub(crate) session: String,
    /// The host's own name for the event.
    pub(crate) spelling: Option<String>,
    /// What the user said, or the agent's last words.
    pub(crate) words: Option<String>,
    /// Where the host keeps what was said.
    pub(crate) transcript: Option<PathBuf>,
    /// The host's own name for the turn.
    pub(crate) turn: Option<String>,
    /// Tells this call from all others.
    pub(crate) call: String,
}

impl Told {
    /// From what came in; none if it is no JSON object.
    pub(crate) fn read(event: Event, client: Option<&str>, input: &[u8], call: String) -> Option<Told> {
        let said: Value = serde_json::from_slice(input).ok()?;
        let said = said.as_object()?;
        let text = |names: &[&str]| {
            names.iter().find_map(|name| said.get(*name)?.as_str()).filter(|text| !text.trim().is_empty())
        };
        let spelling = text(&["hook_event_name", "hookEventName"]).map(str::to_owned);
        let is_cursor = said.contains_key("cursor_version") || said.contains_key("conversation_id");
        let client = match client {
            Some(client) => plain(client),
            None => guessed(is_cursor, spelling.as_deref(), said.contains_key("turn_id")).to_owned(),
        };
        let words = match event {
            Event::UserPrompt => text(&["prompt", "user_prompt"]),
            Event::SessionStart => None,
            _ => text(&["last_assistant_message", "prompt_response", "text"]),
        };
        Some(Told {
            event,
            client,
            session: plain(text(&["session_id", "conversation_id", "sessionId"]).unwrap_or("unnamed")),
            spelling,
            words: words.map(fileable).map(|words| words.trim().to_owned()).filter(|words| !words.is_empty()),
            transcript: text(&["transcript_path", "transcriptPath"]).map(PathBuf::from),
            turn: text(&["turn_id", "generation_id"]).map(str::to_owned),
            call,
        })
    }

    /// The conversation that the session is.
    pub(crate) fn channel(&self) -> String {
        format!("{}:{}", self.client, self.session)
    }

    /// A word for something that is to be filed once. `what` tells it from the rest of its turn; a host that names no turns is
    /// taken to tell of each only once.
    pub(crate) fn key(&self, turn: Option<&str>, what: &str) -> String {
        let turn = turn.or(self.turn.as_deref()).unwrap_or(&self.call);
        let parts = [self.client.as_str(), &self.session, turn, what];
        let bytes: Vec<&[u8]> = parts.iter().flat_map(|part| [part.as_bytes(), b"\0"]).collect();
        format!("hook-{}", hex(&sha256(&bytes)))
    }

    /// What the host is answered, with what the agent is to have in mind.
    pub(crate) fn answer(&self, context: Option<&str>) -> Value {
        let Some(context) = context.filter(|text| !text.is_empty()) else {
            return json!({});
        };
        match (self.client.as_str(), self.event) {
            ("cursor", Event::UserPrompt) => json!({ "continue": true, "additional_context": context }),
            ("cursor", _) => json!({ "additional_context": context }),
            _ => {
                let name = self.spelling.as_deref().unwrap_or(self.event.usual_spelling());
                json!({ "hookSpecificOutput": { "hookEventName": name, "additionalContext": context } })
            }
        }
    }
}

fn guessed(is_cursor: bool, spelling: Option<&str>, has_turns: bool) -> &'static str {
    match spelling {
        _ if is_cursor => "cursor",
        Some("BeforeAgent" | "AfterAgent" | "PreCompress") => "gemini-cli",
        _ if has_turns => "codex",
        Some("SessionStart" | "UserPromptSubmit" | "Stop" | "PreCompact" | "SessionEnd") => "claude-code",
        _ => "host",
    }
}

/// A name with nothing in it that could be anything else.
fn plain(name: &str) -> String {
    let kept = |c: char| if c.is_ascii_alphanumeric() || "-_.".contains(c) { c } else { '-' };
    name.chars().take(MAX_SESSION_BYTES).map(kept).collect()
}
