//! The settings as ready structs, and which values each of them takes. The reasons for the defaults stand in
//! `config/default.toml`; which layer wins is decided in the parent module.

use std::collections::BTreeMap;
use std::net::{Ipv6Addr, SocketAddr};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use selfsame_core::context::SectionKind;
use selfsame_core::duty::Rhythm;
use selfsame_core::heartbeat::rules::{FirstContact, LevelRules, Pace, PeriodRules, Responses};
use selfsame_core::heartbeat::{Autonomy, Ladder, Rules, Scans, Tier, Windows, minute_of_day};
use selfsame_core::time::{Zone, parse_duration};

use super::Layers;
use super::error::ConfigError;
use super::known;
use super::mask::{DatabaseUrl, Secret};
use super::spelling;
use super::thinking::{ContemplationSettings, LessonSettings, OwnSettings, ThinkerSettings};
use super::value::{Given, Value, Values};
use crate::context::MAX_BUDGET;

const MILLISECOND: Duration = Duration::from_millis(1);
pub(super) const SECOND: Duration = Duration::from_secs(1);
pub(super) const MINUTE: Duration = Duration::from_secs(60);
pub(super) const HOUR: Duration = Duration::from_secs(60 * 60);
pub(super) const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Every setting, checked and typed.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The HTTP door.
    pub server: ServerSettings,
    /// Where the data is kept and how long to wait for it.
    pub database: DatabaseSettings,
    /// The default agent and what new agents begin with.
    pub agent: AgentSettings,
    /// What a memory may be.
    pub memory: MemorySettings,
    /// How memory is shared between agents.
    pub link: LinkSettings,
    /// What waits to be decided on.
    pub inbox: InboxSettings,
    /// How much a soul holds.
    pub soul: SoulSettings,
    /// How memories are found.
    pub recall: RecallSettings,
    /// What turns texts into vectors.
    pub embedder: EmbedderSettings,
    /// How much of a mind goes into a prompt.
    pub context: ContextSettings,
    /// What is done with what is believed.
    pub knowledge: KnowledgeSettings,
    /// When it speaks up.
    pub heartbeat: HeartbeatSettings,
    /// When an agent has time to think, if it has nothing of its own; see [`Settings::contemplation_of`].
    pub contemplation: ContemplationSettings,
    /// What does the thinking, if an agent has nothing of its own; see [`Settings::thinker_of`].
    pub thinker: ThinkerSettings,
    /// What is learned from episodes.
    pub lessons: LessonSettings,
    /// What agents have of their own, by their names.
    pub agents: BTreeMap<String, OwnSettings>,
    /// What is done in the background.
    pub duties: DutySettings,
    /// When an agent is advised to archive what was said.
    pub conversation: ConversationSettings,
    /// What is done for the program that an agent runs in.
    pub host: HostSettings,
    /// How an agent takes care of itself.
    pub self_care: SelfCareSettings,
    /// The daily copy.
    pub backup: BackupSettings,
    /// What is logged.
    pub log: LogSettings,
}

/// Section `[server]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ServerSettings {
    /// Where the daemon listens.
    pub address: SocketAddr,
    /// What it shows of itself and proves with, if it speaks TLS.
    pub tls: Option<TlsSettings>,
    /// Names under which it may be called, beside the addresses it listens on.
    pub hosts: Vec<String>,
    /// Whether other machines may talk to it without TLS.
    pub insecure: bool,
    /// The largest request body.
    pub max_body_bytes: usize,
    /// Threads that run operations.
    pub workers: usize,
    /// Requests that may wait for a worker before the next is turned away.
    pub queue: usize,
    /// Connections that may be open.
    pub max_connections: usize,
    /// Requests in a second that one key may make; 0: as many as it likes.
    pub rate: usize,
    /// Requests that it may make at once.
    pub burst: usize,
    /// Streams of events that may be open.
    pub max_streams: usize,
    /// How often those who watch are asked whether they are still there.
    pub ping: Duration,
}

/// The files that TLS needs, both in PEM. A relative path begins in the data folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsSettings {
    /// The certificate, with those that vouch for it.
    pub cert: PathBuf,
    /// Its private key.
    pub key: PathBuf,
}

/// Section `[database]`.
#[derive(Clone, Debug, PartialEq)]
pub struct DatabaseSettings {
    /// PostgreSQL with the application role; without it, the SQLite file in the data folder.
    pub url: Option<DatabaseUrl>,
    /// PostgreSQL with the role that owns the tables, for migrations alone.
    pub owner_url: Option<DatabaseUrl>,
    /// After this a statement is cut off.
    pub statement_timeout: Duration,
    /// Readers on SQLite, the pool on PostgreSQL.
    pub connections: usize,
    /// How long a one-shot command waits for the data folder; zero does not wait.
    pub lock_wait: Duration,
}

