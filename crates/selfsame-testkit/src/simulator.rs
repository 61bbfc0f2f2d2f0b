//! Years of background duties in seconds: the scheduler that ships, a virtual clock, a real store, and bad luck.
//!
//! A world has three agents with duties, one or two processes that share the store, and a seed from which everything
//! follows: jobs that fail, processes that die in the middle of a write, sleep for weeks, hold a lease too long or start
//! with a wrong clock. What the duties did is read from the store's own log of events, which they write in the fenced
//! transaction. A world of its own switches some kinds of bad luck off, so that each also meets the others alone.

use crate::seeded::Dice;
use selfsame::agent::Agent;
use selfsame::clock::ManualClock;
use selfsame::config::Settings;
use selfsame::duty::Rhythm;
use selfsame::event::Act;
use selfsame::id::{AgentId, DutyId, Id};
use selfsame::scheduler::{Duty, Effects, Job, RunOutcome, Scheduler, Step};
use selfsame::time::Time;
use selfsame::trust::Caller;
use selfsame::{Durability, Error, Fault, Faults, Mind, Opening, Store};
use selfsame_store::events;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tempfile::TempDir;

/// 2026-01-01T00:00:00Z.
const START: Time = Time::from_micros(1_767_225_600_000_000);
const SECOND: u64 = 1;
const MINUTE: u64 = 60 * SECOND;
const HOUR: u64 = 60 * MINUTE;
const DAY: u64 = 24 * HOUR;
/// How long the bad luck lasts.
const TROUBLED: u64 = 400 * DAY;
/// Two of the longest periods, and a little: by then everything must be right again.
const CALM: u64 = 2 * DAY + 2 * HOUR;
const LEASE: Duration = Duration::from_secs(60);

const RHYTHMS: &[&str] = &[
    "every 6h",
    "every 12h",
    "daily 02:30 Europe/Berlin",
    "daily 01:30 America/New_York",
    "daily 02:15 Australia/Lord_Howe",
    "daily 00:00 Africa/Cairo",
    "daily 23:59 Pacific/Chatham",
];
/// These cost the most, so a world has at most one.
const QUICK_RHYTHMS: &[&str] = &["every 1h", "every 15m"];

/// What came of a world.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// Its seed.
    pub seed: u64,
    /// Virtual days.
    pub days: u64,
    /// Attempts that the scheduler made.
    pub decisions: u64,
    /// Processes that died in the middle of a write.
    pub crashes: u64,
    /// Writes of a process whose duty another had taken over: refused.
    pub superseded: u64,
    /// Duties that were given up.
    pub died: u64,
    /// Clocks that were wrong.
    pub clock_jumps: u64,
    /// Equal seeds give equal traces.
    pub trace: u64,
    /// What should not be.
    pub failures: Vec<String>,
}

/// Lives through the world of a seed.
pub fn simulate(seed: u64) -> Report {
    let mut world = World::new(seed);
    world.make_duties();
    world.live_through_trouble();
    world.live_in_peace();
    world.judge()
}

/// Which kinds of bad luck there are here.
#[derive(Clone, Copy)]
struct Luck {
    failing: bool,
    crashing: bool,
    sleeping: bool,
    wrong_clocks: bool,
    overlong: bool,
    outages: bool,
}

impl Luck {
    fn thrown(dice: &mut Dice) -> Luck {
        Luck {
            failing: dice.percent(70),
            crashing: dice.percent(70),
            // Else the world would cost too much: sleep is what makes a year short.
            sleeping: dice.percent(90),
            wrong_clocks: dice.percent(50),
            overlong: dice.percent(60),
            outages: dice.percent(50),
        }
    }
}

/// What the jobs, the fault plans and the world share.
struct Shared {
    dice: Dice,
    /// Of a hundred attempts, so many fail.
    failing: usize,
    outage: bool,
    /// Runs once, in the middle of the next job: the world goes on while it works.
    meanwhile: Option<Box<dyn FnOnce() + Send>>,
    trace: u64,
    decisions: u64,
    superseded: u64,
    died: u64,
}

