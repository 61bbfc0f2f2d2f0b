//! A few connections, shared: whoever needs one takes it, opens it, or waits for one to come back.

use crate::error::{Result, StoreError};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

pub(crate) struct Pool<C> {
    state: Mutex<State<C>>,
    returned: Condvar,
    max: usize,
    wait: Duration,
}

struct State<C> {
    idle: Vec<C>,
    open: usize,
}

impl<C> Pool<C> {
    pub(crate) fn new(max: usize, wait: Duration) -> Pool<C> {
        Pool {
            state: Mutex::new(State { idle: Vec::new(), open: 0 }),
            returned: Condvar::new(),
            max: max.max(1),
            wait,
        }
    }

    /// A connection to use and give back.
    pub(crate) fn take(&self, open: impl FnOnce() -> Result<C>) -> Result<Lease<'_, C>> {
        let mut state = self.lock();
        loop {
            if let Some(connection) = state.idle.pop() {
                return Ok(Lease { pool: self, connection: Some(connection) });
            }
            if state.open < self.max {
                state.open += 1;
                drop(state);
                return self.opened(open());
            }
            let (guard, timeout) =
                self.returned.wait_timeout(state, self.wait).unwrap_or_else(PoisonError::into_inner);
            state = guard;
            if timeout.timed_out() && state.idle.is_empty() {
                return Err(StoreError::Unreachable(format!(
                    "all {} connections are busy; raise database.connections or try again",
                    self.max
                )));
            }
        }
    }

    /// Closes what is idle: after a server was restarted, every connection to it is as dead as the first one found so.
    pub(crate) fn clear(&self) {
        let mut state = self.lock();
        state.open -= state.idle.len();
        let idle = std::mem::take(&mut state.idle);
        drop(state);
        drop(idle);
    }

    fn opened(&self, opened: Result<C>) -> Result<Lease<'_, C>> {
        match opened {
            Ok(connection) => Ok(Lease { pool: self, connection: Some(connection) }),
            Err(error) => {
                self.lock().open -= 1;
                self.returned.notify_one();
                Err(error)
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<C>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A connection on loan. Dropped, it goes back to the pool; discarded, it is closed.
pub(crate) struct Lease<'p, C> {
    pool: &'p Pool<C>,
    connection: Option<C>,
}

impl<C> Lease<'_, C> {
    pub(crate) fn get(&mut self) -> Result<&mut C> {
        self.connection.as_mut().ok_or_else(|| StoreError::Failed("the connection was given back".into()))
    }

    /// Closes the connection instead of giving it back.
    pub(crate) fn discard(mut self) {
        self.connection = None;
    }
}

impl<C> Drop for Lease<'_, C> {
    fn drop(&mut self) {
        let mut state = self.pool.lock();
        match self.connection.take() {
            Some(connection) => state.idle.push(connection),
            None => state.open -= 1,
        }
        drop(state);
        self.pool.returned.notify_one();
    }
}