/// Section `[agent]`.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// The agent that is meant when none is named.
    pub name: String,
    /// The time zone of new agents. Looks like an IANA name; whether it exists is seen when an agent is made.
    pub zone: String,
}

/// Section `[memory]`.
#[derive(Clone, Debug, PartialEq)]
pub struct MemorySettings {
    /// The largest content of one memory.
    pub max_content_bytes: usize,
    /// Whether passwords, keys and the like are masked before anything is stored.
    pub mask_secrets: bool,
}

/// Section `[link]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkSettings {
    /// How long a request may be answered.
    pub open_for: Duration,
    /// Memories that are copied or taken away in one transaction, at most.
    pub batch: usize,
}

/// Section `[inbox]`.
#[derive(Clone, Debug, PartialEq)]
pub struct InboxSettings {
    /// Candidates that may wait, for each agent.
    pub max_pending: usize,
    /// Whether the rules decide by themselves on what they are sure of.
    pub review_by_rules: bool,
}

/// Section `[soul]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SoulSettings {
    /// How many entries it may have at a time.
    pub max_entries: usize,
    /// How long one may be, in characters.
    pub max_characters: usize,
}

/// Section `[recall]`.
#[derive(Clone, Debug, PartialEq)]
pub struct RecallSettings {
    /// How many memories are returned when the caller does not say.
    pub limit: usize,
    /// How many postings one recall may read.
    pub posting_budget: usize,
    /// BM25's k1: how fast repeating a word stops to count.
    pub bm25_k1: f64,
    /// BM25's b: how much long texts are held back.
    pub bm25_b: f64,
    /// PostgreSQL: so many vectors of an agent are compared one by one.
    pub exact_up_to: usize,
    /// SQLite: so many bytes of vectors are held in memory.
    pub vector_memory_bytes: usize,
}

/// Section `[embedder]`.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbedderSettings {
    /// Which sort.
    pub kind: EmbedderKind,
    /// Which model; none: the only one, or the sort's own.
    pub model: Option<String>,
    /// Where the server is; none: where it usually is.
    pub url: Option<String>,
    /// What it wants to see before it answers.
    pub key: Option<Secret>,
    /// Put before a question.
    pub question_prefix: String,
    /// Put before a text.
    pub text_prefix: String,
    /// Texts in one request, at most.
    pub batch: usize,
    /// After so long a request has failed.
    pub timeout: Duration,
    /// An installed model that was not asked for so long is dropped from memory.
    pub unload_after: Duration,
}

/// What turns texts into vectors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedderKind {
    /// The installed model if there is one.
    Auto,
    /// Nothing: words alone.
    None,
    /// The installed model.
    Local,
    /// A server of Ollama.
    Ollama,
    /// A server that speaks OpenAI's `/v1/embeddings`.
    OpenAi,
}

impl EmbedderKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Auto, Self::None, Self::Local, Self::Ollama, Self::OpenAi];

    /// As it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::None => "none",
            Self::Local => "local",
            Self::Ollama => "ollama",
            Self::OpenAi => "openai",
        }
    }
}

/// Section `[context]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ContextSettings {
    /// Tokens of a context when the caller does not say.
    pub budget_tokens: usize,
    /// What each section may have of what the soul leaves, in percent.
    pub shares: BTreeMap<SectionKind, usize>,
}

/// The keys of the shares, in the order of the sections.
const SHARES: [(&str, SectionKind); 10] = [
    ("context.share_observations", SectionKind::Observations),
    ("context.share_lessons", SectionKind::Lessons),
    ("context.share_memories", SectionKind::Memories),
    ("context.share_summaries", SectionKind::Summaries),
    ("context.share_people", SectionKind::People),
    ("context.share_conversation", SectionKind::Conversation),
    ("context.share_diary", SectionKind::Diary),
    ("context.share_todos", SectionKind::Todos),
    ("context.share_calendar", SectionKind::Calendar),
    ("context.share_nudges", SectionKind::Nudges),
];

/// Section `[knowledge]`.
#[derive(Clone, Debug, PartialEq)]
pub struct KnowledgeSettings {
    /// Observations in a context, at most.
    pub injected: usize,
}

