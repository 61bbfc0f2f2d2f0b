//! The threads that do the background duties: one for quick ones, and lanes for those that wait.

use selfsame::scheduler::{Pace, RunOutcome, Scheduler, Step};
use selfsame::time::Time;
use selfsame::work::{WorkOutcome, Worked};
use selfsame::{Mind, jobs};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long a runner sleeps at most: another process may have added something.
const LONGEST_SLEEP: Duration = Duration::from_secs(1);
/// How long whoever is in the middle of a thought is waited for when it is time to stop.
const THINKERS_WAITED_FOR: Duration = Duration::from_secs(2);
/// How often our clock is compared with the database server's.
const CLOCK_WATCH: Duration = Duration::from_secs(60);

/// The running duties of a mind. Dropped, it waits for what is under way.
pub struct Runner {
    mind: Arc<Mind>,
    stop: Arc<Stop>,
    threads: Vec<JoinHandle<()>>,
    /// They may wait for a model for minutes.
    thinkers: Vec<JoinHandle<()>>,
}

#[derive(Default)]
struct Stop {
    stopped: Mutex<bool>,
    changed: Condvar,
}

impl Stop {
    /// Sleeps; says whether it is time to stop.
    fn sleep(&self, time: Duration) -> bool {
        let stopped = self.stopped.lock().unwrap_or_else(PoisonError::into_inner);
        if *stopped {
            return true;
        }
        let (stopped, _) = self.changed.wait_timeout(stopped, time).unwrap_or_else(PoisonError::into_inner);
        *stopped
    }

    fn stop(&self) {
        *self.stopped.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

impl Runner {
    /// Starts the runners of a mind.
    pub fn start(mind: &Arc<Mind>) -> std::io::Result<Runner> {
        let stop = Arc::new(Stop::default());
        let scheduler = Arc::new(jobs::scheduler(mind.settings()));
        let lanes = std::iter::repeat_n(("selfsame-lane", Pace::Slow), mind.settings().duties.lanes);
        let threads = std::iter::once(("selfsame-duties", Pace::Quick))
            .chain(lanes)
            .map(|(name, pace)| {
                let (mind, stop, scheduler) = (Arc::clone(mind), Arc::clone(&stop), Arc::clone(&scheduler));
                std::thread::Builder::new()
                    .name(name.into())
                    .spawn(move || run(&mind, &scheduler, pace, &stop))
            })
            .collect::<std::io::Result<_>>()?;
        let thinkers = (0..mind.settings().thinker.lanes)
            .map(|_| {
                let (mind, stop) = (Arc::clone(mind), Arc::clone(&stop));
                let think = move || think(&mind, &stop);
                std::thread::Builder::new().name("selfsame-thinker".into()).spawn(think)
            })
            .collect::<std::io::Result<_>>()?;
        Ok(Runner { mind: Arc::clone(mind), stop, threads, thinkers })
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        self.stop.stop();
        self.mind.close_soon();
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
        // Who is in the middle of a thought is not waited for: its lease runs out, and the thought is had again.
        let patience = Instant::now();
        while self.thinkers.iter().any(|thread| !thread.is_finished())
            && patience.elapsed() < THINKERS_WAITED_FOR
        {
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// Does what waits for a model, a program, a host or the rules.
fn think(mind: &Mind, stop: &Stop) {
    loop {
        let pause = match mind.work_step(mind.settings().duties.lease) {
            Ok(step) => {
                step.worked.iter().for_each(tell_worked);
                until(mind, step.wake_at)
            }
            Err(error) => {
                tracing::error!(%error, "the work of thinkers cannot be looked at; trying again");
                LONGEST_SLEEP
            }
        };
        if stop.sleep(pause) {
            return;
        }
    }
}

fn tell_worked(worked: &Worked) {
    let (id, kind) = (worked.id, worked.kind.as_str());
    match &worked.outcome {
        WorkOutcome::Done(_) => tracing::debug!(%id, kind, "thought through"),
        WorkOutcome::Again { at, reason } => {
            tracing::warn!(%id, kind, %at, reason, "no thought came, tried again");
        }
        WorkOutcome::Dead { reason } => {
            tracing::error!(%id, kind, reason, "no thought came, given up; `selfsame work show` says more");
        }
        WorkOutcome::Superseded => tracing::info!(%id, kind, "the thought was had by another process"),
    }
}

fn run(mind: &Mind, scheduler: &Scheduler, pace: Pace, stop: &Stop) {
    // One of the threads looks after the clock.
    let mut watch = (pace == Pace::Quick).then(ClockWatch::default);
    loop {
        if let Some(watch) = &mut watch {
            watch.look(mind);
        }
        let pause = match scheduler.step_of(mind, pace) {
            Ok(step) => {
                tell(&step);
                pause(mind, &step)
            }
            Err(error) => {
                tracing::error!(%error, "the background duties cannot be looked at; trying again");
                LONGEST_SLEEP
            }
        };
        if stop.sleep(pause) {
            return;
        }
    }
}

/// Compares our clock with the database server's from time to time: a machine may have slept, or been put right.
#[derive(Default)]
struct ClockWatch {
    looked: Option<Instant>,
    told: Option<Duration>,
}

impl ClockWatch {
    fn look(&mut self, mind: &Mind) {
        // Opening the mind was the first time.
        let looked = *self.looked.get_or_insert_with(Instant::now);
        if looked.elapsed() >= CLOCK_WATCH {
            self.looked = Some(Instant::now());
            if let Err(error) = mind.agree_with_server() {
                tracing::warn!(%error, "the database server's clock cannot be read; trying again");
            }
        }
        let skew = mind.clock_skew();
        if skew.is_some() && self.told.is_none() {
            let seconds = skew.unwrap_or_default().as_secs();
            tracing::warn!(seconds, "this machine's clock differs from the database server's, which is used");
        }
        self.told = skew;
    }
}

fn pause(mind: &Mind, step: &Step) -> Duration {
    until(mind, step.wake_at)
}

fn until(mind: &Mind, wake_at: Option<Time>) -> Duration {
    match wake_at {
        // Never nothing: what is due but cannot be claimed here (the other pace, another process) must not spin.
        Some(at) => at.since(mind.now()).clamp(Duration::from_millis(50), LONGEST_SLEEP),
        None => LONGEST_SLEEP,
    }
}

fn tell(step: &Step) {
    for ran in &step.ran {
        match &ran.outcome {
            RunOutcome::Done => tracing::debug!(kind = ran.kind, slot = %ran.slot, "duty done"),
            RunOutcome::Retry { at, error } => {
                tracing::warn!(kind = ran.kind, %at, error, "duty failed, will be tried again");
            }
            RunOutcome::Dead { error } => {
                tracing::error!(kind = ran.kind, id = %ran.id, error, "duty is dead; `selfsame duty requeue` brings it back");
            }
            RunOutcome::Superseded => {
                tracing::info!(kind = ran.kind, "duty was taken over by another process");
            }
        }
    }
}
