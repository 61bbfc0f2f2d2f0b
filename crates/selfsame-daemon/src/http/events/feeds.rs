//! Who watches whom, and the thread that reads the logs for all of them.
//!
//! One feed for each agent that somebody watches: the last few events, and a number that all who watch it wait on. A commit
//! in this process, or in another that shares the server, wakes the thread; it reads what is new once, whoever many watch.
//! Hints can be lost, so it also looks by itself from time to time. The same thread asks whether those who watch still may.

use super::Badge;
use super::frame::{Frame, frames};
use crate::failure::Failure;
use selfsame::Mind;
use selfsame::events::{Ear, News};
use selfsame::id::AgentId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Events that are held for an agent, at most; whoever is further behind reads the log.
pub(super) const HELD: usize = 1024;
/// Bytes of them, at most.
const HELD_BYTES: usize = 1 << 20;
/// Events read at once.
const PAGE: usize = 500;
/// How often the thread looks without having been told.
const SAFETY_NET: Duration = Duration::from_secs(2);

/// All that is watched. A handle: the thread goes on until [`Feeds::stop`].
#[derive(Clone)]
pub struct Feeds {
    inner: Arc<Inner>,
}

struct Inner {
    state: Mutex<State>,
    woken: Condvar,
    /// Told when the daemon stops.
    stopping: watch::Sender<bool>,
    counts: Counts,
    most: usize,
    ping: Duration,
    thread: Mutex<Option<JoinHandle<()>>>,
}

#[derive(Default)]
struct State {
    feeds: BTreeMap<AgentId, Arc<Feed>>,
    places: BTreeMap<u64, Sitting>,
    last_place: u64,
    /// Whose log has grown.
    grown: BTreeSet<AgentId>,
    /// A key may no longer be good.
    keys: bool,
    /// Everything is to be looked at.
    all: bool,
    stopped: bool,
}

/// One who watches, as the thread sees them.
struct Sitting {
    agent: AgentId,
    badge: Badge,
    good: watch::Sender<bool>,
}

#[derive(Default)]
struct Counts {
    opened: AtomicU64,
    dropped: AtomicU64,
    events: AtomicU64,
}

/// What was counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct SocketCounts {
    /// Streams that are open.
    pub(crate) open: u64,
    /// Streams since the start.
    pub(crate) opened: u64,
    /// Clients that did not keep up and were sent away.
    pub(crate) dropped: u64,
    /// Events that were sent, one for each that got it.
    pub(crate) events: u64,
}

impl Feeds {
    /// Starts the thread, and has it told of what is committed.
    pub fn start(mind: &Arc<Mind>) -> Result<Feeds, Failure> {
        let settings = &mind.settings().server;
        let inner = Arc::new(Inner {
            state: Mutex::default(),
            woken: Condvar::new(),
            stopping: watch::Sender::new(false),
            counts: Counts::default(),
            most: settings.max_streams,
            ping: settings.ping,
            thread: Mutex::default(),
        });
        let ear: Weak<Inner> = Arc::downgrade(&inner);
        let ear: Ear = Arc::new(move |news| {
            if let Some(inner) = ear.upgrade() {
                inner.hear(news);
            }
        });
        mind.store().listen(&ear).map_err(selfsame::Error::from)?;
        let (for_thread, mind) = (Arc::clone(&inner), Arc::clone(mind));
        let thread = std::thread::Builder::new()
            .name("selfsame-events".into())
            .spawn(move || for_thread.run(&mind))
            .map_err(|error| Failure::new(500, "internal", format!("no thread can be started: {error}")))?;
        *inner.thread.lock().unwrap_or_else(PoisonError::into_inner) = Some(thread);
        Ok(Feeds { inner })
    }

    /// Tells all who watch that this is the end; new ones are turned away.
    pub(crate) fn close(&self) {
        self.inner.stopping.send_replace(true);
    }

