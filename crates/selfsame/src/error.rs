//! What can go wrong in the engine. Doors map [`Class`] once: the daemon to HTTP, the command line to exit codes.

use crate::config::ConfigError;
use crate::data_folder::FolderError;
use crate::ports::PortError;
use selfsame_core::calendar::BadEvent;
use selfsame_core::context::TooSmall;
use selfsame_core::diary::BadDiary;
use selfsame_core::duty::BadRhythm;
use selfsame_core::heartbeat::schedule::BadSchedule;
use selfsame_core::id::{BadId, EntityId, MemoryId, PrincipalId};
use selfsame_core::local::BadMoment;
use selfsame_core::memory::BadDraft;
use selfsame_core::monitor::BadMonitor;
use selfsame_core::relationship::BadAssignment;
use selfsame_core::soul::BadSoul;
use selfsame_core::text::{TextProblem, check_text};
use selfsame_core::time::{BadTime, UnknownZone};
use selfsame_core::todo::BadTodo;
use selfsame_core::trust::PrivateSource;
use selfsame_core::word::UnknownWord;
use selfsame_store::StoreError;

/// The engine's result.
pub type Result<T> = std::result::Result<T, Error>;

/// What the store gives inside a transaction.
pub(crate) type StoreResult<T> = std::result::Result<T, StoreError>;

