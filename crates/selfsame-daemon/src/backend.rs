//! Where an operation runs: in the daemon that owns the folder, or here, with the folder opened for one call.

use crate::client::Client;
use crate::couriers::couriers;
use crate::embedding::{embedder, former_models};
use crate::failure::Failure;
use crate::guest::Guest;
use crate::operations::{Answer, Entry, Operation};
use crate::thinking::with_thinking;
use selfsame::config::Settings;
use selfsame::{DataFolder, Error, FolderError, Mind, Opening, jobs};
use serde_json::Value;
use std::path::PathBuf;

/// Which mind is meant: a folder and the settings that go with it.
#[derive(Clone, PartialEq, Debug)]
pub struct Home {
    /// The data folder.
    pub data: PathBuf,
    /// The settings.
    pub settings: Settings,
}

impl Home {
    /// The folder, which must be there.
    pub fn folder(&self) -> Result<DataFolder, Failure> {
        Ok(DataFolder::existing(&self.data).map_err(Error::from)?)
    }

    /// The folder, made if it is missing.
    pub fn make_folder(&self) -> Result<DataFolder, Failure> {
        Ok(DataFolder::create(&self.data).map_err(Error::from)?)
    }

    /// Opens the mind itself, which must be there.
    pub fn open(&self) -> Result<Mind, Failure> {
        let folder = self.folder()?;
        if self.settings.database.url.is_none() && !folder.has_database().map_err(Error::from)? {
            return Err(Error::from(FolderError::Missing(self.data.clone())).into());
        }
        Ok(self.opening(&folder)?.open(&folder)?)
    }

    /// How the mind in the folder is opened: with the settings, and the embedder, channels and thinkers that they name.
    pub fn opening(&self, folder: &DataFolder) -> Result<Opening, Failure> {
        let opening = couriers(&self.settings.heartbeat, folder.path())
            .into_iter()
            .fold(Opening::new(self.settings.clone()), Opening::delivery);
        let opening = with_thinking(opening, &self.settings)?;
        Ok(match embedder(&self.settings.embedder, folder)? {
            Some(embedder) => {
                opening.embedder(embedder).former_models(former_models(&self.settings.embedder, folder))
            }
            None => opening,
        })
    }

    /// Opens the mind for one call, and does the quick duties that are due: with no daemon, somebody has to.
    fn visit<T>(&self, call: impl FnOnce(&Mind) -> Result<T, Failure>) -> Result<T, Failure> {
        let mind = self.open()?;
        let result = call(&mind)?;
        let duties = || {
            mind.ensure_house_duties()?;
            jobs::scheduler(&self.settings).step(&mind)?;
            mind.consolidate_unread()?;
            mind.write_touches()
        };
        if let Err(error) = duties() {
            // The call is done and its answer stands; `status` shows what is late.
            tracing::warn!(%error, "background duties could not be done");
        }
        Ok(result)
    }
}

/// Runs operations for one caller, wherever the mind is.
#[derive(Clone, PartialEq, Debug)]
pub struct Backend {
    home: Home,
    guest: Guest,
}

impl Backend {
    /// For the owner of the folder.
    pub fn for_owner(home: Home) -> Backend {
        Backend { home, guest: Guest::owner() }
    }

    /// For the agent itself.
    pub fn for_agent(home: Home) -> Backend {
        Backend { home, guest: Guest::agent() }
    }

    /// The folder and settings.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Where the daemon of the folder listens, if one runs.
    pub fn daemon_address(&self) -> Option<String> {
        self.client()?.address().ok()
    }

    /// Runs an operation.
    pub fn call<O: Operation>(&self, agent: &str, request: &O::Request) -> Result<O::Reply, Failure> {
        let request = serde_json::to_value(request).map_err(|error| unreadable(&error))?;
        let entry = Entry::find(O::NAME).ok_or_else(|| unreadable(&O::NAME))?;
        let reply = match self.client() {
            Some(client) => client.call(entry, agent, None, request)?,
            None => self.home.visit(|mind| entry.call(mind, &self.guest, agent, None, request))?.reply,
        };
        serde_json::from_value(reply).map_err(|error| unreadable(&error))
    }

    /// Runs an operation by its entry; gives the reply and the same in words.
    pub fn call_entry(&self, entry: &Entry, agent: &str, request: Value) -> Result<Answer, Failure> {
        match self.client() {
            Some(client) => {
                let reply = client.call(entry, agent, None, request)?;
                Ok(Answer { text: entry.tell(&reply)?, reply })
            }
            None => self.home.visit(|mind| entry.call(mind, &self.guest, agent, None, request)),
        }
    }

    fn client(&self) -> Option<Client> {
        let speaks_as = if self.guest == Guest::agent() { "agent" } else { "operator" };
        Client::find(&self.home.folder().ok()?.socket(), speaks_as)
    }
}

fn unreadable(cause: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        500,
        "internal",
        format!("a request or reply cannot be read ({cause}): is the daemon of another version?"),
    )
}
