//! Texts in which an operator tells an agent how to be: read by the agent, written by the operator alone.

use crate::error::{Error, Result, check_field};
use crate::mind::Access;
use selfsame_core::contemplation::prompt::DEFAULT_STYLE;
use selfsame_core::event::Act;
use selfsame_core::time::Time;
use selfsame_core::trust::Author;
use selfsame_core::word::UnknownWord;
use selfsame_store::{Idempotency, Replay, StoreError, documents, events};

/// The agent's style of contemplation.
pub const CONTEMPLATION: &str = "CONTEMPLATION.md";

/// Every name there is.
pub const NAMES: [&str; 1] = [CONTEMPLATION];

/// Bytes of a document, at most: it stands in prompts whole.
pub const MAX_BYTES: usize = 32 * 1024;

/// A document as it holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Document {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub content: String,
    /// When it was written; none: nobody did, and it is the one that ships.
    pub updated_at: Option<Time>,
}

/// What became of a document that was to be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DocumentSet {
    /// Whether it says anything else than before.
    pub changed: bool,
}

impl Access<'_> {
    /// A document. For the agent and its operator.
    pub fn document(&self, name: &str) -> Result<Document> {
        let name = known(name)?;
        if self.caller.author() != Author::Agent && !self.caller.is_operator() {
            return Err(Error::Forbidden(
                "what an operator tells the agent about itself is between the two of them".into(),
            ));
        }
        let stored = self
            .mind
            .store
            .read(&self.caller, &[self.agent.id], |reader| documents::by_name(reader, self.agent.id, name))?;
        Ok(match stored {
            Some((content, at)) => Document { name, content, updated_at: Some(at) },
            None => Document { name, content: DEFAULT_STYLE.to_owned(), updated_at: None },
        })
    }

    /// Writes a document. For the operator; the same text again changes nothing.
    pub fn set_document(&self, name: &str, content: &str, key: Option<&Idempotency>) -> Result<DocumentSet> {
        let name = known(name)?;
        if !self.caller.is_operator() {
            return Err(Error::Forbidden("only the operator says how the agent is to think".into()));
        }
        let content = &*self.masked(content);
        check_field("content", content, MAX_BYTES)?;
        let now = self.mind.now();
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let before = documents::by_name(writer, self.agent.id, name)?;
            let changed = before.as_ref().map_or(DEFAULT_STYLE, |(content, _)| content) != content;
            if changed {
                documents::put(writer, self.agent.id, name, content, now)?;
                let act = Act { act: "changed", subject_kind: "document", subject: self.agent.id.id() };
                events::record(writer, self.agent.id, now, &[act])?;
            }
            Ok(DocumentSet { changed })
        })?)
    }
}

fn known(name: &str) -> Result<&'static str> {
    let found = NAMES.into_iter().find(|known| *known == name);
    found.ok_or_else(|| {
        let given = name.chars().take(64).collect();
        Error::Word(UnknownWord { given, what: "document", known: NAMES.to_vec() })
    })
}

impl Replay for DocumentSet {
    fn encode(&self) -> String {
        self.changed.to_string()
    }

    fn decode(stored: &str) -> std::result::Result<DocumentSet, StoreError> {
        Ok(DocumentSet { changed: stored.parse().map_err(|_| StoreError::unreadable_reply())? })
    }
}
