//! One beat of a heart, however much it has behind it; and many hearts at once. Beside it, bare SQLite commits one changed
//! row: what a durable receipt costs at least.

use crate::Size;
use crate::mind::{AGENT, Shelf, operator};
use crate::report::{Cell, Report};
use crate::watch::{Samples, Whose, time};
use anyhow::{Result, ensure};
use rusqlite::Connection;
use selfsame::clock::ManualClock;
use selfsame::id::MemoryId;
use selfsame::memory::{Draft, Memory, MemoryKind};
use selfsame::time::{Clock as _, Time};
use selfsame::trust::{Caller, Privacy, Provenance};
use selfsame::{Access, DataFolder, Mind, Opening, Store, StoreOptions};
use selfsame_core::id::Mint;
use selfsame_core::memory::sameness::Prints;
use selfsame_store::memory;
use selfsame_testkit::Server;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// Memories in a transaction, when they are loaded.
const ROWS: usize = 500;
/// So many memories are stored in a day: the more there are, the further back they reach.
const A_DAY: u32 = 1_000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MINUTE: Duration = Duration::from_secs(60);
/// 2027-06-01T10:00:00Z.
const NOW: Time = Time::from_micros(1_811_844_000_000_000);
const LEASE: Duration = Duration::from_secs(600);

/// One beat at several sizes.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let (sizes, beats): (&[usize], usize) = match size {
        Size::Quick => (&[1_000, 3_000], 50),
        Size::Full => (&[1_000, 10_000, 100_000, 1_000_000], 400),
    };
    let mut report = Report::new(&[
        "memories",
        "CPU p50 ms",
        "CPU p95 ms",
        "wall p95 ms",
        "statements",
        "rows read",
        "p95 / 10k",
        "p50 / bare",
    ]);
    let bare = bare_commits(&shelf.scratch("bare-receipts.db"), beats)?;
    report.row(vec![
        "bare commit of one row".into(),
        Cell::Number(bare.cpu_ms(0.5), 3),
        Cell::Number(bare.cpu_ms(0.95), 3),
        Cell::Number(bare.wall_ms(0.95), 3),
        Cell::Nothing,
        Cell::Nothing,
        Cell::Nothing,
        Cell::Number(1.0, 2),
    ]);
    let mut reference = None;
    for memories in sizes {
        let folder = shelf.scratch(&format!("hearts-{memories}"));
        let clock = Arc::new(ManualClock::at(NOW));
        let mind = Opening::default().clock(Arc::clone(&clock) as _).open(&DataFolder::create(&folder)?)?;
        mind.ensure_agent(AGENT)?;
        let access = operator(&mind)?;
        load(&mind, &access, *memories)?;
        furnish(&access)?;
        let (samples, statements, rows) = beat(&access, &clock, beats)?;
        let p95 = samples.cpu_ms(0.95);
        if *memories == 10_000 {
            reference = Some(p95);
        }
        report.row(vec![
            Cell::Number(*memories as f64, 0),
            Cell::Number(samples.cpu_ms(0.5), 3),
            Cell::Number(p95, 3),
            Cell::Number(samples.wall_ms(0.95), 3),
            Cell::Number(statements, 1),
            Cell::Number(rows, 1),
            reference.map_or(Cell::Nothing, |reference| Cell::Number(p95 / reference, 2)),
            Cell::Number(samples.cpu_ms(0.5) / bare.cpu_ms(0.5), 2),
        ]);
    }
    report.note(format!(
        "{A_DAY} memories a day, of every type; {beats} ticks, five minutes apart, each durable"
    ));
    Ok(report)
}

/// Many hearts.
pub fn run_fleet(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let agents = match size {
        Size::Quick => 50,
        Size::Full => 10_000,
    };
    let mut report =
        Report::new(&["engine", "agents", "memories each", "ticks", "ticks / s", "ticks / CPU s", "commits"]);
    let folder = shelf.scratch("fleet");
    let clock = Arc::new(ManualClock::at(NOW));
    let mind = Opening::default().clock(Arc::clone(&clock) as _).open(&DataFolder::create(&folder)?)?;
    report.row(fleet("SQLite", &mind, &clock, agents)?);
    drop(mind);
    if std::env::var_os("SELFSAME_TEST_PG").is_some() {
        let database = Server::with_vectors().empty_database();
        let clock = Arc::new(ManualClock::at(NOW));
        let store = Store::open_postgres(&database.urls(), StoreOptions::default(), NOW)?;
        let mind = Opening::default().clock(Arc::clone(&clock) as _).over(store, None)?;
        report.row(fleet("PostgreSQL", &mind, &clock, agents)?);
    }
    report.note(
        "one process, one thread; a hundred hearts in a transaction; CPU of this process alone".to_owned(),
    );
    Ok(report)
}