/// Section `[heartbeat]`.
#[derive(Clone, Debug, PartialEq)]
pub struct HeartbeatSettings {
    /// Whether hearts beat at all.
    pub enabled: bool,
    /// The rules for everybody; the zone is that of whoever they are applied to.
    pub rules: Rules,
    /// When the rungs of deadlines are reached.
    pub ladder: Ladder,
    /// How far back and ahead the signals look.
    pub windows: Windows,
    /// How late a reminder may come and still be in time.
    pub grace: Duration,
    /// How long the receipts of silent ticks are kept.
    pub receipts_kept: Duration,
    /// Names of channels.
    pub channels: Vec<String>,
    /// What gets a nudge as a signed POST. Who knows the address may post there, so it is kept like a key.
    pub webhook_url: Option<Secret>,
    /// What it is signed with.
    pub webhook_secret: Option<Secret>,
    /// What gets a nudge on its standard input.
    pub command: Vec<String>,
    /// What gets a nudge as a line at its end.
    pub file: Option<String>,
    /// Whether a thinker may find better words, or hold a suggestion back.
    pub afterthought: bool,
    /// How long what is said waits for that.
    pub afterthought_wait: Duration,
    /// The same of what is immediate.
    pub afterthought_wait_immediate: Duration,
    /// How long a channel may take.
    pub delivery_timeout: Duration,
    /// Where the operator's own signals are; none: in the data folder.
    pub signals: Option<PathBuf>,
}

impl HeartbeatSettings {
    /// How long something so pressing waits for a thinker's second thoughts.
    pub fn waits_for_afterthought(&self, urgency: Tier) -> Duration {
        match urgency {
            Tier::Immediate => self.afterthought_wait_immediate.min(self.afterthought_wait),
            Tier::Elevated | Tier::Normal | Tier::Low => self.afterthought_wait,
        }
    }

    /// By what signals are found.
    pub fn scans(&self) -> Scans {
        Scans { windows: self.windows, ladder: self.ladder, velocity: self.rules.velocity }
    }
}

/// By how much a period of the day may stretch a pause.
const FACTOR: RangeInclusive<f64> = 0.01..=1000.0;

/// The channels there are.
pub const CHANNELS: [&str; 4] = ["list", "webhook", "command", "file"];

/// Section `[duties]`.
#[derive(Clone, Debug, PartialEq)]
pub struct DutySettings {
    /// How long a process that took a duty is left alone with it.
    pub lease: Duration,
    /// Threads for duties that wait for something outside the database.
    pub lanes: usize,
}

/// Section `[conversation]`.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversationSettings {
    /// Messages not archived yet from which on it is advised.
    pub advise_archival_at: usize,
}

/// Section `[host]`.
#[derive(Clone, Debug, PartialEq)]
pub struct HostSettings {
    /// A daemon that was started by need ends when nobody was connected for so long.
    pub idle_stop: Duration,
    /// Tokens of context when a session starts.
    pub session_tokens: usize,
    /// Tokens of what comes to mind about one prompt.
    pub prompt_tokens: usize,
    /// Whether what is said is filed.
    pub file_messages: bool,
}

/// Section `[self_care]`.
#[derive(Clone, Debug, PartialEq)]
pub struct SelfCareSettings {
    /// Fewer memories that may be folded are left as they are.
    pub least: usize,
    /// A theme that fits fewer is no theme.
    pub least_focused: usize,
    /// Memories, or messages, in one summary.
    pub batch: usize,
    /// From so many tokens in mind on, self-care is advised.
    pub ceiling_tokens: usize,
    /// After self-care there should be no more.
    pub after_tokens: usize,
    /// The last messages with each counterpart stay as they are.
    pub recent_messages: usize,
    /// A conversation in which something was said so lately goes on.
    pub active_within: Duration,
    /// Tokens of one summary.
    pub summary_tokens: usize,
    /// Tokens of one prompt: a larger batch is folded in parts.
    pub window_tokens: usize,
    /// Facts that are carried on word by word, for each counterpart.
    pub facts: usize,
    /// How long the agent may write on a batch.
    pub lease: Duration,
}

/// Section `[backup]`.
#[derive(Clone, Debug, PartialEq)]
pub struct BackupSettings {
    /// The local time of the daily copy, `HH:MM`; empty: none.
    pub at: String,
}

/// Section `[log]`.
#[derive(Clone, Debug, PartialEq)]
pub struct LogSettings {
    /// The least important thing that is still written.
    pub level: LogLevel,
}

/// How much is logged, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LogLevel {
    /// What failed.
    Error,
    /// And what may become a failure.
    Warn,
    /// And what was done.
    Info,
    /// And how.
    Debug,
    /// And every step.
    Trace,
}

impl LogLevel {
    /// All levels, from least to most.
    pub const ALL: [Self; 5] = [Self::Error, Self::Warn, Self::Info, Self::Debug, Self::Trace];

    /// The level as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warn => "warn",
            Self::Info => "info",
            Self::Debug => "debug",
            Self::Trace => "trace",
        }
    }
}

/// What `config/default.toml` says.
impl Default for Settings {
    fn default() -> Self {
        Layers::new().resolve().expect("the compiled-in default.toml resolves, as every test sees").settings
    }
}

