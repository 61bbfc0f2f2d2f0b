//! Settings of thinking: when, by whom, and what is learned from it; of everybody, and of one agent. The reasons for
//! the defaults stand in `config/default.toml`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use selfsame_core::contemplation::{Purse, WorkKind};
use selfsame_core::heartbeat::minute_of_day;

use super::error::ConfigError;
use super::mask::Secret;
use super::settings::{DAY, HOUR, MINUTE, Reader, SECOND, Settings};
use super::spelling::{self, SERVERS};
use crate::context::MAX_BUDGET;

/// Section `[contemplation]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ContemplationSettings {
    /// Whether there is time to think at all.
    pub enabled: bool,
    /// From one time to the next, for a main agent.
    pub every: Duration,
    /// The same for one of the family.
    pub family_every: Duration,
    /// What this agent has of its own, whatever it is.
    pub own_every: Option<Duration>,
    /// After so many successful times in a row ...
    pub streak: u32,
    /// ... a main agent thinks so often.
    pub fast_every: Duration,
    /// So long after a principal wrote, thinking waits.
    pub quiet: Duration,
    /// After so long it is looked again whether there is time.
    pub retry: Duration,
    /// Times in an hour, for an agent.
    pub per_hour: u32,
    /// Times in an hour, for all of them together.
    pub per_hour_all: u32,
    /// From which minute of the day until before which, in the agent's zone; none: always.
    pub active: Option<(u16, u16)>,
    /// Tokens of the prompt.
    pub budget_tokens: usize,
    /// Tokens of the answer.
    pub max_tokens: u32,
    /// Whether a small model is asked for fresh questions.
    pub seasoning: bool,
    /// Which one.
    pub seasoning_model: String,
    /// Where its server is.
    pub seasoning_url: String,
    /// How long it may take.
    pub seasoning_timeout: Duration,
    /// Whether there is a journal.
    pub journal: bool,
    /// Where it is; none: in the data folder.
    pub journal_folder: Option<PathBuf>,
    /// How long whoever took a piece of work may be at it.
    pub work_lease: Duration,
}

/// Section `[thinker]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ThinkerSettings {
    /// Which sort.
    pub kind: ThinkerKind,
    /// Which sort for single jobs.
    pub jobs: BTreeMap<WorkKind, ThinkerKind>,
    /// Who runs the model.
    pub provider: ThinkerProvider,
    /// What they call it.
    pub model: Option<String>,
    /// Where the server is; none: where it usually is.
    pub url: Option<String>,
    /// What it wants to see before it answers.
    pub key: Option<Secret>,
    /// The program with its arguments.
    pub command: Vec<String>,
    /// Where the host is. Who knows the address may post there, so it is kept like a key.
    pub webhook_url: Option<Secret>,
    /// What is posted there is signed with this.
    pub webhook_secret: Option<Secret>,
    /// How long it may take in all.
    pub timeout: Duration,
    /// How long it may be silent.
    pub idle: Duration,
    /// Calls of tools in one piece of work.
    pub max_calls: u32,
    /// Bytes of one answer.
    pub max_bytes: usize,
    /// Tokens of an agent on a day.
    pub daily_tokens: u64,
    /// Time of an agent on a day.
    pub daily_time: Duration,
    /// Threads that wait for thinkers.
    pub lanes: usize,
    /// Servers of tools, by name.
    pub servers: BTreeMap<String, ToolServer>,
}

impl ThinkerSettings {
    /// What an agent may spend on a day.
    pub fn purse(&self) -> Purse {
        Purse { tokens: self.daily_tokens, time: self.daily_time }
    }
}

/// What does the thinking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkerKind {
    /// Rules and counts.
    None,
    /// A model that is asked by HTTP.
    Model,
    /// A program.
    Command,
    /// A host.
    Webhook,
    /// The agent itself, which comes for its work.
    Agent,
}

impl ThinkerKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::None, Self::Model, Self::Command, Self::Webhook, Self::Agent];

    /// Whether it has tools of its own, and uses ours by the doors if at all.
    pub const fn is_outside(self) -> bool {
        matches!(self, Self::Command | Self::Webhook | Self::Agent)
    }

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Model => "model",
            Self::Command => "command",
            Self::Webhook => "webhook",
            Self::Agent => "agent",
        }
    }
}