fn fleet(engine: &str, mind: &Mind, clock: &ManualClock, agents: usize) -> Result<Vec<Cell>> {
    const EACH: usize = 100;
    for number in 0..agents {
        let name = format!("agent-{number}");
        mind.ensure_agent(&name)?;
        let access = mind.access(&name, selfsame::Speaker::Operator)?;
        load(mind, &access, EACH)?;
    }
    // Every heart is due; the first round introduces nobody and settles what is late.
    clock.advance(DAY);
    all_due(mind)?;
    clock.advance(DAY);
    let commits = mind.store().counters().commits();
    let (ticks, took) = time(Whose::Process, || all_due(mind));
    let ticks = ticks?;
    ensure!(ticks >= agents, "{ticks} of {agents} hearts beat");
    Ok(vec![
        engine.into(),
        agents.into(),
        EACH.into(),
        ticks.into(),
        Cell::Number(ticks as f64 / took.wall.as_secs_f64(), 0),
        Cell::Number(ticks as f64 / took.cpu.as_secs_f64(), 0),
        Cell::Number((mind.store().counters().commits() - commits) as f64, 0),
    ])
}

/// Lets every heart beat that is due; gives how many did.
fn all_due(mind: &Mind) -> Result<usize> {
    let mut ticks = 0;
    loop {
        let beats = mind.beat_due(LEASE)?;
        ensure!(beats.failures == 0, "{} hearts could not beat", beats.failures);
        if beats.ticks == 0 {
            return Ok(ticks);
        }
        ticks += beats.ticks;
    }
}

/// Stores so many memories past the verb, a day's worth a day, the last just now.
fn load(mind: &Mind, access: &Access, count: usize) -> Result<()> {
    let (agent, operator) = (access.agent().id, access.agent().operator);
    let mint = Mint::new([3; 32]);
    let now = mind.now();
    let caller = Caller::operator(operator);
    for first in (0..count).step_by(ROWS) {
        let rows: Vec<Memory> = (first..(first + ROWS).min(count))
            .map(|number| {
                let at = now.saturating_sub(DAY / A_DAY * (count - number) as u32);
                row(agent, &mint, &caller, number, at, now)
            })
            .collect();
        mind.store().write(&caller, &[agent], None, |writer| {
            rows.iter().try_for_each(|one| {
                memory::insert(writer, one, &Prints::of(&one.content), one.serves(operator))
            })
        })?;
    }
    Ok(())
}

/// One of every type in turn, as it is by now: most of what is old has faded.
fn row(
    agent: selfsame::id::AgentId,
    mint: &Mint,
    caller: &Caller,
    number: usize,
    at: Time,
    now: Time,
) -> Memory {
    let mut draft = Draft::new(format!("what was said on occasion {number}"));
    draft.kind = MemoryKind::ALL[number % MemoryKind::ALL.len()];
    draft.importance = (number % 10) as f64 / 10.0;
    draft.affect.valence = number.is_multiple_of(7).then_some((number % 5) as f64 - 2.0);
    let provenance = Provenance::stated(caller, None, Privacy::Shared);
    let mut memory = Memory::from_draft(MemoryId::of(mint.id(at)), agent, draft, provenance, at);
    // A plan or a question that is long past was done or answered.
    if now.since(at) > 10 * DAY && memory.is_open() {
        memory.life.state = selfsame::memory::State::Resolved;
    }
    (memory.life.state, memory.life.decline) = memory.judged(now);
    memory
}

/// What there is to speak of, by ordinary operations.
fn furnish(access: &Access) -> Result<()> {
    for number in 0..20 {
        let mut draft = Draft::new(format!("finish part {number} of the report"));
        draft.kind = MemoryKind::Plan;
        draft.expires_at = Some(NOW.saturating_add(DAY / 4 * (number + 1)));
        access.remember(draft, None)?;
        let mut draft = Draft::new(format!("water plant {number}"));
        draft.tags = vec![format!("cron:daily:{:02}:{:02}", 8 + number / 4, number % 4 * 15)];
        access.remember(draft, None)?;
    }
    Ok(())
}

fn beat(access: &Access, clock: &ManualClock, beats: usize) -> Result<(Samples, f64, f64)> {
    let (mut samples, mut statements, mut rows) = (Samples::default(), 0, 0);
    for _ in 0..beats {
        clock.set(clock.now().saturating_add(5 * MINUTE));
        let (tick, took) = time(Whose::Thread, || access.heartbeat_tick(None));
        let tick = tick?;
        samples.push(took);
        statements += tick.statements;
        rows += tick.rows;
        if tick.nudge.is_some() {
            access.fetch_nudges(None, 100)?;
        }
    }
    Ok((samples, statements as f64 / beats as f64, rows as f64 / beats as f64))
}

/// What a durable receipt costs at least: one changed row.
pub fn bare_commits(path: &Path, count: usize) -> Result<Samples> {
    let connection = Connection::open(path)?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE t (id INTEGER PRIMARY KEY, n INTEGER) STRICT;
         INSERT INTO t VALUES (1, 0)",
    )?;
    let mut samples = Samples::default();
    for _ in 0..count {
        let (done, took) =
            time(Whose::Thread, || connection.execute("UPDATE t SET n = n + 1 WHERE id = 1", []));
        done?;
        samples.push(took);
    }
    Ok(samples)
}
