//! What is done about each event, by operations of the table: things are brought to mind, and what is said is filed.

use super::told::Told;
use super::transcript::{LastWords, last_words};
use super::{Event, late};
use crate::settings::Resolution;
use selfsame::fence::{fileable, quote};
use selfsame::tokens::{count, cut};
use selfsame_daemon::operations::context::{AssembleContext, ContextRequest};
use selfsame_daemon::operations::conversation::{
    CloseConversation, CloseConversationRequest, OpenConversation, OpenConversationRequest, Say, SayRequest,
    SetActive, SetActiveRequest,
};
use selfsame_daemon::operations::recall::{FoundView, Recall, RecallRequest};
use selfsame_daemon::{Backend, Failure};
use std::cell::OnceCell;

/// A run is on for so long after the user's words, unless the host says that it is over.
const RUN: &str = "15m";
/// Bytes of a prompt that are asked about: more is a document, and its beginning says what it is about.
const ASKED_BYTES: usize = 4096;
/// Answers that are looked at; the budget decides how many are shown.
const ANSWERS: u32 = 8;

/// One call of a host.
pub(crate) struct Act<'a> {
    backend: &'a Backend,
    resolution: &'a Resolution,
    told: &'a Told,
    /// The conversation of the session, once it is open.
    conversation: OnceCell<String>,
}

