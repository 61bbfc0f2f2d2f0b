//! A mind and how it is opened; an access and whom it speaks for.

use crate::clock::{SystemClock, random_seed};
use crate::config::Settings;
use crate::data_folder::{DataFolder, FolderLock};
use crate::error::{Error, Result};
use crate::forget::Ledger;
use crate::knowledge::Unread;
use crate::meaning::{FormerModels, Models};
use crate::ports::{Delivery, Embedder, Seasoner, Thinkers, Toolbox};
use crate::progress::Watch;
use crate::reindex::Reindexed;
use crate::self_care::LeftOut;
use crate::touch::Touches;
use selfsame_core::id::{AgentId, Mint, PrincipalId};
use selfsame_core::nearest::nearest;
use selfsame_core::time::{Clock, Time, Zone};
use selfsame_core::trust::Caller;
use selfsame_store::agents::{self, Agent};
use selfsame_store::{LONGEST_STANDSTILL, Options, PostgresUrl, Store};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Clocks of two machines may differ by so much without anybody being told.
const TOLERATED_SKEW: Duration = Duration::from_secs(2);

/// How a mind is opened: what it would otherwise take from the machine is given here.
pub struct Opening {
    settings: Settings,
    /// None: the machine's.
    clock: Option<Arc<dyn Clock>>,
    seed: Option<[u8; 32]>,
    models: Models,
    channels: BTreeMap<String, Arc<dyn Delivery>>,
    thinking: Thinking,
    watch: Watch,
    options: Options,
}

/// What thinks, and what it thinks with, as far as there is any of it.
#[derive(Clone, Default)]
pub(crate) struct Thinking {
    pub(crate) thinkers: Option<Arc<dyn Thinkers>>,
    pub(crate) toolbox: Option<Arc<dyn Toolbox>>,
    pub(crate) seasoner: Option<Arc<dyn Seasoner>>,
}

impl Default for Opening {
    fn default() -> Opening {
        Opening::new(Settings::default())
    }
}

impl Opening {
    /// With these settings, the machine's clock and its chance.
    pub fn new(settings: Settings) -> Opening {
        let options = Options {
            statement_timeout: settings.database.statement_timeout,
            // Not longer than a lease: a duty cannot be taken over while its row is locked.
            standstill: settings.duties.lease.min(LONGEST_STANDSTILL),
            connections: settings.database.connections,
            vector_memory: settings.recall.vector_memory_bytes,
            exact_up_to: settings.recall.exact_up_to,
            ..Options::default()
        };
        let (models, channels) = (Models::default(), BTreeMap::new());
        Opening {
            settings,
            clock: None,
            seed: None,
            models,
            channels,
            thinking: Thinking::default(),
            watch: Watch::default(),
            options,
        }
    }

    /// With another clock.
    pub fn clock(mut self, clock: Arc<dyn Clock>) -> Opening {
        self.clock = Some(clock);
        self
    }

    /// With ids that are the same each time.
    pub fn seed(mut self, seed: [u8; 32]) -> Opening {
        self.seed = Some(seed);
        self
    }

    /// With a model that turns texts into vectors.
    pub fn embedder(mut self, embedder: Arc<dyn Embedder>) -> Opening {
        self.models.present = Some(embedder);
        self
    }

    /// With a way to the models that made earlier vectors, so that recall goes on while the present one makes its own.
    pub fn former_models(mut self, former: FormerModels) -> Opening {
        self.models.former = Some(former);
        self
    }

    /// With a channel more that nudges can go out through.
    pub fn delivery(mut self, channel: Arc<dyn Delivery>) -> Opening {
        self.channels.insert(channel.channel().to_owned(), channel);
        self
    }

    /// With whoever does the thinking.
    pub fn thinkers(mut self, thinkers: Arc<dyn Thinkers>) -> Opening {
        self.thinking.thinkers = Some(thinkers);
        self
    }

    /// With tools to think with.
    pub fn toolbox(mut self, toolbox: Arc<dyn Toolbox>) -> Opening {
        self.thinking.toolbox = Some(toolbox);
        self
    }