/// Who runs a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ThinkerProvider {
    /// A server of Ollama.
    Ollama,
    /// Whoever speaks like OpenAI.
    OpenAi,
    /// Anthropic.
    Anthropic,
    /// Gemini.
    Gemini,
}

impl ThinkerProvider {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Ollama, Self::OpenAi, Self::Anthropic, Self::Gemini];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
        }
    }
}

/// Where tools of others come from.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolServer {
    /// A program with its arguments.
    Command(Vec<String>),
    /// An address, which may say more than a stranger should know.
    Url(Secret),
}

/// Section `[lessons]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LessonSettings {
    /// New episodes that it takes.
    pub every_episodes: u32,
    /// Episodes at once.
    pub batch: u32,
    /// How often a thinker is asked for what nobody can read.
    pub tries: u32,
    /// The share of words in common that makes two lessons the same.
    pub same_overlap: f64,
    /// How much surer the same again makes a lesson.
    pub reinforced: f64,
    /// What a thumb down takes away.
    pub thumbs_down: f64,
    /// What a judgement as unhelpful takes away.
    pub unhelpful: f64,
    /// What is not seen again fades by half in so long.
    pub half_life: Duration,
    /// And never below this.
    pub floor: f64,
    /// How sure a lesson is that is proposed as a belief.
    pub proposed_confidence: f64,
    /// How often it was seen.
    pub proposed_occurrences: u32,
    /// On how many days.
    pub proposed_days: u32,
    /// How many go into a context.
    pub injected: usize,
    /// From how sure on.
    pub injected_confidence: f64,
    /// What its confidence counts for, when the first are chosen.
    pub weight_confidence: f64,
    /// What the words in common with the context count for.
    pub weight_overlap: f64,
    /// What having been seen lately counts for.
    pub weight_recency: f64,
    /// What having been seen often counts for.
    pub weight_occurrences: f64,
}

/// What counts for one agent: its own where it has some, that of everybody elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct OwnSettings {
    /// When it has time to think.
    pub contemplation: ContemplationSettings,
    /// What does the thinking for it.
    pub thinker: ThinkerSettings,
}

/// A share, or how sure something is.
const SHARE: RangeInclusive<f64> = 0.0..=1.0;

/// The key of each job's own thinker.
const JOBS: [(WorkKind, &str); 6] = [
    (WorkKind::Contemplate, "thinker.contemplate"),
    (WorkKind::ReviewInbox, "thinker.review_inbox"),
    (WorkKind::ExtractLessons, "thinker.extract_lessons"),
    (WorkKind::Summarize, "thinker.summarize"),
    (WorkKind::PhraseClaim, "thinker.phrase_claim"),
    (WorkKind::PhraseNudge, "thinker.phrase_nudge"),
];

impl Settings {
    /// Whether any agent has time to think.
    pub fn anybody_thinks(&self) -> bool {
        self.contemplation.enabled || self.agents.values().any(|own| own.contemplation.enabled)
    }

    /// Whether anybody thinks who has tools of their own: they use ours by the doors, as the agent.
    pub fn anybody_thinks_outside(&self) -> bool {
        let all = self.agents.values().map(|own| &own.thinker).chain([&self.thinker]);
        all.into_iter()
            .any(|thinker| thinker.kind.is_outside() || thinker.jobs.values().any(|kind| kind.is_outside()))
    }

    /// When the agent of this name has time to think.
    pub fn contemplation_of(&self, agent: &str) -> ContemplationSettings {
        self.agents.get(agent).map_or(&self.contemplation, |own| &own.contemplation).clone()
    }

    /// What does this kind of work for the agent of this name; `kind` is the one that is meant for the work.
    pub fn thinker_of(&self, agent: &str, work: WorkKind) -> ThinkerSettings {
        let thinker = self.agents.get(agent).map_or(&self.thinker, |own| &own.thinker).clone();
        ThinkerSettings { kind: thinker.jobs.get(&work).copied().unwrap_or(thinker.kind), ..thinker }
    }
}