impl Shared {
    /// FNV-1a: the trace need not be safe, only the same.
    fn note(&mut self, what: &str) {
        for byte in what.bytes() {
            self.trace = (self.trace ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn note_step(&mut self, process: usize, step: &Step, names: &BTreeMap<DutyId, usize>) {
        for ran in &step.ran {
            self.decisions += 1;
            let outcome = match &ran.outcome {
                RunOutcome::Done => "done",
                RunOutcome::Retry { .. } => "retry",
                RunOutcome::Dead { .. } => {
                    self.died += 1;
                    "dead"
                }
                RunOutcome::Superseded => {
                    self.superseded += 1;
                    "superseded"
                }
            };
            let duty = names.get(&ran.id).copied().unwrap_or(usize::MAX);
            self.note(&format!("{process} {duty} {} {outcome};", ran.slot.micros()));
        }
        self.note(&format!("wake {:?};", step.wake_at.map(Time::micros)));
    }
}

type Common = Arc<Mutex<Shared>>;

fn locked<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The one job of the simulated duties: it tells the log that it was done, for which slot.
struct Tick {
    kind: &'static str,
    common: Common,
}

const KINDS: &[&str] = &["tick_0", "tick_1", "tick_2", "tick_3", "tick_4"];

impl Job for Tick {
    fn kind(&self) -> &'static str {
        self.kind
    }

    fn prepare(&self, mind: &Mind, duty: &Duty) -> Result<Effects, Error> {
        let meanwhile = locked(&self.common).meanwhile.take();
        if let Some(meanwhile) = meanwhile {
            meanwhile();
        }
        let fails = {
            let mut shared = locked(&self.common);
            let failing = shared.failing;
            shared.outage || shared.dice.percent(failing)
        };
        if fails {
            return Err(Error::Forbidden("bad luck".into()));
        }
        let Some(agent) = duty.agent else {
            return Ok(Effects::none());
        };
        let (now, subject) = (mind.now(), done_mark(self.kind, duty.slot));
        Ok(Effects::of(vec![agent], move |writer| {
            let act = Act { act: "ticked", subject_kind: "slot", subject };
            events::record(writer, agent, now, &[act]).map(drop)
        }))
    }
}

/// Which duty of its agent, and which slot, in the sixteen bytes of an id.
fn done_mark(kind: &str, slot: Time) -> Id {
    let mut bytes = [0; 16];
    bytes[0] = kind.bytes().last().unwrap_or_default();
    bytes[8..].copy_from_slice(&slot.micros().to_be_bytes());
    Id::from_bytes(bytes)
}

fn slot_of(mark: Id) -> (char, Time) {
    let bytes = mark.bytes();
    let mut micros = [0; 8];
    micros.copy_from_slice(&bytes[8..]);
    (char::from(bytes[0]), Time::from_micros(i64::from_be_bytes(micros)))
}

/// Kills a process at the n-th passing of a point; from then on it can write nothing more.
#[derive(Clone)]
struct Death {
    point: &'static str,
    /// Passings left; zero: dead already; negative: it will live.
    left: Arc<AtomicI64>,
}

impl Death {
    fn never() -> Death {
        Death { point: "", left: Arc::new(AtomicI64::new(-1)) }
    }

    fn at(point: &'static str, nth: i64) -> Death {
        Death { point, left: Arc::new(AtomicI64::new(nth)) }
    }

    fn faults(&self) -> Faults {
        let death = self.clone();
        Faults::planned(move |point| death.strikes(point).then_some(Fault::Fail))
    }

    fn strikes(&self, point: &str) -> bool {
        match self.left.load(Ordering::SeqCst) {
            0 => true,
            left if left > 0 && point == self.point => self.left.fetch_sub(1, Ordering::SeqCst) == 1,
            _ => false,
        }
    }

    fn has_struck(&self) -> bool {
        self.left.load(Ordering::SeqCst) == 0
    }
}

/// One daemon of the world.
struct Process {
    mind: Arc<Mind>,
    clock: Arc<ManualClock>,
    death: Death,
    /// What its clock shows too much, in seconds.
    skew: i64,
}

struct World {
    seed: u64,
    dice: Dice,
    luck: Luck,
    common: Common,
    scheduler: Arc<Scheduler>,
    now: Time,
    processes: Vec<Process>,
    agents: Vec<Agent>,
    /// Each duty by a number that does not depend on its id.
    names: BTreeMap<DutyId, usize>,
    first_slots: BTreeMap<DutyId, Time>,
    crashes: u64,
    clock_jumps: u64,
    failures: Vec<String>,
    // Dropped last: the minds close their files first.
    folder: TempDir,
}

impl World {
    fn new(seed: u64) -> World {
        let mut dice = Dice::new(seed);
        let luck = Luck::thrown(&mut dice);
        let common = Arc::new(Mutex::new(Shared {
            dice: Dice::new(dice.next()),
            failing: 0,
            outage: false,
            meanwhile: None,
            trace: 0xcbf2_9ce4_8422_2325,
            decisions: 0,
            superseded: 0,
            died: 0,
        }));
        let scheduler = KINDS.iter().fold(Scheduler::default().lease(LEASE), |scheduler, kind| {
            scheduler.with(Tick { kind, common: Arc::clone(&common) })
        });
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut world = World {
            seed,
            dice,
            luck,
            common,
            scheduler: Arc::new(scheduler),
            now: START,
            processes: Vec::new(),
            agents: Vec::new(),
            names: BTreeMap::new(),
            first_slots: BTreeMap::new(),
            crashes: 0,
            clock_jumps: 0,
            failures: Vec::new(),
            folder,
        };
        let processes = if luck.overlong { 2 } else { 1 };
        for _ in 0..processes {
            let skew = if luck.overlong { world.dice.below(120) as i64 - 60 } else { 0 };
            let process = world.start(skew, Death::never());
            world.processes.push(process);
        }
        world
    }

    fn start(&mut self, skew: i64, death: Death) -> Process {
        let clock = Arc::new(ManualClock::at(shifted(self.now, skew)));
        let mut chance = [0; 32];
        chance[..8].copy_from_slice(&self.dice.next().to_be_bytes());
        let mind = open(&self.folder.path().join("selfsame.db"), &clock, chance, &death);
        Process { mind: Arc::new(mind), clock, death, skew }
    }

    /// Another process takes the place of one that died or was stopped.
    fn restart(&mut self, number: usize, skew: i64, death: Death) {
        let process = self.start(skew, death);
        self.processes[number] = process;
        locked(&self.common).note("restart;");
    }

    fn make_duties(&mut self) {
        let quick = self.dice.below(8);
        let mind = Arc::clone(&self.processes[0].mind);
        for number in 0..3 {
            let agent =
                mind.create_agent(&format!("agent-{number}"), None).unwrap_or_else(|error| panic!("{error}"));
            let count = 1 + self.dice.below(2);
            for (place, kind) in KINDS.iter().enumerate().take(count) {
                let rhythm = match QUICK_RHYTHMS.get(quick) {
                    Some(rhythm) if number == 0 && place == 0 => *rhythm,
                    _ => *self.dice.pick(RHYTHMS),
                };
                let rhythm = Rhythm::parse(rhythm).unwrap_or_else(|error| panic!("{error}"));
                mind.ensure_duty(kind, Some(agent.id), &rhythm).unwrap_or_else(|error| panic!("{error}"));
            }
            self.agents.push(agent);
        }
        for duty in self.duties() {
            self.first_slots.insert(duty.id, duty.slot);
        }
        let mut by_name = self.duties();
        let place = |duty: &Duty| self.agents.iter().position(|agent| Some(agent.id) == duty.agent);
        by_name.sort_by_key(|duty| (place(duty), duty.kind.clone()));
        self.names = by_name.iter().enumerate().map(|(name, duty)| (duty.id, name)).collect();
    }

    fn duties(&self) -> Vec<Duty> {
        self.processes[0].mind.duties().unwrap_or_else(|error| panic!("{error}"))
    }

    fn live_through_trouble(&mut self) {
        let end = START.saturating_add(Duration::from_secs(TROUBLED));
        if self.luck.failing {
            locked(&self.common).failing = self.dice.below(40);
        }
        while self.now < end {
            let number = self.dice.below(self.processes.len());
            self.throw_bad_luck(number);
            let wake = self.step(number);
            self.pass_until(wake);
            self.requeue_sometimes();
        }
    }

    /// No more bad luck, and right clocks.
    fn live_in_peace(&mut self) {
        {
            let mut shared = locked(&self.common);
            shared.failing = 0;
            shared.outage = false;
            shared.meanwhile = None;
            shared.note("peace;");
        }
        for number in 0..self.processes.len() {
            self.restart(number, 0, Death::never());
        }
        for duty in self.duties().into_iter().filter(|duty| duty.state == "dead") {
            let requeued = self.processes[0].mind.requeue_duty(duty.id);
            if !matches!(requeued, Ok(true)) {
                self.failures.push(format!("a dead duty cannot be requeued: {requeued:?}"));
            }
        }
        self.luck.sleeping = false;
        let end = self.now.saturating_add(Duration::from_secs(CALM));
        while self.now < end {
            let number = self.dice.below(self.processes.len());
            let wake = self.step(number);
            self.pass_until(wake);
        }
        self.step(0);
    }

    fn throw_bad_luck(&mut self, number: usize) {
        if self.luck.crashing && self.dice.percent(5) {
            let points = ["write.begun", "write.applied", "write.before_commit", "write.committed"];
            let (point, nth) = (*self.dice.pick(&points), 1 + self.dice.below(6) as i64);
            let skew = self.processes[number].skew;
            self.restart(number, skew, Death::at(point, nth));
        }
        if self.luck.wrong_clocks && self.dice.percent(2) {
            self.clock_jumps += 1;
            let spans = [10 * MINUTE, 2 * HOUR, DAY, 6 * DAY];
            let span = *self.dice.pick(&spans) as i64;
            let skew = self.dice.below(span as usize * 2) as i64 - span;
            self.restart(number, skew, Death::never());
        } else if self.luck.wrong_clocks && self.processes[number].skew.abs() > 60 && self.dice.percent(40) {
            self.restart(number, 0, Death::never());
        }
        if self.luck.outages && self.dice.percent(1) {
            let mut shared = locked(&self.common);
            shared.outage = !shared.outage;
        } else if self.dice.percent(10) {
            locked(&self.common).outage = false;
        }
        if self.luck.overlong && self.dice.percent(10) {
            self.plan_overlong(number);
        }
    }

    /// The next job of this process takes longer than its lease, and the other process goes on meanwhile.
    fn plan_overlong(&mut self, number: usize) {
        let other = 1 - number;
        let (mind, scheduler) = (Arc::clone(&self.processes[other].mind), Arc::clone(&self.scheduler));
        let clocks: Vec<Arc<ManualClock>> =
            self.processes.iter().map(|process| Arc::clone(&process.clock)).collect();
        let late = LEASE + Duration::from_secs(self.dice.below(200) as u64);
        let (common, names) = (Arc::clone(&self.common), self.names.clone());
        locked(&self.common).meanwhile = Some(Box::new(move || {
            for clock in &clocks {
                clock.advance(late);
            }
            match scheduler.step(&mind) {
                Ok(step) => locked(&common).note_step(other, &step, &names),
                Err(error) => locked(&common).note(&format!("{error};")),
            }
        }));
    }

    /// One step of one process; a process that died in it is started again.
    fn step(&mut self, number: usize) -> Option<Time> {
        for process in &self.processes {
            process.clock.set(shifted(self.now, process.skew));
        }
        let process = &self.processes[number];
        let skew = process.skew;
        let stepped = self.scheduler.step(&process.mind);
        let died = process.death.has_struck();
        locked(&self.common).meanwhile = None;
        let wake = match stepped {
            Ok(step) => {
                locked(&self.common).note_step(number, &step, &self.names);
                step.wake_at
            }
            Err(error) => {
                if !died {
                    self.failures.push(format!("{}: a step failed: {error}", self.now));
                }
                locked(&self.common).note("died;");
                None
            }
        };
        if died {
            self.crashes += 1;
            self.restart(number, skew, Death::never());
        }
        wake.map(|wake| shifted(wake, -skew))
    }

    /// Time passes: to the moment named and a little further, or, when the world sleeps, much further.
    fn pass_until(&mut self, wake: Option<Time>) {
        let soon = self.now.saturating_add(Duration::from_millis(50));
        let most = self.now.saturating_add(Duration::from_secs(DAY));
        let jitter = Duration::from_micros(self.dice.below(2_000_000) as u64);
        self.now = wake.unwrap_or(soon).clamp(soon, most).saturating_add(jitter);
        if self.luck.sleeping && self.dice.percent(4) {
            let spans = [HOUR, 10 * HOUR, 3 * DAY, 21 * DAY];
            let span = *self.dice.pick(&spans);
            self.now = self.now.saturating_add(Duration::from_secs(self.dice.below(span as usize) as u64));
        }
    }

    /// Somebody looks at the dead letters now and then.
    fn requeue_sometimes(&mut self) {
        if !self.dice.percent(3) {
            return;
        }
        let mind = Arc::clone(&self.processes[0].mind);
        for duty in self.duties().into_iter().filter(|duty| duty.state == "dead") {
            // The process may be about to die.
            let requeued = mind.requeue_duty(duty.id).is_ok();
            locked(&self.common).note(&format!("requeued {requeued};"));
        }
    }

    fn judge(mut self) -> Report {
        let done = self.done_slots();
        for duty in self.duties() {
            let marks = done.get(&duty.id).cloned().unwrap_or_default();
            self.judge_duty(&duty, &marks);
        }
        let shared = locked(&self.common);
        Report {
            seed: self.seed,
            days: self.now.since(START).as_secs() / DAY,
            decisions: shared.decisions,
            crashes: self.crashes,
            superseded: shared.superseded,
            died: shared.died,
            clock_jumps: self.clock_jumps,
            trace: shared.trace,
            failures: self.failures.clone(),
        }
    }

    fn judge_duty(&mut self, duty: &Duty, marks: &[Time]) {
        let name = format!("duty {} ({})", self.names[&duty.id], duty.rhythm);
        let slots: BTreeSet<Time> = marks.iter().copied().collect();
        let mut failures = Vec::new();
        if slots.len() != marks.len() {
            let twice = marks.iter().find(|slot| marks.iter().filter(|other| other == slot).count() > 1);
            let twice = twice.map(Time::to_string).unwrap_or_default();
            failures.push(format!("{} slots were done twice, such as {twice}", marks.len() - slots.len()));
        }
        if duty.done_count != marks.len() as u64 {
            failures.push(format!("it counts {} done where {} were", duty.done_count, marks.len()));
        }
        if duty.state != "waiting" || duty.slot <= self.now {
            failures.push(format!("it is {} with slot {} at {}", duty.state, duty.slot, self.now));
        }
        let Ok(rhythm) = Rhythm::parse(&duty.rhythm) else {
            self.failures.push(format!("{name} has no rhythm"));
            return;
        };
        let period = rhythm.period().unwrap_or_default();
        // In the second half of the calm every slot must have been done in its time.
        let since = self
            .now
            .saturating_sub(Duration::from_secs(CALM))
            .saturating_add(period.max(Duration::from_secs(DAY)));
        let missed: Vec<Time> = walk(&rhythm, since, self.now).filter(|slot| !slots.contains(slot)).collect();
        if let Some(first) = missed.first() {
            failures.push(format!("{} slots were missed in the calm, such as {first}", missed.len()));
        }
        if self.clock_jumps == 0 {
            let first = self.first_slots[&duty.id];
            let before = first.saturating_sub(Duration::from_micros(1));
            let all = walk(&rhythm, before, duty.slot).filter(|slot| *slot < duty.slot).count() as u64;
            if all != duty.done_count + duty.passed_over {
                failures.push(format!(
                    "of {all} slots {} were done and {} passed over",
                    duty.done_count, duty.passed_over
                ));
            }
        }
        self.failures.extend(failures.into_iter().map(|failure| format!("{name}: {failure}")));
    }

    /// What the log says was done, for each duty, in its order.
    fn done_slots(&mut self) -> BTreeMap<DutyId, Vec<Time>> {
        let mut done: BTreeMap<DutyId, Vec<Time>> = BTreeMap::new();
        let duties = self.duties();
        for agent in &self.agents {
            for (kind, slot) in read_marks(self.processes[0].mind.store(), agent) {
                let duty =
                    duties.iter().find(|duty| duty.agent == Some(agent.id) && duty.kind.ends_with(kind));
                match duty {
                    Some(duty) => done.entry(duty.id).or_default().push(slot),
                    None => self.failures.push(format!("nobody's slot {slot}")),
                }
            }
        }
        done
    }
}

fn read_marks(store: &Store, agent: &Agent) -> Vec<(char, Time)> {
    let mut marks = Vec::new();
    let mut after = 0;
    loop {
        let page = page_of(store, agent.id, &Caller::operator(agent.operator), after);
        let Some((last, _)) = page.last() else {
            return marks;
        };
        after = last.seq;
        let ticks = page.iter().filter(|(event, _)| event.act == "ticked");
        marks.extend(ticks.map(|(event, _)| slot_of(event.subject)));
    }
}

fn page_of(
    store: &Store,
    agent: AgentId,
    caller: &Caller,
    after: i64,
) -> Vec<(selfsame::event::Event, [u8; 32])> {
    store
        .read(caller, &[agent], |reader| events::after(reader, agent, after, 1000))
        .unwrap_or_else(|error| panic!("{error}"))
}

fn walk(rhythm: &Rhythm, after: Time, until: Time) -> impl Iterator<Item = Time> + '_ {
    std::iter::successors(rhythm.slot_after(after), |slot| rhythm.slot_after(*slot))
        .take_while(move |slot| *slot <= until)
}

fn shifted(time: Time, seconds: i64) -> Time {
    let span = Duration::from_secs(seconds.unsigned_abs());
    if seconds < 0 { time.saturating_sub(span) } else { time.saturating_add(span) }
}

fn open(path: &Path, clock: &Arc<ManualClock>, chance: [u8; 32], death: &Death) -> Mind {
    let options = selfsame::StoreOptions {
        faults: death.faults(),
        durability: Durability::None,
        connections: 1,
        ..selfsame::StoreOptions::default()
    };
    let store = Store::open_sqlite(path, options, START).unwrap_or_else(|error| panic!("{error}"));
    // Hearts have simulations of their own; here they would only make years long.
    let mut settings = Settings::default();
    settings.heartbeat.enabled = false;
    Opening::new(settings)
        .clock(Arc::<ManualClock>::clone(clock))
        .seed(chance)
        .over(store, None)
        .unwrap_or_else(|error| panic!("{error}"))
}