impl<'a> Act<'a> {
    pub(crate) fn new(backend: &'a Backend, resolution: &'a Resolution, told: &'a Told) -> Act<'a> {
        Act { backend, resolution, told, conversation: OnceCell::new() }
    }

    /// What the agent is to have in mind.
    pub(crate) fn bring_to_mind(&self) -> Result<Option<String>, Failure> {
        match (self.told.event, &self.told.words) {
            (Event::SessionStart, _) => self.context().map(Some),
            (Event::UserPrompt, Some(words)) => self.recall(words),
            _ => Ok(None),
        }
    }

    /// Files what was said, and notes how the session stands.
    pub(crate) fn file(&self) -> Result<(), Failure> {
        late::deliver(self.resolution, |told| Act::new(self.backend, self.resolution, told).file_one());
        self.file_one()
    }

    fn file_one(&self) -> Result<(), Failure> {
        let Told { event, words, .. } = self.told;
        let files = self.resolution.home.settings.host.file_messages;
        let conversation = self.conversation()?;
        match event {
            Event::SessionStart => {}
            Event::UserPrompt => {
                let words = words.as_deref().filter(|_| files);
                self.say(&conversation, "user", words, &self.told.key(None, "user"))?;
            }
            Event::Stop | Event::PreCompact | Event::SessionEnd => {
                if let Some(LastWords { text, turn }) = self.last_words().filter(|_| files) {
                    // Told of again before a compaction and at the end, in case it did not get through before.
                    let key = self.told.key(Some(&turn), &format!("assistant {text}"));
                    self.say(&conversation, "assistant", Some(&text), &key)?;
                }
            }
        }
        match event {
            Event::Stop => {
                let over = SetActiveRequest { id: conversation, until: None };
                self.backend.call::<SetActive>(&self.resolution.agent, &over).map(drop)
            }
            Event::SessionEnd => {
                let close = CloseConversationRequest { id: conversation };
                self.backend.call::<CloseConversation>(&self.resolution.agent, &close).map(drop)
            }
            _ => Ok(()),
        }
    }

    /// The conversation of the session, open; and if the user has just spoken, a run is on.
    fn conversation(&self) -> Result<String, Failure> {
        if let Some(known) = self.conversation.get() {
            return Ok(known.clone());
        }
        let runs = matches!(self.told.event, Event::UserPrompt | Event::PreCompact);
        let request = OpenConversationRequest {
            channel: Some(self.told.channel()),
            active_for: runs.then(|| RUN.to_owned()),
            reopen: true,
            ..OpenConversationRequest::default()
        };
        let opened = self.backend.call::<OpenConversation>(&self.resolution.agent, &request)?.id;
        Ok(self.conversation.get_or_init(|| opened).clone())
    }

    /// Files words, in several messages if they are too long for one.
    fn say(&self, conversation: &str, role: &str, words: Option<&str>, key: &str) -> Result<(), Failure> {
        let most = self.resolution.home.settings.memory.max_content_bytes;
        for (number, part) in parts(words.unwrap_or_default(), most).into_iter().enumerate() {
            let request = SayRequest {
                conversation: Some(conversation.to_owned()),
                role: Some(role.to_owned()),
                content: part.to_owned(),
                ..SayRequest::default()
            };
            let key = format!("{key}-{number}");
            self.backend.call_once::<Say>(&self.resolution.agent, Some(&key), &request)?;
        }
        Ok(())
    }

    /// The agent's last words: the host's own, or those of its transcript, which also names the turn.
    fn last_words(&self) -> Option<LastWords> {
        let written = self.told.transcript.as_deref().and_then(last_words);
        let turn = || self.told.turn.clone().unwrap_or_else(|| self.told.call.clone());
        match (&self.told.words, written) {
            (Some(words), written) => {
                let turn = written.map_or_else(turn, |written| written.turn);
                Some(LastWords { text: words.clone(), turn })
            }
            (None, written) => written.and_then(|LastWords { text, turn }| {
                let text = fileable(&text).trim().to_owned();
                (!text.is_empty()).then_some(LastWords { text, turn })
            }),
        }
    }

    fn context(&self) -> Result<String, Failure> {
        let budget = self.resolution.home.settings.host.session_tokens;
        let request =
            ContextRequest { budget_tokens: u32::try_from(budget).ok(), ..ContextRequest::default() };
        Ok(self.backend.call::<AssembleContext>(&self.resolution.agent, &request)?.text)
    }

    /// What answers the user's words, if anything does. What was said in the session itself the agent has before it.
    fn recall(&self, words: &str) -> Result<Option<String>, Failure> {
        let request = RecallRequest {
            query: beginning(words, ASKED_BYTES).to_owned(),
            limit: Some(ANSWERS),
            ..RecallRequest::default()
        };
        let reply = self.backend.call::<Recall>(&self.resolution.agent, &request)?;
        let own = self.conversation()?;
        let is_elsewhere = |found: &FoundView| match found {
            FoundView::Message(said) => said.conversation != own,
            _ => true,
        };
        let found = reply.hits.into_iter().map(|hit| hit.found).filter(is_elsewhere);
        Ok(within(found, self.resolution.home.settings.host.prompt_tokens))
    }
}

/// As many lines as the budget allows, quoted; the first is shortened rather than left out. What is said twice is shown once.
fn within(found: impl Iterator<Item = FoundView>, budget: usize) -> Option<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut seen: Vec<String> = Vec::new();
    for found in found {
        if seen.iter().any(|words| words == found.content()) {
            continue;
        }
        seen.push(found.content().to_owned());
        lines.push(found.line());
        if count(&recalled(&lines)) <= budget {
            continue;
        }
        let too_long = lines.pop()?;
        if lines.is_empty() {
            let around = count(&recalled(&[String::new()]));
            lines.push(format!("{} ...", cut(&too_long, budget.saturating_sub(around + 8))));
        }
        break;
    }
    (!lines.is_empty()).then(|| recalled(&lines))
}

fn recalled(lines: &[String]) -> String {
    quote("recalled", &lines.join("\n"))
}

/// Pieces of a text of at most so many bytes, none of them blank, none of them in the middle of a character.
fn parts(text: &str, most: usize) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        // At least one character, whatever the setting.
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let part = beginning(rest, most.max(first));
        parts.push(part);
        rest = &rest[part.len()..];
    }
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn beginning(text: &str, most: usize) -> &str {
    &text[..text.floor_char_boundary(most)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_long_text_is_lost() {
        assert_eq!(parts("", 4), Vec::<&str>::new());
        assert_eq!(parts("abcdefghij", 4), ["abcd", "efgh", "ij"]);
        assert_eq!(parts("äöü", 3), ["ä", "ö", "ü"]);
        assert_eq!(parts("äö", 1), ["ä", "ö"]);
        assert_eq!(parts("ab      cd", 2), ["ab", "cd"]);
    }
}
