//! What one agent more costs, in a house of many: bytes on the disk, CPU in a day on which nothing happens, memory. From these
//! `docs/scale.md` does its arithmetic. Beside it, bare SQLite commits one changed row, and keeps the same texts in a bare table.

use crate::Size;
use crate::corpus::Corpus;
use crate::heartbeat::bare_commits;
use crate::mind::{LOADERS, Shelf};
use crate::report::{Cell, Report};
use crate::watch::{Samples, Whose, time};
use anyhow::{Context, Result, anyhow, ensure};
use rusqlite::Connection;
use selfsame::clock::ManualClock;
use selfsame::jobs;
use selfsame::memory::Draft;
use selfsame::recall::Question;
use selfsame::scheduler::{Pace, Scheduler};
use selfsame::time::{Clock as _, Time};
use selfsame::{DataFolder, Mind, Opening, Speaker, Store, StoreOptions};
use selfsame_testkit::Server;
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// 2027-06-01T10:00:00Z.
const NOW: Time = Time::from_micros(1_811_844_000_000_000);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const LEASE: Duration = Duration::from_secs(600);
/// Of the texts.
const SEED: u64 = 5;
/// Looks at a house in which nothing is due.
const LOOKS: usize = 100;
/// Bare commits, to hold a day against.
const COMMITS: usize = 200;
/// Agents that are asked something, at most.
const ASKED: usize = 1_000;

/// So many agents with so many memories each.
#[derive(Clone, Copy)]
struct House {
    agents: usize,
    memories: usize,
}

const fn house(agents: usize, memories: usize) -> House {
    House { agents, memories }
}

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let houses: &[House] = match size {
        Size::Quick => &[house(20, 0), house(5, 20)],
        Size::Full => &[house(100, 0), house(50, 100), house(10, 1_000)],
    };
    let mut report = Report::new(&[
        "engine",
        "agents",
        "memories each",
        "KB each",
        "KB / bare",
        "ticks a day",
        "CPU ms a day",
        "of hearts",
        "of links",
        "hearts / bare",
        "idle look ms",
        "recall ms",
        "MB before",
        "MB after",
    ]);
    let commit = bare_commits(&shelf.scratch("scale-commits.db"), COMMITS)?.cpu_ms(0.5);
    for (at, house) in houses.iter().enumerate() {
        let bare = bare_bytes(&shelf.scratch(&format!("scale-bare-{at}.db")), *house)?;
        let folder = shelf.scratch(&format!("scale-{at}"));
        let clock = Arc::new(ManualClock::at(NOW));
        let mind = Opening::default().clock(Arc::clone(&clock) as _).open(&DataFolder::create(&folder)?)?;
        let file = folder.join("selfsame.db");
        let bytes = || {
            ensure!(mind.store().compact()?, "a reader holds the log");
            Ok(fs::metadata(&file)?.len())
        };
        let lived = live(&mind, &clock, *house, &bytes)?;
        report.row(lived.line("SQLite", *house, bare, commit));
        drop(mind);
        if std::env::var_os("SELFSAME_TEST_PG").is_some() {
            let database = Server::with_vectors().empty_database();
            let clock = Arc::new(ManualClock::at(NOW));
            let store = Store::open_postgres(&database.urls(), StoreOptions::default(), NOW)?;
            let mind = Opening::default().clock(Arc::clone(&clock) as _).over(store, None)?;
            let bytes = || {
                let mut owner = database.owner();
                owner.run("VACUUM FULL").map_err(|error| anyhow!(error))?;
                let rows = owner.rows("SELECT pg_database_size(current_database())");
                let size = rows.into_iter().flatten().flatten().next().context("no size")?;
                Ok(size.parse()?)
            };
            let lived = live(&mind, &clock, *house, &bytes)?;
            report.row(lived.line("PostgreSQL", *house, bare, commit));
        }
    }
    report.note(format!(
        "a day, by the scheduler with every duty of the house, one thread, from an hour after all was stored; nobody says \
         anything; links: the duty that looks every minute whether a neural link is unfinished; bare: as many bare commits, \
         each {commit:.3} ms of CPU"
    ));
    report.note(
        "bare: the texts in a table of their own; KB each: what the database has grown by; CPU and memory of this \
         process alone (PostgreSQL's server has its own); MB: resident, before the first agent and after all were asked"
            .to_owned(),
    );
    Ok(report)
}

/// What a house took.
struct Lived {
    bytes: u64,
    day: Day,
    look: Samples,
    recall: Samples,
    resident_before: f64,
    resident_after: f64,
}

impl Lived {
    fn line(&self, engine: &str, house: House, bare: u64, commit: f64) -> Vec<Cell> {
        let each = |number: f64| number / house.agents as f64;
        let milliseconds = |took: Duration| each(took.as_secs_f64() * 1e3);
        let (ticks, hearts) = (each(self.day.ticks as f64), milliseconds(self.day.hearts));
        let has_memories = house.memories > 0;
        vec![
            engine.into(),
            house.agents.into(),
            house.memories.into(),
            Cell::Number(each(self.bytes as f64) / 1e3, 2),
            if has_memories { Cell::Number(self.bytes as f64 / bare as f64, 1) } else { Cell::Nothing },
            Cell::Number(ticks, 1),
            Cell::Number(milliseconds(self.day.all), 2),
            Cell::Number(hearts, 2),
            Cell::Number(milliseconds(self.day.links), 2),
            Cell::Number(hearts / (ticks * commit), 2),
            Cell::Number(self.look.cpu_ms(0.5), 3),
            if has_memories { Cell::Number(self.recall.cpu_ms(0.5), 3) } else { Cell::Nothing },
            Cell::Number(self.resident_before, 1),
            Cell::Number(self.resident_after, 1),
        ]
    }
}

