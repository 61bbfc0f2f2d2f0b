//! The threads on which the engine runs.
//!
//! The engine waits for the disk and for locks, and PostgreSQL's synchronous client must not even be dropped on an async
//! worker. So requests are carried to a few plain threads, through a queue that is bounded: when it is full the answer
//! is "later", not a growing pile. What waits for a thinker has a thread of its own, of which there are few as well.

use crate::failure::Failure;
use selfsame::Mind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use tokio::sync::{Semaphore, oneshot, watch};

type Job = Box<dyn FnOnce(&Mind) + Send>;

/// Requests that wait for thinkers at once, at most.
const BESIDE: usize = 16;

/// A mind and the threads that may touch it.
pub struct Pool {
    mind: Arc<Mind>,
    jobs: Option<SyncSender<Job>>,
    beside: Arc<Semaphore>,
    closing: watch::Sender<bool>,
    waiting: Arc<AtomicU64>,
    threads: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads with room for `queue` waiting requests.
    pub fn start(mind: &Arc<Mind>, workers: usize, queue: usize) -> std::io::Result<Pool> {
        let (jobs, receiver) = sync_channel::<Job>(queue);
        let receiver = Arc::new(Mutex::new(receiver));
        let threads = (0..workers.max(1))
            .map(|number| {
                let (mind, receiver) = (Arc::clone(mind), Arc::clone(&receiver));
                std::thread::Builder::new()
                    .name(format!("selfsame-{number}"))
                    .spawn(move || work(&mind, &receiver))
            })
            .collect::<std::io::Result<_>>()?;
        let (mind, beside) = (Arc::clone(mind), Arc::new(Semaphore::new(BESIDE)));
        let closing = watch::Sender::new(false);
        Ok(Pool { mind, jobs: Some(jobs), beside, closing, waiting: Arc::default(), threads })
    }

    /// It is time to stop: who waits beside is not waited for.
    pub(crate) fn close_soon(&self) {
        self.closing.send_replace(true);
    }

    /// Runs `job`, which may take minutes, on a thread of its own. Once the pool is to close it is left to itself: what it did
    /// not come to the end of is taken up again when its lease has run out.
    pub async fn run_beside<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Mind) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let place = Arc::clone(&self.beside).try_acquire_owned().map_err(|_| Failure::overloaded())?;
        let (answer, answered) = oneshot::channel();
        let mut closing = self.closing.subscribe();
        let mind = Arc::clone(&self.mind);
        let work = move || {
            let _place = place;
            match catch_unwind(AssertUnwindSafe(|| job(&mind))) {
                Ok(came) => drop(answer.send(came)),
                Err(_) => tracing::error!("a request panicked; the others go on"),
            }
        };
        let started = std::thread::Builder::new().name("selfsame-beside".into()).spawn(work);
        started.map_err(|_| Failure::overloaded())?;
        tokio::select! {
            came = answered => came.unwrap_or_else(|_| Err(went_wrong())),
            _ = closing.wait_for(|closing| *closing) => Err(stopping()),
        }
    }

    /// How many requests wait for a thread.
    pub(crate) fn waiting(&self) -> u64 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs `job` on one of the threads.
    pub async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&Mind) -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        let (answer, answered) = oneshot::channel();
        let waiting = Waiting::begin(&self.waiting);
        let job: Job = Box::new(move |mind| {
            drop(waiting);
            // Whoever asked may be gone by now; the work is done all the same.
            let _ = answer.send(job(mind));
        });
        match self.jobs.as_ref().map(|jobs| jobs.try_send(job)) {
            Some(Ok(())) => {}
            Some(Err(TrySendError::Full(_))) => return Err(Failure::overloaded()),
            Some(Err(TrySendError::Disconnected(_))) | None => return Err(stopping()),
        }
        answered.await.unwrap_or_else(|_| Err(went_wrong()))
    }
}

/// A request that waits for a thread; it goes with the request, however that ends.
struct Waiting(Arc<AtomicU64>);

impl Waiting {
    fn begin(count: &Arc<AtomicU64>) -> Waiting {
        count.fetch_add(1, Ordering::Relaxed);
        Waiting(Arc::clone(count))
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Drop for Pool {
    /// Waits for what is running; nothing new is taken.
    fn drop(&mut self) {
        self.jobs = None;
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

fn work(mind: &Mind, receiver: &Mutex<Receiver<Job>>) {
    loop {
        let job = receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = job else { return };
        if catch_unwind(AssertUnwindSafe(|| job(mind))).is_err() {
            tracing::error!("a request panicked; the others go on");
        }
    }
}

fn went_wrong() -> Failure {
    Failure::new(500, "internal", "something went wrong inside selfsame; its log says what")
}

fn stopping() -> Failure {
    Failure::new(503, "stopping", "selfsame is stopping: try again in a second")
}