/// Why the engine could not do it.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The data folder.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// What was to be remembered.
    #[error(transparent)]
    Draft(#[from] BadDraft),
    /// How an agent wants to stand to somebody.
    #[error(transparent)]
    Assignment(#[from] BadAssignment),
    /// A text field.
    #[error("{field}: {problem}")]
    Text {
        /// Which.
        field: &'static str,
        /// What is wrong with it.
        problem: TextProblem,
    },
    /// An id.
    #[error("{0}{hint}", hint = where_ids_are(.0.kind))]
    Id(#[from] BadId),
    /// A word out of a list.
    #[error(transparent)]
    Word(#[from] UnknownWord),
    /// A time zone.
    #[error(transparent)]
    Zone(#[from] UnknownZone),
    /// A moment.
    #[error(transparent)]
    Time(#[from] BadTime),
    /// A rhythm.
    #[error(transparent)]
    Rhythm(#[from] BadRhythm),
    /// How often a memory is to be checked.
    #[error(transparent)]
    Monitor(#[from] BadMonitor),
    /// When a memory is to be brought up.
    #[error(transparent)]
    Schedule(#[from] BadSchedule),
    /// Something private was to feed something derived.
    #[error(transparent)]
    Private(#[from] PrivateSource),
    /// A date or a time, as people write them.
    #[error(transparent)]
    Moment(#[from] BadMoment),
    /// Words for the soul.
    #[error(transparent)]
    Soul(#[from] BadSoul),
    /// An entry for the diary.
    #[error(transparent)]
    Diary(#[from] BadDiary),
    /// A to-do.
    #[error(transparent)]
    Todo(#[from] BadTodo),
    /// An entry for the calendar.
    #[error(transparent)]
    Calendar(#[from] BadEvent),
    /// An installed model, or one that was to be.
    #[cfg(feature = "embed")]
    #[error(transparent)]
    Model(#[from] crate::model::ModelError),
    /// A context that has no room for the soul.
    #[error(transparent)]
    Context(#[from] TooSmall),
    /// A number outside its range.
    #[error("{field} must be from {least} to {most}, not {given}")]
    Range {
        /// Which.
        field: &'static str,
        /// From.
        least: u64,
        /// To.
        most: u64,
        /// As given.
        given: u64,
    },
    /// There is no such agent.
    #[error("there is no agent {name:?}{hint}")]
    NoSuchAgent {
        /// As given.
        name: String,
        /// What to do.
        hint: String,
    },
    /// There is no such thing, or it is not the caller's to see.
    #[error("there is no {what} {id}{}", where_to_look(what, id))]
    NoSuch {
        /// What sort of thing.
        what: &'static str,
        /// Its id as given.
        id: String,
    },
    /// Nothing that is believed is called so.
    #[error("there is no observation {text}{hint}")]
    NoSuchBelief {
        /// As given.
        text: String,
        /// What may have been meant, or what to do.
        hint: String,
    },
    /// It was here and was forgotten.
    #[error("memory {0} was forgotten: nothing of it is left")]
    Gone(MemoryId),
    /// What is asked for cannot be; the words say why.
    #[error("{0}")]
    Unfit(String),
    /// The caller may not.
    #[error("{0}")]
    Forbidden(String),
    /// A model, a thinker or a channel did not do it.
    #[error(transparent)]
    Port(#[from] PortError),
    /// A mistake of ours; the words say where.
    #[error("{0}")]
    Broken(String),
    /// The machine has no randomness to give.
    #[error("the operating system gives no random numbers: {0}")]
    NoChance(String),
}

/// The command that lists what there is of a kind.
fn list_of(what: &str) -> Option<&'static str> {
    Some(match what {
        "memory" => "memory list",
        "principal" => "principal list",
        "entity" => "entity list",
        "conversation" => "conversation list",
        "to-do" => "todo list",
        "calendar entry" => "calendar check",
        "candidate" => "inbox list",
        "import run" => "import runs",
        "soul entry" => "soul list",
        "observation" => "know list",
        "nudge" => "nudge list --peek --all",
        "receipt" => "heartbeat receipts",
        "lesson" => "lessons list",
        "reflection" => "reflections list",
        "key" => "key list",
        "duty" => "duty list",
        _ => return None,
    })
}

/// Where something is found that was not named by its id.
fn where_ids_are(what: &str) -> String {
    list_of(what).map_or(String::new(), |list| format!(" (`selfsame {list}` shows them)"))
}

/// Where what is not there could be looked for, or how it comes to be.
fn where_to_look(what: &str, id: &str) -> String {
    let Some(list) = list_of(what) else { return String::new() };
    // Whoever is named by an id was there once, or is another agent's.
    let add = match what {
        "principal" if id.parse::<PrincipalId>().is_err() => {
            let name = if id.chars().all(char::is_alphanumeric) { id.to_owned() } else { format!("{id:?}") };
            format!(", `selfsame principal add {name}` adds them")
        }
        "entity" if id.parse::<EntityId>().is_err() => ", `selfsame entity add` makes one".to_owned(),
        _ => String::new(),
    };
    format!(": `selfsame {list}` shows them{add}")
}

/// How many answers may be asked for: at least one, at most `most`.
pub(crate) fn check_limit(limit: usize, most: usize) -> Result<()> {
    match (1..=most).contains(&limit) {
        true => Ok(()),
        false => Err(Error::Range { field: "limit", least: 1, most: most as u64, given: limit as u64 }),
    }
}

/// Whether a text field may be stored.
pub(crate) fn check_field(field: &'static str, text: &str, max_bytes: usize) -> Result<()> {
    check_text(text, max_bytes).map_err(|problem| Error::Text { field, problem })
}

/// What sort of failure it is: what a program does about it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// The request is wrong; mend it.
    BadInput,
    /// What it names is not there.
    NotFound,
    /// It was there and was erased.
    Gone,
    /// It collides with what is there.
    Conflict,
    /// An idempotency key was used for something else.
    KeyReused,
    /// The caller may not.
    Forbidden,
    /// Somebody else holds it; wait.
    Busy,
    /// No space.
    DiskFull,
    /// It took too long.
    TimedOut,
    /// Whether it happened is not known; repeat with the same key.
    Unknown,
    /// The database cannot be used as it is; a person must act.
    Unusable,
    /// The database cannot be reached; try later.
    Unreachable,
    /// Stored data is damaged.
    Damaged,
    /// A mistake of ours.
    Internal,
}

impl Error {
    /// Its class.
    pub fn class(&self) -> Class {
        match self {
            Error::Store(error) => store_class(error),
            Error::Folder(error) => error.class(),
            #[cfg(feature = "embed")]
            Error::Model(error) => error.class(),
            Error::Config(_)
            | Error::Draft(_)
            | Error::Assignment(_)
            | Error::Text { .. }
            | Error::Id(_)
            | Error::Word(_)
            | Error::Zone(_)
            | Error::Time(_)
            | Error::Rhythm(_)
            | Error::Monitor(_)
            | Error::Schedule(_)
            | Error::Private(_)
            | Error::Moment(_)
            | Error::Soul(_)
            | Error::Diary(_)
            | Error::Todo(_)
            | Error::Calendar(_)
            | Error::Context(_)
            | Error::Range { .. }
            | Error::Unfit(_) => Class::BadInput,
            Error::NoSuchAgent { .. } | Error::NoSuch { .. } | Error::NoSuchBelief { .. } => Class::NotFound,
            Error::Gone(_) => Class::Gone,
            Error::Forbidden(_) => Class::Forbidden,
            // What waits for a port is a duty, which nobody asked for at a door.
            Error::Port(_) | Error::Broken(_) | Error::NoChance(_) => Class::Internal,
        }
    }

    /// A stable word for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Error::Draft(error) => error.code(),
            #[cfg(feature = "embed")]
            Error::Model(error) => error.code(),
            Error::Text { problem, .. }
            | Error::Assignment(BadAssignment::Text { problem, .. })
            | Error::Soul(BadSoul::Text { problem, .. })
            | Error::Diary(BadDiary::Text { problem, .. })
            | Error::Todo(BadTodo { problem, .. })
            | Error::Calendar(BadEvent::Text { problem, .. }) => problem.code(),
            Error::Soul(BadSoul::TooLong { .. }) | Error::Diary(BadDiary::DetailTooLong { .. }) => {
                "text_too_long"
            }
            Error::Moment(_) | Error::Calendar(BadEvent::Moment(_)) => "bad_time",
            Error::Calendar(BadEvent::Zone(_)) => "unknown_zone",
            Error::Calendar(BadEvent::Rule(_) | BadEvent::Never | BadEvent::TimesOfDays) => "bad_recurrence",
            Error::Assignment(BadAssignment::Trust { .. }) => "trust_out_of_range",
            Error::Id(_) => "bad_id",
            Error::Word(_) => "unknown_word",
            Error::Zone(_) => "unknown_zone",
            Error::Time(_) => "bad_time",
            Error::Rhythm(_) => "bad_rhythm",
            Error::Monitor(_) => "bad_monitor",
            Error::Schedule(_) => "bad_schedule",
            Error::Private(_) => "private_source",
            Error::Range { .. } => "out_of_range",
            Error::Context(_) => "budget_too_small",
            Error::Config(_) => "bad_configuration",
            Error::NoSuchAgent { .. } => "no_such_agent",
            Error::NoSuch { .. } => "not_found",
            other => other.class().code(),
        }
    }
}

impl Class {
    /// The code of an error that has no finer one.
    pub const fn code(self) -> &'static str {
        match self {
            Class::BadInput => "bad_input",
            Class::NotFound => "not_found",
            Class::Gone => "gone",
            Class::Conflict => "conflict",
            Class::KeyReused => "idempotency_mismatch",
            Class::Forbidden => "forbidden",
            Class::Busy => "busy",
            Class::DiskFull => "disk_full",
            Class::TimedOut => "timed_out",
            Class::Unknown => "outcome_unknown",
            Class::Unusable => "unusable",
            Class::Unreachable => "database_unreachable",
            Class::Damaged => "damaged",
            Class::Internal => "internal",
        }
    }
}

fn store_class(error: &StoreError) -> Class {
    match error {
        StoreError::Unusable(_) | StoreError::Newer { .. } => Class::Unusable,
        StoreError::Taken { .. } | StoreError::Duplicate(_) | StoreError::Conflict(_) => Class::Conflict,
        StoreError::KeyReused => Class::KeyReused,
        StoreError::Full | StoreError::FullAtCommit => Class::DiskFull,
        StoreError::TimedOut => Class::TimedOut,
        StoreError::Unknown { .. } => Class::Unknown,
        StoreError::Unreachable(_) => Class::Unreachable,
        StoreError::Spoiled(_) | StoreError::Damaged(_) => Class::Damaged,
        StoreError::BadValue(_) | StoreError::Refused(_) => Class::BadInput,
        StoreError::OutsideAgent(_)
        | StoreError::StaleFence
        | StoreError::Planned(_)
        | StoreError::Failed(_) => Class::Internal,
    }
}