fn live(mind: &Mind, clock: &ManualClock, house: House, bytes: &dyn Fn() -> Result<u64>) -> Result<Lived> {
    let resident_before = resident()?;
    let empty = bytes()?;
    move_in(mind, house)?;
    let bytes = bytes()?.saturating_sub(empty);
    mind.ensure_house_duties()?;
    let scheduler = jobs::scheduler(mind.settings());
    // The first hour settles what was just told.
    pass(mind, &scheduler, clock, HOUR)?;
    let day = pass(mind, &scheduler, clock, DAY)?;
    ensure!(day.ticks >= house.agents, "{} ticks of {} agents in a day", day.ticks, house.agents);
    let mut look = Samples::default();
    for _ in 0..LOOKS {
        let (step, took) = time(Whose::Thread, || scheduler.step(mind));
        ensure!(step?.ran.is_empty(), "something was due");
        look.push(took);
    }
    let recall = ask_all(mind, house)?;
    Ok(Lived { bytes, day, look, recall, resident_before, resident_after: resident()? })
}

/// Makes the agents, and tells each its texts, by many threads: they share their commits.
fn move_in(mind: &Mind, house: House) -> Result<()> {
    let corpus = Corpus::new(house.memories, SEED);
    let numbers: Vec<usize> = (0..house.agents).collect();
    std::thread::scope(|scope| {
        let running: Vec<_> = numbers
            .chunks(house.agents.div_ceil(LOADERS).max(1))
            .map(|part| scope.spawn(|| part.iter().try_for_each(|number| tell(mind, *number, &corpus.texts))))
            .collect();
        let mut ended = running.into_iter().map(ScopedJoinHandle::join);
        ended.try_for_each(|part| part.unwrap_or_else(|_| Err(anyhow!("a writer panicked"))))
    })
}

fn tell(mind: &Mind, number: usize, texts: &[String]) -> Result<()> {
    let name = name_of(number);
    mind.ensure_agent(&name)?;
    let access = mind.access(&name, Speaker::Operator)?;
    texts.iter().try_for_each(|text| Ok(access.remember(Draft::new(text.as_str()), None).map(drop)?))
}

fn name_of(number: usize) -> String {
    format!("agent-{number}")
}

/// What a day took of the CPU.
#[derive(Default)]
struct Day {
    ticks: usize,
    all: Duration,
    /// The steps in which hearts beat.
    hearts: Duration,
    /// The steps in which nothing but links was looked after.
    links: Duration,
}

/// So long, from what is due to what is due, as a daemon would live it.
fn pass(mind: &Mind, scheduler: &Scheduler, clock: &ManualClock, long: Duration) -> Result<Day> {
    let end = clock.now().saturating_add(long);
    let mut day = Day::default();
    loop {
        let (slow, took) = time(Whose::Process, || scheduler.step_of(mind, Pace::Slow));
        let slow = slow?;
        day.all += took.cpu;
        if !slow.ran.is_empty() && slow.ran.iter().all(|ran| ran.kind == "link") {
            day.links += took.cpu;
        }
        let (step, took) = time(Whose::Process, || scheduler.step(mind));
        let step = step?;
        ensure!(step.beats.failures == 0, "{} hearts could not beat", step.beats.failures);
        day.all += took.cpu;
        if step.beats.ticks > 0 {
            day.ticks += step.beats.ticks;
            day.hearts += took.cpu;
        }
        let work = mind.work_step(LEASE)?;
        let moments = [slow.wake_at, step.wake_at, work.wake_at];
        let wake = moments.into_iter().flatten().min().unwrap_or(end);
        if wake > clock.now() {
            clock.set(wake.min(end));
            if wake >= end {
                return Ok(day);
            }
        }
    }
}

/// Asks agents something, each once: what recall keeps in memory is then there.
fn ask_all(mind: &Mind, house: House) -> Result<Samples> {
    let mut samples = Samples::default();
    if house.memories == 0 {
        return Ok(samples);
    }
    let questions = Corpus::new(house.memories, SEED).questions(house.agents.min(ASKED), SEED);
    for (number, question) in questions.iter().enumerate() {
        let access = mind.access(&name_of(number), Speaker::Operator)?;
        let (found, took) = time(Whose::Thread, || access.recall(&Question::new(question.as_str())));
        found?;
        samples.push(took);
    }
    Ok(samples)
}

/// What a bare table of the same texts takes.
fn bare_bytes(path: &Path, house: House) -> Result<u64> {
    let mut connection = Connection::open(path)?;
    connection.execute_batch(
        "CREATE TABLE t (agent INTEGER, id INTEGER, text TEXT, PRIMARY KEY (agent, id)) STRICT",
    )?;
    let corpus = Corpus::new(house.memories, SEED);
    let transaction = connection.transaction()?;
    for agent in 0..house.agents {
        for (id, text) in corpus.texts.iter().enumerate() {
            transaction.execute("INSERT INTO t VALUES (?1, ?2, ?3)", (agent as i64, id as i64, text))?;
        }
    }
    transaction.commit()?;
    Ok(fs::metadata(path)?.len())
}

/// Megabytes of this process that are in memory.
fn resident() -> Result<f64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes / 1e3)
}
