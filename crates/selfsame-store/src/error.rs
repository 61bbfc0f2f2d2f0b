//! What can go wrong below the waist, in words that say what to do.

use selfsame_core::id::AgentId;
use selfsame_core::kept::Spoiled;

/// The store's result.
pub type Result<T> = std::result::Result<T, StoreError>;

/// Why the store could not do it. Not found is no error: it is `None`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file or server cannot be opened, for a reason that a person can mend.
    #[error("{0}")]
    Unusable(String),
    /// The database was made by a newer program.
    #[error(
        "the database has schema version {found}, this program knows up to {known}: \
         use the newer selfsame that wrote it (nothing was changed)"
    )]
    Newer {
        /// In the database.
        found: i64,
        /// In this program.
        known: i64,
    },
    /// Something else already has that name.
    #[error("{what} {name:?} exists already: choose another name")]
    Taken {
        /// What sort of thing.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// The same idempotency key came with another request.
    #[error("this idempotency key was used for another request: use a new key for a new request")]
    KeyReused,
    /// No space left.
    #[error("the disk is full: nothing was stored; free some space and try again")]
    Full,
    /// No space left when the write was being made durable.
    #[error(
        "the disk is full: the write is most likely not stored; free some space and repeat it with the same \
         idempotency key to be sure"
    )]
    FullAtCommit,
    /// A statement ran into its limit and was stopped.
    #[error("the database did not answer within the statement timeout; nothing was changed")]
    TimedOut,
    /// Whether it was stored cannot be known.
    #[error(
        "it is not known whether the write was stored ({cause}): repeat it with the same idempotency key to settle it"
    )]
    Unknown {
        /// What happened.
        cause: String,
    },
    /// The connection is gone and did not come back.
    #[error("the database cannot be reached: {0}")]
    Unreachable(String),
    /// A stored row is damaged.
    #[error(transparent)]
    Spoiled(#[from] Spoiled),
    /// A row could not be read as what it should be.
    #[error("stored data is damaged: {0}; run `selfsame verify`")]
    Damaged(String),
    /// A row with that key is there already.
    #[error("a row with that key exists already: {0}")]
    Duplicate(String),
    /// It collides with what is there; the words say how, and what to do.
    #[error("{0}")]
    Conflict(String),
    /// A rule of the schema refused it.
    #[error("the database refused: {0}")]
    Refused(String),
    /// A value that no database here can hold.
    #[error("{0}")]
    BadValue(String),
    /// The call named an agent that its transaction was not opened for. A mistake in the program, caught here.
    #[error("agent {0} is outside this transaction")]
    OutsideAgent(AgentId),
    /// Another process has taken the duty over: what this one was about to write is not written.
    #[error("the duty was taken over by another process; nothing was written")]
    StaleFence,
    /// A fault that a test planned.
    #[error("planned fault at {0}")]
    Planned(&'static str),
    /// Anything else the engine said.
    #[error("the database failed: {0}")]
    Failed(String),
}

impl StoreError {
    /// A stored reply that is not what was written.
    pub fn unreadable_reply() -> StoreError {
        StoreError::Damaged("a stored reply cannot be read".into())
    }
}