impl Settings {
    /// Reads every field from its key, and says for each which values it takes.
    pub(super) fn read(values: &Values) -> Result<Self, ConfigError> {
        let read = Reader { values, agent: None };
        Ok(Self {
            server: ServerSettings {
                address: read.address("server.address")?,
                tls: read.tls()?,
                hosts: read.hosts("server.hosts")?,
                insecure: read.flag("server.insecure")?,
                max_body_bytes: read.count("server.max_body_bytes", 1..=1 << 30)?,
                workers: read.count("server.workers", 1..=1024)?,
                queue: read.count("server.queue", 1..=65536)?,
                max_connections: read.count("server.max_connections", 1..=65536)?,
                rate: read.count("server.rate", 0..=1_000_000)?,
                burst: read.count("server.burst", 1..=1_000_000)?,
                max_streams: read.count("server.max_streams", 1..=65536)?,
                ping: read.duration("server.ping", MILLISECOND..=HOUR, "from 1ms to 1h")?,
            },
            database: DatabaseSettings {
                url: read.database_url("database.url")?,
                owner_url: read.database_url("database.owner_url")?,
                // Not zero: PostgreSQL takes that for no limit at all.
                statement_timeout: read.duration(
                    "database.statement_timeout",
                    MILLISECOND..=DAY,
                    "from 1ms to 24h",
                )?,
                connections: read.count("database.connections", 1..=1024)?,
                lock_wait: read.duration("database.lock_wait", Duration::ZERO..=HOUR, "up to 1h")?,
            },
            agent: AgentSettings { name: read.name("agent.name")?, zone: read.zone("agent.zone")? },
            memory: MemorySettings {
                max_content_bytes: read.count("memory.max_content_bytes", 1..=1 << 30)?,
                mask_secrets: read.flag("memory.mask_secrets")?,
            },
            link: LinkSettings {
                open_for: read.duration("link.open_for", SECOND..=HOUR, "from 1s to 1h")?,
                batch: read.count("link.batch", 1..=10_000)?,
            },
            inbox: InboxSettings {
                max_pending: read.count("inbox.max_pending", 1..=1_000_000)?,
                review_by_rules: read.flag("inbox.review_by_rules")?,
            },
            soul: SoulSettings {
                max_entries: read.count("soul.max_entries", 1..=1000)?,
                max_characters: read.count("soul.max_characters", 1..=10_000)?,
            },
            recall: RecallSettings {
                limit: read.count("recall.limit", 1..=1000)?,
                posting_budget: read.count("recall.posting_budget", 1..=10_000_000)?,
                bm25_k1: read.number("recall.bm25_k1", 0.0..=10.0)?,
                bm25_b: read.number("recall.bm25_b", 0.0..=1.0)?,
                exact_up_to: read.count("recall.exact_up_to", 1..=10_000_000)?,
                vector_memory_bytes: read.count("recall.vector_memory_bytes", 1 << 20..=1 << 40)?,
            },
            embedder: EmbedderSettings {
                kind: read.one_of("embedder.kind", &EmbedderKind::ALL, EmbedderKind::as_str)?,
                model: read.said("embedder.model")?,
                url: read.web_url("embedder.url")?,
                key: read.said("embedder.key")?.map(Secret::new),
                question_prefix: read.said("embedder.question_prefix")?.unwrap_or_default(),
                text_prefix: read.said("embedder.text_prefix")?.unwrap_or_default(),
                batch: read.count("embedder.batch", 1..=2048)?,
                timeout: read.duration("embedder.timeout", SECOND..=HOUR, "from 1s to 1h")?,
                unload_after: read.duration("embedder.unload_after", SECOND..=DAY, "from 1s to 24h")?,
            },
            context: ContextSettings {
                budget_tokens: read.count("context.budget_tokens", 1..=MAX_BUDGET)?,
                shares: read.shares()?,
            },
            knowledge: KnowledgeSettings { injected: read.count("knowledge.injected", 0..=100)? },
            heartbeat: read.heartbeat()?,
            contemplation: read.contemplation()?,
            thinker: read.thinker()?,
            lessons: read.lessons()?,
            agents: read.agents()?,
            duties: DutySettings {
                // Not longer: a lease further ahead is taken for the work of a wrong clock.
                lease: read.duration("duties.lease", SECOND..=HOUR, "from 1s to 1h")?,
                lanes: read.count("duties.lanes", 1..=64)?,
            },
            conversation: ConversationSettings {
                advise_archival_at: read.count("conversation.advise_archival_at", 1..=10_000_000)?,
            },
            host: HostSettings {
                idle_stop: read.duration("host.idle_stop", SECOND..=365 * DAY, "from 1s to 365d")?,
                session_tokens: read.count("host.session_tokens", 1..=MAX_BUDGET)?,
                prompt_tokens: read.count("host.prompt_tokens", 1..=MAX_BUDGET)?,
                file_messages: read.flag("host.file_messages")?,
            },
            self_care: SelfCareSettings {
                least: read.count("self_care.least", 1..=1_000_000)?,
                least_focused: read.count("self_care.least_focused", 1..=1_000_000)?,
                batch: read.count("self_care.batch", 2..=10_000)?,
                ceiling_tokens: read.count("self_care.ceiling_tokens", 1..=100_000_000)?,
                after_tokens: read.count("self_care.after_tokens", 1..=100_000_000)?,
                recent_messages: read.count("self_care.recent_messages", 0..=10_000)?,
                active_within: read.duration(
                    "self_care.active_within",
                    SECOND..=30 * DAY,
                    "from 1s to 30d",
                )?,
                summary_tokens: read.count("self_care.summary_tokens", 100..=100_000)?,
                window_tokens: read.count("self_care.window_tokens", 1000..=MAX_BUDGET)?,
                facts: read.count("self_care.facts", 0..=10_000)?,
                lease: read.duration("self_care.lease", MINUTE..=7 * DAY, "from 1m to 7d")?,
            },
            backup: BackupSettings { at: read.wall_time("backup.at")? },
            log: LogSettings { level: read.one_of("log.level", &LogLevel::ALL, LogLevel::as_str)? },
        })
    }
}