    /// With a small model that asks fresh questions.
    pub fn seasoner(mut self, seasoner: Arc<dyn Seasoner>) -> Opening {
        self.thinking.seasoner = Some(seasoner);
        self
    }

    /// With somebody who watches how far long things are.
    pub fn watched(mut self, watch: Watch) -> Opening {
        self.watch = watch;
        self
    }

    /// With planned faults and rehearsed transactions; for tests.
    pub fn store_options(mut self, change: impl FnOnce(&mut Options)) -> Opening {
        change(&mut self.options);
        self
    }

    /// Opens what the settings name: the PostgreSQL server, or the file in the folder, which is then locked.
    pub fn open(mut self, folder: &DataFolder) -> Result<Mind> {
        let clock = self.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::default()));
        if let Some(url) = &self.settings.database.url {
            let url = PostgresUrl {
                application: url.reveal().to_owned(),
                owner: self.settings.database.owner_url.as_ref().map(|url| url.reveal().to_owned()),
            };
            let store = Store::open_postgres(&url, self.options.clone(), clock.now())?;
            let mut server_clock = None;
            if self.clock.is_none() {
                let clock = Arc::new(SystemClock::default());
                self.clock = Some(Arc::<SystemClock>::clone(&clock));
                server_clock = Some(clock);
            }
            let (signals, ledger) = (self.signals_in(folder), Ledger::in_folder(folder)?);
            let mind = Mind { server_clock, signals, ledger, ..self.over(store, None)? };
            mind.agree_with_server()?;
            mind.agree_with_ledger()?;
            return Ok(mind);
        }
        let lock = folder.lock(self.settings.database.lock_wait)?;
        let path = folder.prepare_database()?;
        let store = Store::open_sqlite(&path, self.options.clone(), clock.now())?;
        let (signals, ledger) = (self.signals_in(folder), Ledger::in_folder(folder)?);
        let mut mind =
            Mind { backups: Some(folder.backups()), signals, ledger, ..self.over(store, Some(lock))? };
        mind.journal.get_or_insert_with(|| folder.agents());
        mind.agree_with_ledger()?;
        Ok(mind)
    }

    /// Where the operator's own signals are: where the settings say, or else in the data folder.
    fn signals_in(&self, folder: &DataFolder) -> Option<PathBuf> {
        Some(self.settings.heartbeat.signals.clone().unwrap_or_else(|| folder.signals()))
    }

    /// Opens the store alone that [`Opening::open`] would open, and nothing on it: for a house that moves. The folder is
    /// locked as long as the lock is held.
    pub fn open_bare(&self, folder: &DataFolder) -> Result<(Store, Option<FolderLock>)> {
        let now = self.clock.clone().unwrap_or_else(|| Arc::new(SystemClock::default())).now();
        if let Some(url) = &self.settings.database.url {
            let url = PostgresUrl {
                application: url.reveal().to_owned(),
                owner: self.settings.database.owner_url.as_ref().map(|url| url.reveal().to_owned()),
            };
            return Ok((Store::open_postgres(&url, self.options.clone(), now)?, None));
        }
        let lock = folder.lock(self.settings.database.lock_wait)?;
        let path = folder.prepare_database()?;
        Ok((Store::open_sqlite(&path, self.options.clone(), now)?, Some(lock)))
    }

    /// A mind over a store that is open already. An index of another version is built anew first.
    pub fn over(self, store: Store, lock: Option<FolderLock>) -> Result<Mind> {
        crate::moving::check_home(&store)?;
        let seed = match self.seed {
            Some(seed) => seed,
            None => random_seed()?,
        };
        let journal = self.settings.contemplation.journal_folder.clone();
        let mut mind = Mind {
            store,
            signals: self.settings.heartbeat.signals.clone(),
            clock: self.clock.unwrap_or_else(|| Arc::new(SystemClock::default())),
            mint: Mint::new(seed),
            settings: self.settings,
            models: self.models,
            channels: self.channels,
            thinking: self.thinking,
            watch: self.watch,
            journal,
            journal_trouble: Mutex::new(None),
            ledger: Ledger::nowhere(&seed),
            backups: None,
            copying: Mutex::new(()),
            touches: Touches::default(),
            unread: Unread::default(),
            left_out: LeftOut::default(),
            closing: AtomicBool::new(false),
            put_right_at: Mutex::new(None),
            server_clock: None,
            reindexed: Reindexed::default(),
            _lock: lock,
        };
        mind.reindexed = mind.reindex()?;
        mind.catch_up_on_what_is_due()?;
        Ok(mind)
    }
}

