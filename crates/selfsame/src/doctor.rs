//! Proof that the mind works: a real write, found again, and taken back.

use crate::error::{Error, Result};
use crate::heartbeat::deliver::not_set_up;
use crate::heartbeat::told::LIST;
use crate::mind::{Mind, Opening, Speaker};
use crate::ports::{PortError, Purpose};
use crate::recall::Question;
use selfsame_core::id::MemoryId;
use selfsame_core::memory::{Draft, MemoryKind};
use selfsame_store::{Options, PostgresUrl, Store};

/// A memory stored to see whether memories can be stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Probe {
    agent: String,
    id: MemoryId,
    word: String,
}

impl Mind {
    /// Stores a memory with a word that nothing else has.
    pub fn probe_write(&self, agent: &str) -> Result<Probe> {
        let word = format!("probe{}", self.mint.id(self.now()).minted_at().micros());
        let mut draft = Draft::new(format!("Doctor's probe: the word is {word}"));
        draft.kind = MemoryKind::Ephemeral;
        draft.source = Some("doctor".into());
        let stored = self.access(agent, Speaker::Agent(None))?.remember(draft, None)?;
        Ok(Probe { agent: agent.to_owned(), id: stored.id, word })
    }

    /// Finds it by its word.
    pub fn probe_recall(&self, probe: &Probe) -> Result<()> {
        let answer = self.access(&probe.agent, Speaker::Agent(None))?.recall(&Question::new(&probe.word))?;
        match answer.hits.first() {
            Some(hit) if hit.found.id() == probe.id.id() => Ok(()),
            _ => Err(Error::NoSuch { what: "probe", id: probe.id.to_string() }),
        }
    }

    /// Finds it as a process that is started now would: in a copy of the file that was opened and checked from the first row
    /// to the last, or on the server through connections of its own. Nothing that this process has in mind helps.
    pub fn probe_restart(&self, probe: &Probe) -> Result<()> {
        match &self.settings.database.url {
            Some(url) => {
                let url = PostgresUrl { application: url.reveal().to_owned(), owner: None };
                let store = Store::open_postgres(&url, Options::default(), self.now())?;
                Opening::new(self.settings.clone()).over(store, None)?.probe_recall(probe)
            }
            None => self.with_checked_copy(|fresh| fresh.probe_recall(probe)),
        }
    }

    /// Asks the model, if there is one, and gives its name.
    pub fn probe_model(&self) -> Result<Option<String>> {
        let Some(model) = self.embedder() else {
            return Ok(None);
        };
        match self.models.embed(model, &["Is anybody there?"], Purpose::Question, None) {
            Ok(_) => Ok(Some(model.model().to_owned())),
            Err(error) => Err(Error::Broken(error.to_string())),
        }
    }

    /// Looks whether every channel that nudges go to by default is set up.
    pub fn probe_channels(&self) -> Result<()> {
        let wanted = self.settings.heartbeat.channels.iter().filter(|channel| *channel != LIST);
        match wanted.into_iter().find(|channel| !self.channels.contains_key(*channel)) {
            Some(missing) => Err(PortError::Lasting(not_set_up(missing)).into()),
            None => Ok(()),
        }
    }

    /// Forgets it, and sees that it is gone.
    pub fn probe_forget(&self, probe: &Probe) -> Result<()> {
        let access = self.access(&probe.agent, Speaker::Agent(None))?;
        access.forget(probe.id, None)?;
        match access.recall(&Question::new(&probe.word))?.hits.is_empty() {
            true => Ok(()),
            false => Err(Error::Forbidden("a forgotten memory is still found".into())),
        }
    }
}
