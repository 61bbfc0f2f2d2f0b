//! Many writes, one fsync.
//!
//! A durable commit waits for the disk, and the disk takes as long for one write as for a hundred. So a write that
//! finds others queueing behind it leaves its transaction open for them: each runs in a savepoint of its own, the last
//! one commits, and only then are all of them acknowledged. With nobody in the queue a write commits at once.

use crate::error::{Result, StoreError};
use crate::sqlite::SqliteConnection;
use crate::store::Counters;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A batch is committed at the latest when it has this many members, so that the first of them does not wait for ever.
const MAX_MEMBERS: usize = 512;

/// The one connection that writes, and those who wait for it.
pub(crate) struct GroupCommit {
    lane: Mutex<Lane>,
    waiting: AtomicUsize,
}

struct Lane {
    connection: SqliteConnection,
    batch: Option<Arc<Batch>>,
    members: usize,
    /// Set when the disk failed under a commit: what is on it is no longer known, so nothing more is written.
    failed: Option<String>,
}

/// What its members wait for.
#[derive(Default)]
struct Batch {
    outcome: Mutex<Option<Outcome>>,
    settled: Condvar,
}

#[derive(Clone)]
enum Outcome {
    Committed,
    /// SQLite ended the transaction because of one member: the others did nothing wrong and run again.
    RunAlone,
    DiskFull,
    Unknown(String),
}

/// What a member's closure came to.
enum Ran<T> {
    Done(Result<T>),
    Panicked(Box<dyn Any + Send>),
}

type Body<'b, T> = &'b mut dyn FnMut(&mut SqliteConnection) -> Result<T>;

impl GroupCommit {
    pub(crate) fn new(connection: SqliteConnection) -> GroupCommit {
        GroupCommit {
            lane: Mutex::new(Lane { connection, batch: None, members: 0, failed: None }),
            waiting: AtomicUsize::new(0),
        }
    }

    /// Runs `body` in a transaction and returns when it is on disk. `body` may be run more than once.
    pub(crate) fn write<T>(&self, counters: &Counters, body: Body<'_, T>) -> Result<T> {
        let (ran, batch) = self.join(counters, body)?;
        let outcome = batch.wait();
        match (ran, outcome) {
            (Ran::Panicked(panic), _) => resume_unwind(panic),
            (Ran::Done(result), Outcome::Committed) => result,
            (Ran::Done(_), Outcome::RunAlone) => self.alone(counters, body),
            (Ran::Done(_), Outcome::DiskFull) => Err(StoreError::FullAtCommit),
            (Ran::Done(_), Outcome::Unknown(cause)) => Err(StoreError::Unknown { cause }),
        }
    }

    /// With the writing connection to itself, outside any batch.
    pub(crate) fn exclusive<T>(
        &self,
        counters: &Counters,
        work: impl FnOnce(&mut SqliteConnection) -> Result<T>,
    ) -> Result<T> {
        let mut lane = self.lock();
        lane.commit(counters);
        work(&mut lane.connection)
    }

    /// How many writes queue for the connection.
    pub(crate) fn waiting(&self) -> usize {
        self.waiting.load(Ordering::SeqCst)
    }

    /// Becomes a member of the open batch, or begins one; commits it if nobody queues behind.
    fn join<T>(&self, counters: &Counters, body: Body<'_, T>) -> Result<(Ran<T>, Arc<Batch>)> {
        self.waiting.fetch_add(1, Ordering::SeqCst);
        let mut lane = self.lock();
        self.waiting.fetch_sub(1, Ordering::SeqCst);
        let batch = lane.open_batch()?;
        let ran = lane.run_member(body);
        if lane.connection.is_ended() {
            lane.forget_batch();
            batch.settle(Outcome::RunAlone);
            return match ran {
                Ran::Done(Err(error)) => Err(error),
                Ran::Done(Ok(_)) => Err(StoreError::Failed("SQLite ended the transaction".into())),
                Ran::Panicked(panic) => resume_unwind(panic),
            };
        }
        if self.waiting.load(Ordering::SeqCst) == 0 || lane.members >= MAX_MEMBERS {
            lane.commit(counters);
        }
        Ok((ran, batch))
    }