/// A database with its agents.
pub struct Mind {
    pub(crate) store: Store,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) mint: Mint,
    pub(crate) settings: Settings,
    /// What turns texts into vectors, if anything does.
    pub(crate) models: Models,
    /// What nudges can go out through, by name.
    pub(crate) channels: BTreeMap<String, Arc<dyn Delivery>>,
    /// What thinks, and what it thinks with.
    pub(crate) thinking: Thinking,
    /// Who watches how far long things are.
    pub(crate) watch: Watch,
    /// Where journals are; none where the database is a server's and no place is named.
    pub(crate) journal: Option<PathBuf>,
    /// Why a journal could not be written lately.
    pub(crate) journal_trouble: Mutex<Option<String>>,
    /// What was forgotten, written down beside the backups.
    pub(crate) ledger: Ledger,
    /// Where daily copies go; none where the database is a server's.
    pub(crate) backups: Option<PathBuf>,
    /// Where the operator's own signals are; none where a mind has no folder and none was named.
    pub(crate) signals: Option<PathBuf>,
    /// One copy at a time: each tidies up what an earlier one left half made.
    pub(crate) copying: Mutex<()>,
    /// What was recalled and is not written down yet.
    pub(crate) touches: Touches,
    /// Whose log has something new.
    pub(crate) unread: Unread,
    /// What self-care had no place for, until it is told.
    pub(crate) left_out: LeftOut,
    /// Whether long work in the background should come to an end.
    pub(crate) closing: AtomicBool,
    /// When the duties were last looked through for times that cannot be right.
    pub(crate) put_right_at: Mutex<Option<Time>>,
    /// Our clock, where it follows a database server's.
    server_clock: Option<Arc<SystemClock>>,
    /// What had to be indexed anew when it was opened.
    reindexed: Reindexed,
    _lock: Option<FolderLock>,
}

impl Mind {
    /// Opens the mind in `folder` with the default settings, making folder and mind if they are missing.
    pub fn open(folder: &Path) -> Result<Mind> {
        Opening::default().open(&DataFolder::create(folder)?)
    }

    /// The present moment, each later than the last.
    pub fn now(&self) -> Time {
        self.clock.now()
    }

    /// How far this machine's clock is from the database server's, if that is worth an alarm. The server's is used.
    pub fn clock_skew(&self) -> Option<Duration> {
        self.server_clock.as_ref().map(|clock| clock.skew()).filter(|skew| *skew > TOLERATED_SKEW)
    }

    /// Asks the database server for its time and takes it, so that all who share the server agree on when a lease ends.
    /// An injected clock stays, and a file has no other time than ours.
    pub fn agree_with_server(&self) -> Result<()> {
        match &self.server_clock {
            Some(clock) => clock.agree_with(|| Ok(self.store.server_time()?)),
            None => Ok(()),
        }
    }

    /// What had to be indexed anew when it was opened, for whoever keeps a log.
    pub fn reindexed(&self) -> Reindexed {
        self.reindexed
    }

    /// What turns texts into vectors, if anything does.
    pub fn embedder(&self) -> Option<&dyn Embedder> {
        self.models.present.as_deref()
    }

    /// What nudges can go out through, by name.
    pub fn channels(&self) -> impl Iterator<Item = &str> {
        self.channels.keys().map(String::as_str)
    }

