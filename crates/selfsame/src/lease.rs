//! Keeping a lease while the work that it is for goes on.

use crate::error::{Error, Result};
use std::sync::mpsc;
use std::time::Duration;

/// Works while a thread beside it renews the lease, at a third of its length, so that nobody takes for dead who is only slow.
/// `renew` says whether the lease is still ours; once it is not, there is nothing left to keep: the work goes on, and hears of
/// it when it wants to write. The thread ends with the work, also when that panics: the sender is dropped either way.
pub(crate) fn keeping<T>(
    lease: Duration,
    renew: impl Fn() -> bool + Send,
    work: impl FnOnce() -> T,
) -> Result<T> {
    std::thread::scope(|scope| {
        let (working, done) = mpsc::channel::<()>();
        let renewing = move || {
            while done.recv_timeout(lease / 3) == Err(mpsc::RecvTimeoutError::Timeout) && renew() {}
        };
        std::thread::Builder::new()
            .name("selfsame-lease".into())
            .spawn_scoped(scope, renewing)
            .map_err(|error| Error::Broken(format!("no thread can be started ({error})")))?;
        let worked = work();
        drop(working);
        Ok(worked)
    })
}