/// Typed access to the values of the layers, each with its check.
pub(super) struct Reader<'a> {
    pub(super) values: &'a Values,
    /// The agent whose own values come first.
    pub(super) agent: Option<&'a str>,
}

impl Reader<'_> {
    fn address(&self, key: &str) -> Result<SocketAddr, ConfigError> {
        let address = self.text(key).and_then(|text| text.parse().ok());
        address.ok_or_else(|| self.bad(key, r#"an IP address and a port, such as "127.0.0.1:4177""#))
    }

    /// Both files, or neither.
    fn tls(&self) -> Result<Option<TlsSettings>, ConfigError> {
        let (cert, key) = ("server.tls_cert", "server.tls_key");
        match (self.said(cert)?, self.said(key)?) {
            (None, None) => Ok(None),
            (Some(cert), Some(key)) => Ok(Some(TlsSettings { cert: cert.into(), key: key.into() })),
            (Some(_), None) => Err(self.bad(key, "the PEM file of the key that server.tls_cert belongs to")),
            (None, Some(_)) => {
                Err(self.bad(cert, "the PEM file of the certificate that server.tls_key proves"))
            }
        }
    }

    /// Names of hosts, as a browser writes them before a port.
    fn hosts(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let is_host = |name: &str| match name.strip_prefix('[') {
            Some(rest) => rest.strip_suffix(']').is_some_and(|inner| inner.parse::<Ipv6Addr>().is_ok()),
            None => {
                name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_'))
            }
        };
        let names = self.text(key).map(|text| text.split(',').map(str::trim).filter(|name| !name.is_empty()));
        let names: Option<Vec<String>> = names.map(|names| names.map(str::to_ascii_lowercase).collect());
        names.filter(|names| names.iter().all(|name| is_host(name))).ok_or_else(|| {
            self.bad(
                key,
                r#""" for none, or names with commas and without ports, such as "mind.example.org, 192.168.1.5""#,
            )
        })
    }

    pub(super) fn count(&self, key: &str, range: RangeInclusive<usize>) -> Result<usize, ConfigError> {
        let count = match self.value(key).given {
            Given::Integer(number) => usize::try_from(number).ok(),
            _ => None,
        };
        let words = format!("a whole number from {} to {}", range.start(), range.end());
        count.filter(|count| range.contains(count)).ok_or_else(|| self.bad_with_default(key, &words))
    }

    pub(super) fn flag(&self, key: &str) -> Result<bool, ConfigError> {
        match self.value(key).given {
            Given::Boolean(truth) => Ok(truth),
            _ => Err(self.bad(key, "true or false")),
        }
    }

    /// A number with a fraction; a whole one will do as well.
    pub(super) fn number(&self, key: &str, range: RangeInclusive<f64>) -> Result<f64, ConfigError> {
        let number = match self.value(key).given {
            Given::Float(number) => Some(number),
            Given::Integer(number) => Some(number as f64),
            _ => None,
        };
        let words = format!("a number from {} to {}", range.start(), range.end());
        // NaN is in no range.
        number.filter(|number| range.contains(number)).ok_or_else(|| self.bad_with_default(key, &words))
    }

    fn heartbeat(&self) -> Result<HeartbeatSettings, ConfigError> {
        Ok(HeartbeatSettings {
            enabled: self.flag("heartbeat.enabled")?,
            rules: self.rules()?,
            ladder: self.ladder()?,
            windows: self.windows()?,
            grace: self.duration("heartbeat.grace", MINUTE..=7 * DAY, "from 1m to 7d")?,
            receipts_kept: self.duration("heartbeat.receipts_kept", DAY..=3650 * DAY, "from 1d to 3650d")?,
            channels: self.channels("heartbeat.channels")?,
            webhook_url: self.hook_url("heartbeat.webhook_url")?.map(Secret::new),
            webhook_secret: self.said("heartbeat.webhook_secret")?.map(Secret::new),
            command: self.argv("heartbeat.command")?,
            file: self.said("heartbeat.file")?,
            afterthought: self.flag("heartbeat.afterthought")?,
            afterthought_wait: self.duration(
                "heartbeat.afterthought_wait",
                SECOND..=HOUR,
                "from 1s to 1h",
            )?,
            afterthought_wait_immediate: self.duration(
                "heartbeat.afterthought_wait_immediate",
                Duration::ZERO..=MINUTE,
                "up to 1m",
            )?,
            delivery_timeout: self.duration(
                "heartbeat.delivery_timeout",
                SECOND..=5 * MINUTE,
                "from 1s to 5m",
            )?,
            signals: self.said("heartbeat.signals")?.map(PathBuf::from),
        })
    }

    fn ladder(&self) -> Result<Ladder, ConfigError> {
        let keys = ["heartbeat.deadline_first", "heartbeat.deadline_second", "heartbeat.deadline_third"];
        let [first, second, third] = keys;
        let before = [self.pause(first)?, self.pause(second)?, self.pause(third)?];
        // Each is told apart from the next by its own words.
        if let Some(n) = (1..before.len()).find(|n| before[*n] >= before[*n - 1]) {
            let to_blame = if self.is_given(keys[n]) { keys[n] } else { keys[n - 1] };
            let expected = "rungs of which each is nearer to the deadline than the one before";
            return Err(self.bad(to_blame, expected));
        }
        Ok(Ladder {
            window: self.pause("heartbeat.deadline_window")?,
            before,
            overdue_every: self.pause("heartbeat.overdue_every")?,
        })
    }

    fn windows(&self) -> Result<Windows, ConfigError> {
        let window = |key| self.duration(key, SECOND..=366 * DAY, "from 1s to 366d");
        Ok(Windows {
            continuity_after: window("heartbeat.continuity_after")?,
            continuity_within: window("heartbeat.continuity_within")?,
            velocity_within: window("heartbeat.velocity_within")?,
            pending_touched: window("heartbeat.pending_touched")?,
            pending_due: window("heartbeat.pending_due")?,
            stalled_after: window("heartbeat.stalled_after")?,
            at_risk_within: window("heartbeat.at_risk_within")?,
            question_after: window("heartbeat.question_after")?,
            silent_after: window("heartbeat.silent_after")?,
            silent_due: window("heartbeat.silent_due")?,
        })
    }

    fn rules(&self) -> Result<Rules, ConfigError> {
        let period = |from, least, factor| self.period(from, least, factor);
        let level = |threshold, low, normal, elevated| self.level(threshold, low, normal, elevated);
        Ok(Rules {
            autonomy: self.one_of("heartbeat.autonomy", Autonomy::ALL, Autonomy::as_str)?,
            zone: Zone::utc(),
            periods: [
                // What quiet hours let through is the decision's own, and no setting.
                PeriodRules {
                    from: self.minute("heartbeat.quiet_from")?,
                    least: Tier::Immediate,
                    factor: self.number("heartbeat.quiet_factor", FACTOR)?,
                },
                period("heartbeat.morning_from", "heartbeat.morning_least", "heartbeat.morning_factor")?,
                period("heartbeat.working_from", "heartbeat.working_least", "heartbeat.working_factor")?,
                period("heartbeat.evening_from", "heartbeat.evening_least", "heartbeat.evening_factor")?,
                period(
                    "heartbeat.late_night_from",
                    "heartbeat.late_night_least",
                    "heartbeat.late_night_factor",
                )?,
            ],
            levels: [
                level(
                    "heartbeat.threshold_observe",
                    "heartbeat.cooldown_observe_low",
                    "heartbeat.cooldown_observe_normal",
                    "heartbeat.cooldown_observe_elevated",
                )?,
                level(
                    "heartbeat.threshold_suggest",
                    "heartbeat.cooldown_suggest_low",
                    "heartbeat.cooldown_suggest_normal",
                    "heartbeat.cooldown_suggest_elevated",
                )?,
                level(
                    "heartbeat.threshold_act",
                    "heartbeat.cooldown_act_low",
                    "heartbeat.cooldown_act_normal",
                    "heartbeat.cooldown_act_elevated",
                )?,
            ],
            max_silence: self.pause("heartbeat.max_silence")?,
            conversation: self.pause("heartbeat.conversation")?,
            velocity: self.small("heartbeat.velocity", 1..=100)?,
            critical: self.pause("heartbeat.critical")?,
            first_contact: FirstContact {
                memories: self.small("heartbeat.first_contact_memories", 0..=1000)?,
                every: self.pause("heartbeat.first_contact_every")?,
                most: self.small("heartbeat.first_contact_most", 0..=1000)?,
            },
            responses: Responses {
                last: self.small("heartbeat.responses_last", 1..=1000)?,
                within: self.duration("heartbeat.responses_within", HOUR..=366 * DAY, "from 1h to 366d")?,
                least: self.small("heartbeat.responses_least", 1..=1000)?,
                ignored_below: self.number("heartbeat.ignored_below", 0.0..=1.0)?,
                ignored_factor: self.number("heartbeat.ignored_factor", 1.0..=1000.0)?,
                selective_below: self.number("heartbeat.selective_below", 0.0..=1.0)?,
                selective_factor: self.number("heartbeat.selective_factor", 1.0..=1000.0)?,
                answer_within: self.pause("heartbeat.answer_within")?,
            },
            pace: Pace {
                base: self.pause("heartbeat.base")?,
                shortest: self.pause("heartbeat.shortest")?,
                longest: self.pause("heartbeat.longest")?,
            },
        })
    }

    fn period(&self, from: &str, least: &str, factor: &str) -> Result<PeriodRules, ConfigError> {
        Ok(PeriodRules {
            from: self.minute(from)?,
            least: self.one_of(least, Tier::ALL, Tier::as_str)?,
            factor: self.number(factor, FACTOR)?,
        })
    }

    pub(super) fn minute(&self, key: &str) -> Result<u16, ConfigError> {
        let minute = self.text(key).and_then(minute_of_day);
        minute.ok_or_else(|| self.bad_with_default(key, "a time of day"))
    }

    fn level(
        &self,
        threshold: &str,
        low: &str,
        normal: &str,
        elevated: &str,
    ) -> Result<LevelRules, ConfigError> {
        Ok(LevelRules {
            threshold: self.small(threshold, 1..=1000)?,
            low: self.pause(low)?,
            normal: self.pause(normal)?,
            elevated: self.pause(elevated)?,
        })
    }

    /// A pause of the heart.
    fn pause(&self, key: &str) -> Result<Duration, ConfigError> {
        self.duration(key, SECOND..=30 * DAY, "from 1s to 30d")
    }

    pub(super) fn small(&self, key: &str, range: RangeInclusive<usize>) -> Result<u32, ConfigError> {
        Ok(self.count(key, range)? as u32)
    }

    fn channels(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let words = format!("names of channels with commas, out of {}", CHANNELS.join(", "));
        let names = self.text(key).map(|text| text.split(',').map(str::trim).filter(|name| !name.is_empty()));
        let mut names: Vec<String> =
            names.ok_or_else(|| self.bad_with_default(key, &words))?.map(str::to_owned).collect();
        names.sort();
        names.dedup();
        match names.iter().all(|name| CHANNELS.contains(&name.as_str())) {
            true => Ok(names),
            false => Err(self.bad_with_default(key, &words)),
        }
    }

    /// A program with its arguments, as a JSON list.
    pub(super) fn argv(&self, key: &str) -> Result<Vec<String>, ConfigError> {
        let argv = match self.text(key) {
            Some("") => Some(Vec::new()),
            text => text
                .and_then(|text| serde_json::from_str::<Vec<String>>(text).ok())
                .filter(|argv| argv.first().is_some_and(|program| !program.is_empty())),
        };
        let expected = r#""" for none, or a JSON list of a program and its arguments, such as '["/usr/bin/logger", "-t", "selfsame"]'"#;
        argv.ok_or_else(|| self.bad(key, expected))
    }

    /// The shares of a context: whole percents, together not more than there is.
    fn shares(&self) -> Result<BTreeMap<SectionKind, usize>, ConfigError> {
        let (mut shares, mut sum) = (BTreeMap::new(), 0);
        for (key, section) in SHARES {
            let share = self.count(key, 0..=100)?;
            sum += share;
            shares.insert(section, share);
        }
        // To blame is the largest that somebody gave: the defaults fit.
        let given = SHARES.iter().filter(|(key, _)| self.is_given(key));
        match given.max_by_key(|(_, section)| shares[section]) {
            Some((key, _)) if sum > 100 => {
                Err(self.bad(key, &format!("shares of [context] that sum to at most 100, not {sum}")))
            }
            _ => Ok(shares),
        }
    }

    /// Whether somebody said so: the defaults fit each other.
    fn is_given(&self, key: &'static str) -> bool {
        known::default_of(key).is_some_and(|default| *default != self.value(key).given)
    }

    /// `words` is the range as people write it.
    pub(super) fn duration(
        &self,
        key: &str,
        range: RangeInclusive<Duration>,
        words: &str,
    ) -> Result<Duration, ConfigError> {
        let duration = self.text(key).and_then(|text| parse_duration(text).ok());
        let words = format!("a duration with a unit, {words}");
        duration.filter(|duration| range.contains(duration)).ok_or_else(|| self.bad_with_default(key, &words))
    }

    fn database_url(&self, key: &str) -> Result<Option<DatabaseUrl>, ConfigError> {
        match self.text(key) {
            Some("") => Ok(None),
            text => text.and_then(DatabaseUrl::new).map(Some).ok_or_else(|| {
                self.bad(key, r#""" for none, or a URL such as "postgres://user:password@host/database""#)
            }),
        }
    }

    fn name(&self, key: &str) -> Result<String, ConfigError> {
        let name = self.text(key).filter(|text| {
            !text.is_empty() && text.trim() == *text && !text.contains(|c: char| c.is_control())
        });
        name.map(str::to_owned).ok_or_else(|| {
            self.bad(key, r#"a name without blanks around it or control characters, such as "main""#)
        })
    }

    fn zone(&self, key: &str) -> Result<String, ConfigError> {
        let fits = |c: char| c.is_ascii_alphanumeric() || "/_+-".contains(c);
        let zone = self.text(key).filter(|text| !text.is_empty() && text.chars().all(fits));
        zone.map(str::to_owned)
            .ok_or_else(|| self.bad(key, r#"the IANA name of a time zone, such as "Europe/Berlin""#))
    }

    fn wall_time(&self, key: &str) -> Result<String, ConfigError> {
        let fits = |text: &str| text.is_empty() || Rhythm::parse(&format!("daily {text} UTC")).is_ok();
        let time = self.text(key).filter(|text| fits(text));
        time.map(str::to_owned)
            .ok_or_else(|| self.bad(key, r#""" for none, or a time of day such as "03:30""#))
    }

    /// One of a few words.
    pub(super) fn one_of<T: Copy>(
        &self,
        key: &str,
        all: &[T],
        written: fn(T) -> &'static str,
    ) -> Result<T, ConfigError> {
        let meant = self.text(key).and_then(|text| all.iter().find(|one| written(**one) == text));
        meant.copied().ok_or_else(|| {
            let words: Vec<String> = all.iter().map(|one| format!("\"{}\"", written(*one))).collect();
            self.bad(key, &format!("one of {}", words.join(", ")))
        })
    }

    /// Some text, or nothing.
    pub(super) fn said(&self, key: &str) -> Result<Option<String>, ConfigError> {
        let text = self.text(key).filter(|text| !text.contains(|c: char| c.is_control()));
        let text =
            text.ok_or_else(|| self.bad(key, r#""" for none, or a text without control characters"#))?;
        Ok((!text.is_empty()).then(|| text.to_owned()))
    }

    /// A whole address: what comes after its last slash is the other side's matter, also when it is nothing.
    pub(super) fn hook_url(&self, key: &str) -> Result<Option<String>, ConfigError> {
        match self.text(key) {
            Some("") => Ok(None),
            Some(url) if is_url(url) => Ok(Some(url.to_owned())),
            _ => Err(self.bad(key, r#""" for none, or a URL such as "https://example.org/hooks/nudges""#)),
        }
    }

    pub(super) fn web_url(&self, key: &str) -> Result<Option<String>, ConfigError> {
        match self.text(key) {
            Some("") => Ok(None),
            Some(url) if is_url(url) => Ok(Some(url.trim_end_matches('/').to_owned())),
            _ => Err(self.bad(key, r#""" for the usual place, or a URL such as "http://127.0.0.1:11434""#)),
        }
    }

    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match &self.value(key).given {
            Given::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A field whose key is not in `config/default.toml` is a slip of ours that no run survives, so it may panic.
    fn value(&self, key: &str) -> &Value {
        self.own(key).unwrap_or_else(|| &self.values[key])
    }

    /// What the agent has of its own.
    pub(super) fn own(&self, key: &str) -> Option<&Value> {
        self.agent.and_then(|agent| self.values.get(&spelling::own_key(agent, key)))
    }

    /// The default serves as the example: it is known to be good.
    pub(super) fn bad_with_default(&self, key: &str, expected: &str) -> ConfigError {
        let default = known::default_of(key).map_or_else(String::new, |given| given.shown(key));
        self.bad(key, &format!("{expected}, such as {default}"))
    }

    pub(super) fn bad(&self, key: &str, expected: &str) -> ConfigError {
        let value = self.value(key);
        ConfigError::BadValue {
            key: value.written.clone(),
            given: value.shown(),
            origin: value.origin.clone(),
            expected: expected.to_owned(),
        }
    }
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or_else(|| text.strip_prefix("https://"));
    rest.is_some_and(|rest| !rest.is_empty() && !rest.contains(char::is_whitespace))
}