    /// The settings it was opened with.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The store below; for tests and tools.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// One agent of it, by name or id, as `speaker` sees it.
    pub fn access(&self, agent: &str, speaker: Speaker) -> Result<Access<'_>> {
        let agent = self.require_agent(agent)?;
        let caller = match speaker {
            Speaker::Operator => Caller::operator(agent.operator),
            Speaker::Principal(principal) => Caller::principal(principal),
            Speaker::Agent(principal) | Speaker::Host(principal) => Caller::agent(principal),
        };
        Ok(Access { mind: self, agent, caller, is_host: matches!(speaker, Speaker::Host(_)) })
    }

    /// One agent of it, as what speaks for nobody sees it: a tool, an import. For tests; no door gives this out.
    #[doc(hidden)]
    pub fn access_as(&self, agent: &str, caller: Caller) -> Result<Access<'_>> {
        Ok(Access { mind: self, agent: self.require_agent(agent)?, caller, is_host: false })
    }

    /// The agent of that name or id, or an error that names the nearest.
    pub fn require_agent(&self, name: &str) -> Result<Agent> {
        let found = self.store.system(|reader| match name.parse::<AgentId>() {
            Ok(id) => agents::by_id(reader, id),
            Err(_) => agents::by_name(reader, name),
        })?;
        match found {
            Some(agent) => Ok(agent),
            None => Err(self.no_such_agent(name)?),
        }
    }

    fn no_such_agent(&self, name: &str) -> Result<Error> {
        let all = self.store.system(agents::all)?;
        let hint = match nearest(name, all.iter().map(|agent| agent.name.as_str())) {
            Some(near) => format!(": did you mean {near:?}?"),
            None if all.is_empty() => ": make one with `selfsame init`".to_owned(),
            None => ": `selfsame agent list` shows them, `selfsame agent create` makes one".to_owned(),
        };
        Ok(Error::NoSuchAgent { name: name.chars().take(64).collect(), hint })
    }
}

/// In whose name an agent is accessed. Doors build it from a key or a socket, never from a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Speaker {
    /// The agent's operator.
    Operator,
    /// A principal of that agent.
    Principal(PrincipalId),
    /// The agent itself, for itself or in a principal's conversation.
    Agent(Option<PrincipalId>),
    /// The host that runs the agent in a principal's conversation: the agent in every verb, but when it files a message it
    /// says whose words they are.
    Host(Option<PrincipalId>),
}

/// One agent, seen by one caller. It has the verbs.
pub struct Access<'m> {
    pub(crate) mind: &'m Mind,
    pub(crate) agent: Agent,
    pub(crate) caller: Caller,
    pub(crate) is_host: bool,
}

impl<'m> Access<'m> {
    /// The mind that it is a view of.
    pub fn mind(&self) -> &'m Mind {
        self.mind
    }
}

impl Access<'_> {
    /// The agent.
    pub fn agent(&self) -> &Agent {
        &self.agent
    }

    /// The zone of the agent's days.
    pub(crate) fn zone(&self) -> Result<Zone> {
        Ok(Zone::parse(&self.agent.zone)?)
    }

    /// The same at work that nobody watches: it sees nothing that nobody vouches for, and sets no reminders.
    pub fn unattended(self) -> Self {
        Access { caller: self.caller.unattended(), ..self }
    }

    /// Refuses what may not be done where nobody watches.
    pub(crate) fn must_be_watched(&self, what: &str) -> Result<()> {
        match self.caller.is_unattended() {
            true => {
                Err(Error::Forbidden(format!("{what} only when somebody is there: write it down instead")))
            }
            false => Ok(()),
        }
    }

    /// In whose name.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

#[cfg(test)]
mod tests {
    use super::Opening;
    use crate::config::Settings;

    #[test]
    fn the_store_is_opened_as_the_settings_say() {
        let mut settings = Settings::default();
        (settings.recall.vector_memory_bytes, settings.recall.exact_up_to) = (1_234_567, 89);
        let options = Opening::new(settings).options;
        assert_eq!((options.vector_memory, options.exact_up_to), (1_234_567, 89));
    }
}
