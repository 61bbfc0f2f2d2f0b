//! A fresh database on one engine, and minds on it.

use crate::meanings::Meanings;
use crate::postgres_bench::{Database, Server};
use crate::raw::Raw;
use selfsame::agent::Agent;
use selfsame::clock::ManualClock;
use selfsame::config::Settings;
use selfsame::id::{AgentId, EntityId, Id, Mint, PrincipalId};
use selfsame::ports::{Delivery, Embedder};
use selfsame::time::{Clock, Time};
use selfsame::trust::Caller;
use selfsame::{Access, Engine, Mind, Opening, Speaker, StoreOptions};
use selfsame_store::principals::{self, Principal};
use selfsame_store::{PostgresUrl, Store, StoreError, entities};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use tempfile::TempDir;

/// 2026-01-01T00:00:00Z: every bench begins there.
const START: Time = Time::from_micros(1_767_225_600_000_000);
/// Equal benches give equal ids.
const SEED: [u8; 32] = [7; 32];

/// A fresh database on one engine. The clock and the chance of its minds are the same on every bench.
pub struct Bench {
    // Dropped in this order: the mind closes its connections before the database goes.
    mind: OnceLock<Mind>,
    clock: Arc<ManualClock>,
    others: Mint,
    place: Place,
}

enum Place {
    File(TempDir),
    Server(Database),
}

impl Bench {
    /// On SQLite: a folder of its own.
    pub fn sqlite() -> Bench {
        Bench::at(Place::File(tempfile::tempdir().expect("a temporary folder can be made")))
    }

    /// On PostgreSQL: a database of its own, which has the tables already.
    pub fn postgres() -> Bench {
        Bench::at(Place::Server(Server::with_vectors().migrated_database()))
    }

    /// On PostgreSQL: a database of its own, with nothing in it.
    pub fn empty_postgres() -> Bench {
        Bench::at(Place::Server(Server::with_vectors().empty_database()))
    }

    fn at(place: Place) -> Bench {
        let clock = Arc::new(ManualClock::at(START));
        Bench { mind: OnceLock::new(), clock, others: Mint::new([8; 32]), place }
    }

    /// Which engine it is.
    pub fn engine(&self) -> Engine {
        match self.place {
            Place::File(_) => Engine::Sqlite,
            Place::Server(_) => Engine::Postgres,
        }
    }

    /// The clock of its minds.
    pub fn clock(&self) -> &ManualClock {
        &self.clock
    }

    /// The clock of its minds, to be given to others.
    pub fn shared_clock(&self) -> Arc<dyn Clock> {
        Arc::<ManualClock>::clone(&self.clock)
    }

    /// The present moment of its clock, without opening a mind.
    pub fn mind_time(&self) -> Time {
        self.clock.now()
    }

    /// The mind, opened with the default settings when it is first asked for.
    pub fn mind(&self) -> &Mind {
        self.mind.get_or_init(|| self.open_with(|_| {}))
    }

    /// The store below the mind.
    pub fn store(&self) -> &Store {
        self.mind().store()
    }

    /// Closes the mind and opens it again.
    pub fn reopen(&mut self) -> &Mind {
        self.close();
        self.mind()
    }

    /// Closes the mind.
    pub fn close(&mut self) {
        self.mind = OnceLock::new();
    }

    /// Another mind on the same database, with options of its own.
    pub fn open_with(&self, change: impl FnOnce(&mut StoreOptions)) -> Mind {
        let store = self.open_store(change).unwrap_or_else(|error| panic!("{error}"));
        self.mind_over(store, Settings::default())
    }

    /// Another mind on the same database, with settings of its own.
    pub fn open_settings(&self, settings: Settings) -> Mind {
        let store = self.open_store(|_| {}).unwrap_or_else(|error| panic!("{error}"));
        self.mind_over(store, settings)
    }

    /// Closes the mind and opens it with a model, if one is given, and with a way to others that were before.
    pub fn reopen_with(&mut self, model: Option<Arc<Meanings>>, former: &[&Arc<Meanings>]) -> &Mind {
        self.close();
        let mind = self.open_models(model, former, |_| {}, Settings::default());
        self.mind.get_or_init(|| mind)
    }