    /// A transaction of its own, for a member whose batch was ended by another.
    fn alone<T>(&self, counters: &Counters, body: Body<'_, T>) -> Result<T> {
        let mut lane = self.lock();
        lane.commit(counters);
        let batch = lane.open_batch()?;
        let ran = lane.run_member(body);
        if lane.connection.is_ended() {
            lane.forget_batch();
        } else {
            lane.commit(counters);
        }
        drop(lane);
        match (ran, batch.peek()) {
            (Ran::Panicked(panic), _) => resume_unwind(panic),
            (Ran::Done(_), Some(Outcome::Unknown(cause))) => Err(StoreError::Unknown { cause }),
            (Ran::Done(_), Some(Outcome::DiskFull)) => Err(StoreError::FullAtCommit),
            (Ran::Done(result), _) => result,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Lane> {
        // A panic inside a member is caught before it could poison anything that matters.
        self.lane.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Lane {
    fn open_batch(&mut self) -> Result<Arc<Batch>> {
        if let Some(cause) = &self.failed {
            return Err(StoreError::Unusable(format!(
                "the disk failed while a write was being stored ({cause}): restart selfsame, which recovers what is \
                 durable, and run `selfsame verify`"
            )));
        }
        if let Some(batch) = &self.batch {
            return Ok(Arc::clone(batch));
        }
        self.connection.batch("BEGIN IMMEDIATE")?;
        let batch = Arc::new(Batch::default());
        self.batch = Some(Arc::clone(&batch));
        Ok(batch)
    }

    fn run_member<T>(&mut self, body: Body<'_, T>) -> Ran<T> {
        self.members += 1;
        if let Err(error) = self.connection.batch("SAVEPOINT member") {
            return Ran::Done(Err(error));
        }
        let connection = &mut self.connection;
        let ran = catch_unwind(AssertUnwindSafe(|| connection.with_deadline(|connection| body(connection))));
        let keep = matches!(ran, Ok(Ok(_)));
        if !self.connection.is_ended() {
            let end = if keep { "RELEASE member" } else { "ROLLBACK TO member; RELEASE member" };
            if let Err(error) = self.connection.batch(end) {
                return Ran::Done(Err(error));
            }
        }
        match ran {
            Ok(result) => Ran::Done(result),
            Err(panic) => Ran::Panicked(panic),
        }
    }

    /// Commits what is open, if anything, and tells the members.
    fn commit(&mut self, counters: &Counters) {
        let Some(batch) = self.batch.clone() else { return };
        let outcome = match self.connection.commit() {
            Ok(()) => {
                counters.count_commit();
                Outcome::Committed
            }
            Err(error) => {
                if !self.connection.is_ended() {
                    // What was written so far is not part of the database unless the commit reached it.
                    let _ = self.connection.batch("ROLLBACK");
                }
                match error {
                    StoreError::Full => Outcome::DiskFull,
                    StoreError::Planned(_) => Outcome::Unknown(error.to_string()),
                    other => {
                        // A failed fsync may have dropped the very pages it failed on: never write on.
                        self.failed = Some(other.to_string());
                        Outcome::Unknown(other.to_string())
                    }
                }
            }
        };
        self.forget_batch();
        batch.settle(outcome);
    }

    fn forget_batch(&mut self) {
        self.batch = None;
        self.members = 0;
    }
}

impl Batch {
    fn settle(&self, outcome: Outcome) {
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.settled.notify_all();
    }

    fn peek(&self) -> Option<Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn wait(&self) -> Outcome {
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(outcome) = outcome.as_ref() {
                return outcome.clone();
            }
            outcome = self.settled.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
