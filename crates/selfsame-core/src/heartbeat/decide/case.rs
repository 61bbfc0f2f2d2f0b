//! What is still open on the way through the steps, and what they leave behind.

use crate::heartbeat::decision::{Decision, Seen, StepName, StepTrace, Verdict};
use crate::heartbeat::rules::{Period, Rules};
use crate::heartbeat::signal::{Sighting, Tier, fingerprint};
use crate::heartbeat::state::State;
use crate::heartbeat::wording::{clock, names, seen};
use crate::time::Time;
use std::cmp::Reverse;
use std::time::Duration;

pub(super) struct Case<'a> {
    pub(super) rules: &'a Rules,
    pub(super) state: &'a State,
    pub(super) now: Time,
    pub(super) period: Period,
    /// All that was seen.
    all: Vec<Sighting>,
    /// What is told whatever later steps say.
    pub(super) forced: Vec<Sighting>,
    /// What is still judged.
    pub(super) open: Vec<Sighting>,
    trace: Vec<StepTrace>,
    pub(super) fingerprint: Option<[u8; 32]>,
    pub(super) score: u32,
    pub(super) cooldown: Option<Duration>,
    pub(super) held_until: Option<Time>,
}

/// What a step says of itself.
pub(super) struct Remark {
    pub(super) step: StepName,
    pub(super) saw: Vec<Seen>,
    pub(super) note: String,
    pub(super) unless: Option<String>,
}

impl<'a> Case<'a> {
    /// The order of scans is chance: what presses most comes first, then by name.
    pub(super) fn open(rules: &'a Rules, state: &'a State, sightings: &[Sighting], now: Time) -> Case<'a> {
        let mut all = sightings.to_vec();
        all.sort_by(|a, b| {
            (Reverse(a.signal.tier), &a.signal.name).cmp(&(Reverse(b.signal.tier), &b.signal.name))
        });
        Case {
            rules,
            state,
            now,
            period: rules.period(now),
            open: all.clone(),
            all,
            forced: Vec::new(),
            trace: Vec::new(),
            fingerprint: None,
            score: 0,
            cooldown: None,
            held_until: None,
        }
    }

    /// What is open, as a trace keeps it.
    pub(super) fn seen(&self) -> Vec<Seen> {
        seen(&self.open)
    }

    /// Keeps what passes, and gives what does not.
    pub(super) fn sift(&mut self, passes: impl Fn(&Sighting) -> bool) -> Vec<Sighting> {
        let (kept, dropped) = self.open.drain(..).partition(passes);
        self.open = kept;
        dropped
    }

    /// Leaves the trace of a step.
    pub(super) fn note(&mut self, remark: Remark, dropped: &[Sighting]) {
        let Remark { step, saw, note, unless } = remark;
        self.trace.push(StepTrace { step, saw, dropped: seen(dropped), note, unless });
    }

    /// The end of the matter if nothing is open: silence, unless something was forced.
    pub(super) fn end_if_empty(&self, step: StepName, reason: String) -> Option<Verdict> {
        match (self.open.is_empty(), self.forced.is_empty()) {
            (false, _) => None,
            (true, true) => Some(Verdict::Suppress { step, reason }),
            (true, false) => Some(self.told()),
        }
    }

    /// The verdict when something is told.
    pub(super) fn told(&self) -> Verdict {
        let all = names(self.forced.iter().chain(&self.open));
        if !self.forced.is_empty() {
            let reason = format!("a deadline cannot wait: {all}");
            return Verdict::Act { step: StepName::CriticalDeadline, reason };
        }
        let calm = self.open.iter().any(is_calm);
        let reason = match calm {
            true => format!("{} of {} is enough: {all}", self.score, self.rules.level().threshold),
            false => format!("due now: {all}"),
        };
        Verdict::Act { step: StepName::Topic, reason }
    }

    /// The decision.
    pub(super) fn close(self, verdict: Verdict) -> Decision {
        let introduces = verdict.step() == StepName::FirstContact;
        let surfaced = if verdict.is_act() && !introduces { self.surfaced() } else { Vec::new() };
        let forced = (!self.forced.is_empty()).then(|| fingerprint(&self.forced));
        Decision {
            tier: surfaced.iter().map(|sighting| sighting.signal.tier).max(),
            fingerprint: self.fingerprint.or(forced),
            verdict,
            trace: self.trace,
            period: self.period,
            surfaced,
            score: self.score,
            cooldown: self.cooldown,
            held_until: self.held_until,
        }
    }

    /// What is forced and what passed, in the order of all. Where both parts of a sighting are told it is whole again.
    fn surfaced(&self) -> Vec<Sighting> {
        let part = |parts: &[Sighting], whole: &Sighting| {
            parts.iter().find(|part| part.signal.name == whole.signal.name).cloned()
        };
        let told = |whole: &Sighting| match (part(&self.forced, whole), part(&self.open, whole)) {
            (Some(_), Some(_)) => Some(whole.clone()),
            (forced, open) => forced.or(open),
        };
        self.all.iter().filter_map(told).collect()
    }

    /// A moment as the principal's clock shows it.
    pub(super) fn clock(&self, at: Time) -> String {
        clock(&self.rules.zone, at, self.now)
    }
}

/// Whether cooldowns hold it.
pub(super) fn is_calm(sighting: &Sighting) -> bool {
    sighting.signal.tier != Tier::Immediate
}