impl Reader<'_> {
    pub(super) fn contemplation(&self) -> Result<ContemplationSettings, ConfigError> {
        let interval = |key| self.duration(key, MINUTE..=30 * DAY, "from 1m to 30d");
        let every = interval("contemplation.every")?;
        Ok(ContemplationSettings {
            enabled: self.flag("contemplation.enabled")?,
            every,
            family_every: interval("contemplation.family_every")?,
            own_every: self.own("contemplation.every").map(|_| every),
            streak: self.small("contemplation.streak", 1..=1000)?,
            fast_every: interval("contemplation.fast_every")?,
            quiet: self.duration("contemplation.quiet", Duration::ZERO..=DAY, "up to 24h")?,
            retry: self.duration("contemplation.retry", SECOND..=HOUR, "from 1s to 1h")?,
            per_hour: self.small("contemplation.per_hour", 1..=1000)?,
            per_hour_all: self.small("contemplation.per_hour_all", 1..=1_000_000)?,
            active: self.active_hours()?,
            budget_tokens: self.count("contemplation.budget_tokens", 500..=MAX_BUDGET)?,
            max_tokens: self.small("contemplation.max_tokens", 100..=1_000_000)?,
            seasoning: self.flag("contemplation.seasoning")?,
            seasoning_model: self.needed("contemplation.seasoning_model")?,
            seasoning_url: self.server_url("contemplation.seasoning_url")?,
            seasoning_timeout: self.duration(
                "contemplation.seasoning_timeout",
                SECOND..=5 * MINUTE,
                "from 1s to 5m",
            )?,
            journal: self.flag("contemplation.journal")?,
            journal_folder: self.said("contemplation.journal_folder")?.map(PathBuf::from),
            work_lease: self.duration("contemplation.work_lease", MINUTE..=DAY, "from 1m to 24h")?,
        })
    }

    pub(super) fn thinker(&self) -> Result<ThinkerSettings, ConfigError> {
        Ok(ThinkerSettings {
            kind: self.one_of("thinker.kind", &ThinkerKind::ALL, ThinkerKind::as_str)?,
            jobs: self.jobs()?,
            provider: self.one_of("thinker.provider", &ThinkerProvider::ALL, ThinkerProvider::as_str)?,
            model: self.said("thinker.model")?,
            url: self.web_url("thinker.url")?,
            key: self.said("thinker.key")?.map(Secret::new),
            command: self.argv("thinker.command")?,
            webhook_url: self.hook_url("thinker.webhook_url")?.map(Secret::new),
            webhook_secret: self.said("thinker.webhook_secret")?.map(Secret::new),
            timeout: self.duration("thinker.timeout", SECOND..=HOUR, "from 1s to 1h")?,
            idle: self.duration("thinker.idle", SECOND..=HOUR, "from 1s to 1h")?,
            max_calls: self.small("thinker.max_calls", 0..=1000)?,
            max_bytes: self.count("thinker.max_bytes", 1024..=1 << 30)?,
            daily_tokens: self.count("thinker.daily_tokens", 0..=1_000_000_000)? as u64,
            daily_time: self.duration("thinker.daily_time", Duration::ZERO..=DAY, "up to 24h")?,
            lanes: self.count("thinker.lanes", 1..=64)?,
            servers: self.servers()?,
        })
    }

    pub(super) fn lessons(&self) -> Result<LessonSettings, ConfigError> {
        let many = |key| self.small(key, 1..=1000);
        let share = |key| self.number(key, SHARE);
        Ok(LessonSettings {
            every_episodes: many("lessons.every_episodes")?,
            batch: many("lessons.batch")?,
            tries: many("lessons.tries")?,
            same_overlap: share("lessons.same_overlap")?,
            reinforced: share("lessons.reinforced")?,
            thumbs_down: share("lessons.thumbs_down")?,
            unhelpful: share("lessons.unhelpful")?,
            half_life: self.duration("lessons.half_life", DAY..=3650 * DAY, "from 1d to 3650d")?,
            floor: share("lessons.floor")?,
            proposed_confidence: share("lessons.proposed_confidence")?,
            proposed_occurrences: many("lessons.proposed_occurrences")?,
            proposed_days: many("lessons.proposed_days")?,
            injected: self.count("lessons.injected", 0..=100)?,
            injected_confidence: share("lessons.injected_confidence")?,
            weight_confidence: share("lessons.weight_confidence")?,
            weight_overlap: share("lessons.weight_overlap")?,
            weight_recency: share("lessons.weight_recency")?,
            weight_occurrences: share("lessons.weight_occurrences")?,
        })
    }

    /// What agents have of their own, each read whole: what is wrong for one is an error about its own key.
    pub(super) fn agents(&self) -> Result<BTreeMap<String, OwnSettings>, ConfigError> {
        let names: BTreeSet<&str> = self.values.keys().filter_map(|key| spelling::agent_of(key)).collect();
        let own = |name: &str| {
            let read = Reader { values: self.values, agent: Some(name) };
            let own = OwnSettings { contemplation: read.contemplation()?, thinker: read.thinker()? };
            Ok((name.to_owned(), own))
        };
        names.into_iter().map(own).collect()
    }

    /// One end alone reaches to midnight.
    fn active_hours(&self) -> Result<Option<(u16, u16)>, ConfigError> {
        let start = self.some_minute("contemplation.active_start")?;
        let end = self.some_minute("contemplation.active_end")?;
        Ok((start.is_some() || end.is_some()).then(|| (start.unwrap_or(0), end.unwrap_or(0))))
    }

    fn some_minute(&self, key: &str) -> Result<Option<u16>, ConfigError> {
        match self.text(key) {
            Some("") => Ok(None),
            text => text
                .and_then(minute_of_day)
                .map(Some)
                .ok_or_else(|| self.bad(key, r#""" for none, or a time of day such as "08:00""#)),
        }
    }

    fn needed(&self, key: &str) -> Result<String, ConfigError> {
        let expected = "a text without control characters";
        self.said(key).ok().flatten().ok_or_else(|| self.bad_with_default(key, expected))
    }

    fn server_url(&self, key: &str) -> Result<String, ConfigError> {
        self.web_url(key).ok().flatten().ok_or_else(|| self.bad_with_default(key, "a URL"))
    }

    fn jobs(&self) -> Result<BTreeMap<WorkKind, ThinkerKind>, ConfigError> {
        let mut jobs = BTreeMap::new();
        for (work, key) in JOBS {
            if self.text(key) != Some("") {
                jobs.insert(work, self.one_of(key, &ThinkerKind::ALL, ThinkerKind::as_str)?);
            }
        }
        Ok(jobs)
    }

    /// Those of everybody and the agent's own; what an agent says of a server is all that counts of it.
    fn servers(&self) -> Result<BTreeMap<String, ToolServer>, ConfigError> {
        let mut servers = BTreeMap::new();
        let of_all = Reader { values: self.values, agent: None };
        for reader in [&of_all, self] {
            for name in reader.server_names() {
                match reader.server(&name)? {
                    Some(server) => servers.insert(name, server),
                    None => servers.remove(&name),
                };
            }
        }
        Ok(servers)
    }

    /// The servers that this reader's agent, or everybody, has a key for.
    fn server_names(&self) -> BTreeSet<String> {
        let prefix = self.written(SERVERS);
        let names = self.values.keys().filter_map(|key| key.strip_prefix(&prefix)?.split_once('.'));
        names.map(|(name, _)| name.to_owned()).collect()
    }

    /// A server, by the one key that it has; none if that takes it away.
    fn server(&self, name: &str) -> Result<Option<ToolServer>, ConfigError> {
        let (command, url) = (format!("{SERVERS}{name}.command"), format!("{SERVERS}{name}.url"));
        let has = |key: &str| self.values.contains_key(&self.written(key));
        match (has(&command), has(&url)) {
            (true, true) => Err(self.bad(&url, "either a command or a url, and not both")),
            (true, false) => {
                let argv = self.argv(&command)?;
                Ok((!argv.is_empty()).then_some(ToolServer::Command(argv)))
            }
            _ => Ok(self.hook_url(&url)?.map(|url| ToolServer::Url(Secret::new(url)))),
        }
    }

    /// The key under which this reader finds its own values.
    fn written(&self, key: &str) -> String {
        self.agent.map_or_else(|| key.to_owned(), |agent| spelling::own_key(agent, key))
    }
}