    /// Another mind on the same database, with models, options and settings of its own.
    pub fn open_models(
        &self,
        model: Option<Arc<Meanings>>,
        former: &[&Arc<Meanings>],
        change: impl FnOnce(&mut StoreOptions),
        settings: Settings,
    ) -> Mind {
        let store = self.open_store(change).unwrap_or_else(|error| panic!("{error}"));
        let mut opening = self.opening(settings);
        if let Some(model) = model {
            opening = opening.embedder(model);
        }
        let former: Vec<Arc<Meanings>> = former.iter().map(|model| Arc::clone(model)).collect();
        let named = move |name: &str| {
            let found = former.iter().find(|model| model.model() == name)?;
            Some(Arc::<Meanings>::clone(found) as Arc<dyn Embedder>)
        };
        let opening = opening.former_models(Arc::new(named));
        opening.over(store, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Another mind on the same database, with channels and options of its own.
    pub fn open_channels(
        &self,
        channels: impl IntoIterator<Item = Arc<dyn Delivery>>,
        change: impl FnOnce(&mut StoreOptions),
    ) -> Mind {
        let store = self.open_store(change).unwrap_or_else(|error| panic!("{error}"));
        let opening = channels.into_iter().fold(self.opening(Settings::default()), Opening::delivery);
        opening.over(store, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Another mind on the same database, with settings and whatever else it is opened with.
    pub fn open_as(&self, settings: Settings, change: impl FnOnce(Opening) -> Opening) -> Mind {
        let store = self.open_store(|_| {}).unwrap_or_else(|error| panic!("{error}"));
        change(self.opening(settings)).over(store, None).unwrap_or_else(|error| panic!("{error}"))
    }

    fn mind_over(&self, store: Store, settings: Settings) -> Mind {
        self.opening(settings).over(store, None).unwrap_or_else(|error| panic!("{error}"))
    }

    fn opening(&self, settings: Settings) -> Opening {
        let clock = Arc::clone(&self.clock);
        Opening::new(settings).clock(clock).seed(SEED)
    }

    /// The bare store. An empty PostgreSQL database is migrated by its owner, as a file is by whoever opens it; one
    /// that has its tables is opened by the application alone.
    pub fn open_store(&self, change: impl FnOnce(&mut StoreOptions)) -> Result<Store, StoreError> {
        let mut options = StoreOptions::default();
        change(&mut options);
        match &self.place {
            Place::File(_) => Store::open_sqlite(&self.file(), options, self.clock.now()),
            Place::Server(database) => {
                let mut urls = database.urls();
                urls.owner = urls.owner.filter(|_| !database.is_migrated());
                Store::open_postgres(&urls, options, self.clock.now())
            }
        }
    }

    /// The SQLite file.
    pub fn file(&self) -> PathBuf {
        self.folder().join("selfsame.db")
    }

    /// The folder of the SQLite file.
    pub fn folder(&self) -> &Path {
        match &self.place {
            Place::File(folder) => folder.path(),
            Place::Server(_) => panic!("a PostgreSQL bench has no folder"),
        }
    }

    /// The PostgreSQL database.
    pub fn database(&self) -> &Database {
        match &self.place {
            Place::Server(database) => database,
            Place::File(_) => panic!("an SQLite bench has no server"),
        }
    }

    /// Where the PostgreSQL database is.
    pub fn urls(&self) -> PostgresUrl {
        self.database().urls()
    }

    /// A connection with the application's rights, for attacks. SQLite has no roles: there it is the owner's.
    pub fn application(&self) -> Raw {
        match &self.place {
            Place::File(_) => self.owner(),
            Place::Server(database) => database.application(),
        }
    }

    /// A connection with the owner's rights.
    pub fn owner(&self) -> Raw {
        match &self.place {
            Place::File(_) => Raw::sqlite(&self.file()),
            Place::Server(database) => database.owner(),
        }
    }

    /// Runs statements with the application's rights, seeing what a transaction of these agents sees.
    pub fn execute_raw(&self, agents: &[AgentId], sql: &str) -> Result<u64, String> {
        let mut raw = self.application();
        raw.run(&self.begin(agents))?;
        let result = raw.run(sql);
        raw.run(if result.is_ok() { "COMMIT" } else { "ROLLBACK" })?;
        result
    }

    /// How a transaction for these agents begins.
    pub fn begin(&self, agents: &[AgentId]) -> String {
        match self.engine() {
            Engine::Sqlite => "BEGIN".into(),
            Engine::Postgres => {
                let agents: Vec<String> = agents.iter().map(|agent| uuid(agent.id())).collect();
                format!("BEGIN; SET LOCAL selfsame.agents = '{}'", agents.join(","))
            }
        }
    }

    /// An id as SQL writes it.
    pub fn id(&self, id: Id) -> String {
        match self.engine() {
            Engine::Sqlite => format!("x'{}'", selfsame::seal::hex(&id.bytes())),
            Engine::Postgres => format!("'{}'", uuid(id)),
        }
    }

    /// An id that nobody has.
    pub fn fresh_id(&self) -> Id {
        self.others.id(self.clock.now())
    }

    /// An agent, made.
    pub fn agent(&self, name: &str) -> Agent {
        self.mind().create_agent(name, None).unwrap_or_else(|error| panic!("{error}"))
    }

    /// The agent `main`, made if it is missing, as its operator sees it.
    pub fn main(&self) -> Access<'_> {
        self.mind().ensure_agent("main").unwrap_or_else(|error| panic!("{error}"));
        self.access("main", Speaker::Operator)
    }

    /// An agent as somebody sees it.
    pub fn access(&self, agent: &str, speaker: Speaker) -> Access<'_> {
        self.mind().access(agent, speaker).unwrap_or_else(|error| panic!("{error}"))
    }

    /// Another principal of an agent.
    pub fn principal(&self, agent: &Agent, name: &str) -> PrincipalId {
        let principal = Principal {
            id: PrincipalId::of(self.fresh_id()),
            entity: EntityId::of(self.fresh_id()),
            name: name.to_owned(),
            operator: false,
            zone: agent.zone.clone(),
            created_at: self.clock.now(),
        };
        let caller = Caller::operator(agent.operator);
        let written = self.store().write(&caller, &[agent.id], None, |writer| {
            entities::insert(writer, agent.id, principal.entity, "person", name, principal.created_at)?;
            principals::insert(writer, agent.id, &principal)
        });
        written.unwrap_or_else(|error| panic!("{error}"));
        principal.id
    }

    /// The whole state of all agents, as text.
    pub fn dump(&self) -> String {
        dump(self.mind())
    }
}

/// The whole state of all agents of a mind, as text.
pub fn dump(mind: &Mind) -> String {
    let agents = mind.agents().unwrap_or_else(|error| panic!("{error}"));
    let ids: Vec<AgentId> = agents.iter().map(|agent| agent.id).collect();
    let caller = Caller::agent(None);
    mind.store()
        .read(&caller, &ids, |reader| selfsame_store::dump::dump(reader, &ids))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn uuid(id: Id) -> String {
    let hex = selfsame::seal::hex(&id.bytes());
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}
