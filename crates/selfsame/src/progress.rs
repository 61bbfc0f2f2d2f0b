//! How far something long is, for whoever watches. The engine tells, a door draws; where nobody watches nothing is counted.

use crate::error::Result;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How far something is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<'a> {
    /// What is being done, in words; or the file that comes.
    pub what: &'a str,
    /// How much of it is done.
    pub done: u64,
    /// How much there is, if that is known.
    pub total: Option<u64>,
    /// Of what.
    pub unit: Unit,
}

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unit {
    /// Bytes of a file.
    Bytes,
    /// Rows of tables.
    Rows,
    /// Texts that are read or indexed.
    Texts,
    /// What another system wrote, piece by piece.
    Items,
}

impl Unit {
    /// As people say it, of many.
    pub const fn as_str(self) -> &'static str {
        match self {
            Unit::Bytes => "bytes",
            Unit::Rows => "rows",
            Unit::Texts => "texts",
            Unit::Items => "items",
        }
    }
}

type Watcher = dyn Fn(Progress<'_>) + Send + Sync;

/// Who is told how far things are; by default nobody.
#[derive(Clone, Default)]
pub struct Watch(Option<Arc<Watcher>>);

impl Watch {
    /// Tells them.
    pub fn new(watcher: impl Fn(Progress<'_>) + Send + Sync + 'static) -> Watch {
        Watch(Some(Arc::new(watcher)))
    }

    /// Says how far something is.
    pub(crate) fn tell(&self, progress: Progress<'_>) {
        if let Some(watcher) = &self.0 {
            watcher(progress);
        }
    }

    /// Begins to count something of which it is known how much there is. That is asked only if somebody watches.
    pub(crate) fn count(
        &self,
        what: &'static str,
        unit: Unit,
        total: impl FnOnce() -> Result<u64>,
    ) -> Result<Count> {
        let total = self.0.as_ref().map(|_| total()).transpose()?;
        Ok(Count { watch: self.clone(), what, unit, total, done: AtomicU64::new(0) })
    }

    /// Begins to count something of which nobody knows how much there is.
    pub(crate) fn count_up(&self, what: &'static str, unit: Unit) -> Count {
        Count { watch: self.clone(), what, unit, total: None, done: AtomicU64::new(0) }
    }
}

/// Two are the same if they tell the same one.
impl PartialEq for Watch {
    fn eq(&self, other: &Watch) -> bool {
        match (&self.0, &other.0) {
            (None, None) => true,
            (Some(one), Some(two)) => Arc::ptr_eq(one, two),
            _ => false,
        }
    }
}

impl fmt::Debug for Watch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "Watch(somebody)" } else { "Watch(nobody)" })
    }
}

/// Something that is being counted.
pub(crate) struct Count {
    watch: Watch,
    what: &'static str,
    unit: Unit,
    total: Option<u64>,
    done: AtomicU64,
}

impl Count {
    /// So many more are done. What has to be done twice (a transaction that is run again) does not count beyond the total.
    pub(crate) fn add(&self, more: u64) {
        let done = self.done.fetch_add(more, Ordering::Relaxed).saturating_add(more);
        let done = self.total.map_or(done, |total| done.min(total));
        self.watch.tell(Progress { what: self.what, done, total: self.total, unit: self.unit });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;

    #[test]
    fn it_is_told_how_far_it_is_and_never_beyond_the_end() {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&seen);
        let watch = Watch::new(move |progress| told.lock().unwrap().push((progress.done, progress.total)));
        let count = watch.count("copying", Unit::Rows, || Ok(10)).unwrap();
        [4, 4, 4].into_iter().for_each(|more| count.add(more));
        watch.count_up("indexing", Unit::Texts).add(7);
        assert_eq!(*seen.lock().unwrap(), [(4, Some(10)), (8, Some(10)), (10, Some(10)), (7, None)]);
    }

    #[test]
    fn nobody_counts_for_nobody() {
        let count = Watch::default().count("copying", Unit::Rows, || panic!("it was counted")).unwrap();
        count.add(1);
    }
}
