//! Where an operation runs: in the daemon that owns the folder, or here, with the folder opened for one call.

use crate::background::Launch;
use crate::client::Client;
use crate::couriers::couriers;
use crate::embedding::{embedder, former_models};
use crate::failure::Failure;
use crate::guest::Guest;
use crate::operations::{Answer, Entry, Operation, masked_in};
use crate::thinking::with_thinking;
use selfsame::config::Settings;
use selfsame::progress::Watch;
use selfsame::{DataFolder, Error, FolderError, Mind, Opening, jobs};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::path::PathBuf;
use std::time::Duration;

/// How long the folder is waited for before it is looked whether a daemon answers by now.
const LOOK_AGAIN: Duration = Duration::from_millis(100);

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
        self.open_watched(&Watch::default())
    }

    /// The same, for somebody who watches how far long things are.
    fn open_watched(&self, watch: &Watch) -> Result<Mind, Failure> {
        let folder = self.folder()?;
        if self.settings.database.url.is_none() && !folder.has_database().map_err(Error::from)? {
            return Err(Error::from(FolderError::Missing(self.data.clone())).into());
        }
        Ok(self.opening(&folder)?.watched(watch.clone()).open(&folder)?)
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
    fn visit<T>(&self, watch: &Watch, call: impl FnOnce(&Mind) -> Result<T, Failure>) -> Result<T, Failure> {
        let mind = self.open_watched(watch)?;
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
    /// How a daemon is started if none runs; without it, none is.
    launch: Option<Launch>,
    /// Who watches how far long things are that are done here. Of those in a daemon nothing is known until they are done.
    watch: Watch,
}

impl Backend {
    /// For the owner of the folder.
    pub fn for_owner(home: Home) -> Backend {
        Backend::of(home, Guest::owner())
    }

    /// For the agent itself.
    pub fn for_agent(home: Home) -> Backend {
        Backend::of(home, Guest::agent())
    }

    /// For the program that the agent runs in.
    pub fn for_host(home: Home) -> Backend {
        Backend::of(home, Guest::host())
    }

    fn of(home: Home, guest: Guest) -> Backend {
        Backend { home, guest, launch: None, watch: Watch::default() }
    }

    /// The same, for somebody who watches.
    pub fn watched(self, watch: Watch) -> Backend {
        Backend { watch, ..self }
    }

    /// The same, which starts a daemon where none runs. If that fails, calls are done here as without.
    pub fn starting(self, launch: Launch) -> Backend {
        Backend { launch: Some(launch), ..self }
    }

    /// The folder and settings.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// Where the daemon of the folder listens, if one runs.
    pub fn daemon_address(&self) -> Option<String> {
        self.client()?.address().ok()
    }

    /// The same as one writes it into a browser.
    pub fn daemon_url(&self) -> Option<String> {
        self.client()?.url().ok()
    }

    /// A code that opens the dashboard of the running daemon, once.
    pub fn dashboard_code(&self) -> Result<DashboardCode, Failure> {
        let said = self.client().ok_or_else(no_daemon)?.post("/dashboard/code")?;
        serde_json::from_value(said).map_err(|error| unreadable(&error))
    }

    /// Ends every visit to the dashboard; says how many there were.
    pub fn close_dashboard(&self) -> Result<u64, Failure> {
        let said = self.client().ok_or_else(no_daemon)?.post("/dashboard/close")?;
        said["closed"].as_u64().ok_or_else(|| unreadable(&"no count"))
    }

    /// Runs an operation.
    pub fn call<O: Operation>(&self, agent: &str, request: &O::Request) -> Result<O::Reply, Failure> {
        self.call_once::<O>(agent, None, request)
    }

    /// Runs an operation that is done once, however often it is asked for under the same key.
    pub fn call_once<O: Operation>(
        &self,
        agent: &str,
        key: Option<&str>,
        request: &O::Request,
    ) -> Result<O::Reply, Failure> {
        let request = serde_json::to_value(request).map_err(|error| unreadable(&error))?;
        let entry = Entry::find(O::NAME).ok_or_else(|| unreadable(&O::NAME))?;
        let reply = self.anywhere(
            |client| client.call(entry, agent, key, request.clone()),
            |mind| Ok(entry.call(mind, &self.guest, agent, key, request.clone())?.reply),
        )?;
        if let Some(kinds) = masked_in(&reply) {
            tracing::warn!(%kinds, "there was a secret in it, which was masked before anything was stored");
        }
        serde_json::from_value(reply).map_err(|error| unreadable(&error))
    }

    /// Runs an operation by its entry; gives the reply and the same in words.
    pub fn call_entry(&self, entry: &Entry, agent: &str, request: &Value) -> Result<Answer, Failure> {
        self.anywhere(
            |client| {
                let reply = client.call(entry, agent, None, request.clone())?;
                Ok(Answer::of(entry.tell(&reply)?, reply))
            },
            |mind| entry.call(mind, &self.guest, agent, None, request.clone()),
        )
    }

    /// Where the mind is: asks its daemon, or does it here. Whoever has the folder may be a daemon that does not answer yet, so
    /// that is looked at again while the folder is waited for.
    fn anywhere<T>(
        &self,
        ask: impl Fn(&Client) -> Result<T, Failure>,
        here: impl Fn(&Mind) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let mut left = self.home.settings.database.lock_wait;
        loop {
            if let Some(client) = self.client() {
                return ask(&client);
            }
            let mut home = self.home.clone();
            home.settings.database.lock_wait = left.min(LOOK_AGAIN);
            left = left.saturating_sub(LOOK_AGAIN);
            match home.visit(&self.watch, &here) {
                Err(failure) if failure.code == "busy" && !left.is_zero() => {}
                outcome => return outcome,
            }
        }
    }

    fn client(&self) -> Option<Client> {
        let socket = self.home.folder().ok()?.socket();
        let find = || Client::find(&socket, self.guest.voice());
        let launch = self.launch.as_ref();
        find().or_else(|| match launch?.bring_up(&self.home) {
            Ok(()) => find(),
            Err(failure) => {
                tracing::warn!(code = failure.code, "{}", failure.detail);
                None
            }
        })
    }
}

/// The way to the dashboard.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DashboardCode {
    /// Where it is.
    pub link: String,
    /// What opens it.
    pub code: String,
    /// For how long.
    pub good_for_seconds: u64,
}

fn no_daemon() -> Failure {
    Failure::new(
        503,
        "no_daemon",
        "the dashboard is shown by the daemon, and none runs: `selfsame serve` starts it",
    )
}

fn unreadable(cause: &dyn std::fmt::Display) -> Failure {
    Failure::new(
        500,
        "internal",
        format!("a request or reply cannot be read ({cause}): is the daemon of another version?"),
    )
}
