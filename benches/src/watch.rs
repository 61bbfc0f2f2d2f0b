//! Stopwatches: wall time, and CPU time of the thread or the process. On a shared machine the CPU time is the figure
//! that repeats.

use rustix::time::{ClockId, clock_gettime};
use std::time::{Duration, Instant};

/// Whose CPU time.
#[derive(Clone, Copy)]
pub enum Whose {
    /// Of the calling thread alone.
    Thread,
    /// Of all threads, those that ended included.
    Process,
}

/// What something took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Took {
    /// On the wall.
    pub wall: Duration,
    /// On the CPU.
    pub cpu: Duration,
}

/// Measures one run of `work`.
pub fn time<T>(whose: Whose, work: impl FnOnce() -> T) -> (T, Took) {
    let (cpu, wall) = (cpu_time(whose), Instant::now());
    let result = work();
    let took = Took { wall: wall.elapsed(), cpu: cpu_time(whose).saturating_sub(cpu) };
    (result, took)
}

fn cpu_time(whose: Whose) -> Duration {
    let clock = match whose {
        Whose::Thread => ClockId::ThreadCPUTime,
        Whose::Process => ClockId::ProcessCPUTime,
    };
    Duration::try_from(clock_gettime(clock)).unwrap_or_default()
}

/// Many measurements of one thing.
#[derive(Clone, Default)]
pub struct Samples(Vec<Took>);

impl Samples {
    /// Adds one.
    pub fn push(&mut self, took: Took) {
        self.0.push(took);
    }

    /// Milliseconds of CPU time that this share of the runs stayed within.
    pub fn cpu_ms(&self, share: f64) -> f64 {
        self.quantile(share, |took| took.cpu)
    }

    /// Milliseconds on the wall that this share of the runs stayed within.
    pub fn wall_ms(&self, share: f64) -> f64 {
        self.quantile(share, |took| took.wall)
    }

    fn quantile(&self, share: f64, part: fn(&Took) -> Duration) -> f64 {
        let mut all: Vec<Duration> = self.0.iter().map(part).collect();
        all.sort();
        let rank = (all.len() as f64 * share).ceil() as usize;
        let at = rank.clamp(1, all.len().max(1)) - 1;
        all.get(at).map_or(f64::NAN, |took| took.as_secs_f64() * 1e3)
    }
}