    /// Done when everybody has gone.
    pub(crate) async fn closed(&self) {
        while self.counts().open > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Ends the thread, which may be in the database.
    pub fn stop(&self) {
        self.inner.lock().stopped = true;
        self.inner.woken.notify_all();
        let thread = self.inner.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(thread) = thread {
            let _ = thread.join();
        }
    }

    /// A place for somebody who watches an agent whose log ends at `head`.
    pub(super) fn join(&self, agent: AgentId, head: i64, badge: Badge) -> Result<Place, Failure> {
        if *self.inner.stopping.borrow() {
            return Err(Failure::new(503, "stopping", "selfsame is stopping: try again in a second"));
        }
        let mut state = self.inner.lock();
        if state.places.len() >= self.inner.most {
            let told = "too many streams of events are open: close some, or raise server.max_streams";
            return Err(Failure::new(503, "too_many_streams", told));
        }
        state.last_place += 1;
        let number = state.last_place;
        let (good, is_good) = watch::channel(true);
        state.places.insert(number, Sitting { agent, badge, good });
        let feed = Arc::clone(state.feeds.entry(agent).or_insert_with(|| Arc::new(Feed::at(agent, head))));
        // What was committed since the log was read has told nobody of this feed.
        state.grown.insert(agent);
        drop(state);
        self.inner.woken.notify_all();
        self.inner.counts.opened.fetch_add(1, Ordering::Relaxed);
        let (head, stopping) = (feed.head.subscribe(), self.inner.stopping.subscribe());
        Ok(Place { inner: Arc::clone(&self.inner), number, feed, head, is_good, stopping })
    }

    /// What was counted.
    pub(crate) fn counts(&self) -> SocketCounts {
        let count = |count: &AtomicU64| count.load(Ordering::Relaxed);
        let Counts { opened, dropped, events } = &self.inner.counts;
        let open = self.inner.lock().places.len() as u64;
        SocketCounts { open, opened: count(opened), dropped: count(dropped), events: count(events) }
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// On the thread of whoever wrote: a note, and no more.
    fn hear(&self, news: News) {
        let mut state = self.lock();
        match news {
            News::Log { agent, seq } => match state.feeds.get(&agent) {
                Some(feed) if *feed.head.borrow() < seq => drop(state.grown.insert(agent)),
                _ => return,
            },
            News::Keys => state.keys = true,
            News::Missed => state.all = true,
        }
        drop(state);
        self.woken.notify_all();
    }

    fn run(&self, mind: &Mind) {
        let mut looked = Instant::now();
        while let Some(Todo { grown, keys, all }) = self.wait(SAFETY_NET.saturating_sub(looked.elapsed())) {
            if keys || all {
                self.check_badges(mind);
            }
            for feed in &grown {
                feed.catch_up(mind);
            }
            if all {
                looked = Instant::now();
            }
        }
    }

    /// What is to be done; none when it is time to end.
    fn wait(&self, patience: Duration) -> Option<Todo> {
        let mut state = self.lock();
        let mut timed_out = patience.is_zero();
        while !(state.stopped || state.keys || state.all || timed_out || !state.grown.is_empty()) {
            let (guard, timeout) =
                self.woken.wait_timeout(state, patience).unwrap_or_else(PoisonError::into_inner);
            (state, timed_out) = (guard, timeout.timed_out());
        }
        if state.stopped {
            return None;
        }
        let all = std::mem::take(&mut state.all) || timed_out;
        let keys = std::mem::take(&mut state.keys);
        let grown = std::mem::take(&mut state.grown);
        let wanted = |agent: &AgentId| all || grown.contains(agent);
        let grown = state.feeds.iter().filter(|(agent, _)| wanted(agent)).map(|(_, feed)| Arc::clone(feed));
        Some(Todo { grown: grown.collect(), keys, all })
    }

    /// Asks once for each badge, and sends away whoever came in with one that is no longer good.
    fn check_badges(&self, mind: &Mind) {
        let mut judged: Vec<(AgentId, Badge, bool)> = Vec::new();
        let asked: Vec<(u64, AgentId, Badge)> = {
            let state = self.lock();
            state.places.iter().map(|(number, place)| (*number, place.agent, place.badge.clone())).collect()
        };
        for (number, agent, badge) in asked {
            let known = judged.iter().find(|(of, known, _)| *of == agent && *known == badge);
            let good = match known {
                Some((_, _, good)) => *good,
                None => {
                    let good = badge.is_good(mind, agent);
                    judged.push((agent, badge, good));
                    good
                }
            };
            if !good && let Some(place) = self.lock().places.get(&number) {
                place.good.send_replace(false);
            }
        }
    }

    fn leave(&self, number: u64) {
        let mut state = self.lock();
        let Some(Sitting { agent, .. }) = state.places.remove(&number) else { return };
        if !state.places.values().any(|place| place.agent == agent) {
            state.feeds.remove(&agent);
        }
    }
}

struct Todo {
    grown: Vec<Arc<Feed>>,
    keys: bool,
    all: bool,
}

/// The last events of one agent.
pub(super) struct Feed {
    pub(super) agent: AgentId,
    held: Mutex<Held>,
    head: watch::Sender<i64>,
}

#[derive(Default)]
struct Held {
    frames: VecDeque<Arc<Frame>>,
    bytes: usize,
}

impl Feed {
    fn at(agent: AgentId, head: i64) -> Feed {
        Feed { agent, held: Mutex::default(), head: watch::Sender::new(head) }
    }

    /// Reads what is new. What cannot be read now is read when the thread looks again.
    fn catch_up(&self, mind: &Mind) {
        loop {
            let known = *self.head.borrow();
            let (new, head) = match frames(mind, self.agent, known, PAGE) {
                Ok(read) => read,
                Err(failure) => {
                    tracing::warn!(code = failure.code, "the log of events cannot be read; trying again");
                    return;
                }
            };
            let Some(last) = new.last().map(|frame| frame.seq) else { return };
            self.hold(new);
            self.head.send_replace(last);
            if last >= head {
                return;
            }
        }
    }

    fn hold(&self, new: Vec<Arc<Frame>>) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        for frame in new {
            held.bytes += frame.bytes();
            held.frames.push_back(frame);
        }
        while held.frames.len() > HELD || held.bytes > HELD_BYTES {
            let Some(oldest) = held.frames.pop_front() else { return };
            held.bytes -= oldest.bytes();
        }
    }

    /// The events after a number, if they are held; none if the first of them is not.
    pub(super) fn after(&self, after: i64, most: usize) -> Option<Vec<Arc<Frame>>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let first = held.frames.front()?.seq;
        let skipped = usize::try_from(after + 1 - first).ok()?;
        Some(held.frames.iter().skip(skipped).take(most).cloned().collect())
    }
}

/// The place of one who watches; it is free again when this is dropped.
pub(super) struct Place {
    inner: Arc<Inner>,
    number: u64,
    pub(super) feed: Arc<Feed>,
    pub(super) head: watch::Receiver<i64>,
    pub(super) is_good: watch::Receiver<bool>,
    pub(super) stopping: watch::Receiver<bool>,
}

impl Place {
    /// How often somebody is asked whether they are still there.
    pub(super) fn ping(&self) -> Duration {
        self.inner.ping
    }

    pub(super) fn count_sent(&self, events: usize) {
        self.inner.counts.events.fetch_add(events as u64, Ordering::Relaxed);
    }

    pub(super) fn count_dropped(&self) {
        self.inner.counts.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.inner.leave(self.number);
    }
}
