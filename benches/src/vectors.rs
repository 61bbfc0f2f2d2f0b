//! Near vectors: what finding the best ten costs beside a bare scan of the same numbers and of the same short forms, and
//! how many of the best ten are found. On PostgreSQL one by one and by the graph, and what the graph costs at an insert.

use crate::Size;
use crate::cloud::{Cloud, DIMENSIONS, item};
use crate::mind::Shelf;
use crate::report::{Cell, Report};
use crate::vector_bulk::{Part, fill_postgres, fill_sqlite, run as run_sql};
use crate::watch::{Samples, Took, Whose, time};
use anyhow::Result;
use selfsame::{Store, StoreOptions};
use selfsame_core::id::Id;
use selfsame_core::recall::meaning::Baseline;
use selfsame_core::time::{Clock as _, Time};
use selfsame_core::trust::Caller;
use selfsame_core::vector::Unit;
use selfsame_store::postings::Kind;
use selfsame_store::vectors::{self, Generation};
use selfsame_testkit::{Database, Server};
use std::path::Path;

/// Nobody asks here how near the unrelated are.
const BASELINE: Baseline = Baseline { usual: 0.0, spread: 0.1 };

const MOST: usize = 10;
/// Times that every question is asked; the first is to warm up.
const PASSES: usize = 3;
/// Of the vectors, and of the questions.
const SEEDS: (u64, u64) = (1, 2);
/// Vectors inserted to see what an insert costs, and how many in a transaction: as many as a duty embeds at once.
const INSERTED: usize = 1_000;
const AT_ONCE: usize = 50;
const MODEL: &str = "synthetic";

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let sizes: &[usize] = match size {
        Size::Quick => &[2_000],
        Size::Full => &[10_000, 100_000],
    };
    of_sizes(shelf, sizes, 100, std::env::var_os("SELFSAME_TEST_PG").is_some())
}

/// The same with a million vectors, in memory only: a server's graph of a million takes the better part of an hour.
pub fn run_million(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let sizes: &[usize] = match size {
        Size::Quick => &[5_000],
        Size::Full => &[1_000_000],
    };
    of_sizes(shelf, sizes, 50, false)
}

/// Agents with few and with many vectors in one store, on both engines.
pub fn run_side_by_side(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let (few, some, many, others, exact_up_to) = match size {
        Size::Quick => (50, 500, 3_000, 1_000, 700),
        Size::Full => (50, 2_000, 175_000, 25_000, StoreOptions::default().exact_up_to),
    };
    let cloud = Cloud::new(few + some + many + others, SEEDS.0);
    let (second, third, fourth) = (few, few + some, few + some + many);
    let large = Part::memories(3, third..fourth);
    let parts = [
        Part::memories(1, 0..second),
        Part::memories(2, second..third),
        large.clone(),
        Part { kind: Kind::Message, places: fourth..cloud.len(), ..large },
    ];
    let questions = Cloud::new(50, SEEDS.1);
    let mut report = Report::new(&[
        "agents in one store",
        "vectors",
        "CPU p50 ms",
        "CPU p95 ms",
        "wall p50 ms",
        "wall p95 ms",
        "overlap",
    ]);
    let mut on = |engine: &str, store: &Store, generation: &Generation| -> Result<()> {
        for (number, part) in parts.iter().enumerate() {
            let asked = ask(store, generation, part, &cloud, &questions)?;
            let name = format!("{engine}, agent {}, {}", number.min(2) + 1, part.kind.as_str());
            report.row(row(&name, part.places.len(), &asked.samples, asked.overlap));
        }
        Ok(())
    };
    let file = shelf.scratch("side-by-side.db");
    let (store, generation) = filled_file(&file, &cloud, &parts)?;
    on("SQLite", &store, &generation)?;
    drop(store);
    if std::env::var_os("SELFSAME_TEST_PG").is_some() {
        let database = Server::with_vectors().empty_database();
        let generation = filled_server(&database, &cloud, &parts)?;
        let store = open_postgres(&database, exact_up_to)?;
        on("PostgreSQL", &store, &generation)?;
    }
    report.note(format!("{} questions; overlap: share of the best {MOST} of a bare scan", questions.len()));
    Ok(report)
}

fn of_sizes(shelf: &Shelf, sizes: &[usize], questions: usize, on_server: bool) -> Result<Report> {
    let mut report = Report::new(&[
        "nearest 10 of 384 numbers",
        "vectors",
        "CPU p50 ms",
        "CPU p95 ms",
        "wall p50 ms",
        "wall p95 ms",
        "overlap",
        "CPU p50 / i8",
    ]);
    let questions = Cloud::new(questions, SEEDS.1);
    for count in sizes {
        let cloud = Cloud::new(*count, SEEDS.0);
        in_memory(&mut report, &shelf.scratch(&format!("vectors-{count}.db")), &cloud, &questions)?;
        if on_server {
            by_server(&mut report, &cloud, &questions)?;
        }
    }
    report.note(format!(
        "{} questions, {} times each after a warm-up; overlap: share of the best {MOST} of the bare scan of the numbers; \
         PostgreSQL: CPU of the client alone",
        questions.len(),
        PASSES - 1
    ));
    Ok(report)
}

fn in_memory(report: &mut Report, file: &Path, cloud: &Cloud, questions: &Cloud) -> Result<()> {
    let count = cloud.len();
    let all = Part::memories(1, 0..count);
    drop(filled_file(file, cloud, std::slice::from_ref(&all))?);
    let (store, opened) = time(Whose::Process, || open_sqlite(file));
    let store = store?;
    let generation = generation(&store)?;
    let (first, loaded) = time(Whose::Process, || ids(&store, &generation, &all, &questions.unit(0)));
    first?;
    let codes = cloud.codes();
    let (mut ours, mut of_numbers, mut of_codes) = <(Samples, Samples, Samples)>::default();
    let mut overlap = Overlap::default();
    let mut overlap_of_codes = Overlap::default();
    for pass in 0..PASSES {
        for to in questions.units() {
            let (found, took) = time(Whose::Thread, || ids(&store, &generation, &all, &to));
            let (best, scanned) = time(Whose::Thread, || cloud.nearest(0..count, &to, MOST));
            let (short, looked) = time(Whose::Thread, || codes.nearest(&to, MOST));
            if pass == 0 {
                overlap.add(&found?, &best);
                overlap_of_codes.add(&short.into_iter().map(item).collect::<Vec<_>>(), &best);
                continue;
            }
            ours.push(took);
            of_numbers.push(scanned);
            of_codes.push(looked);
        }
    }
    let beside = of_codes.cpu_ms(0.5);
    for (name, samples, overlap) in [
        ("SQLite, in memory", &ours, overlap.share()),
        ("bare scan of f32", &of_numbers, 1.0),
        ("bare scan of i8", &of_codes, overlap_of_codes.share()),
    ] {
        let mut cells = row(name, count, samples, overlap);
        cells.push(Cell::Number(samples.cpu_ms(0.5) / beside, 2));
        report.row(cells);
    }
    report.note(format!(
        "{count} vectors: opening the store {}; the first question, which reads the index, {}; {:.0} MB held ({:.0} MB a \
         million)",
        shown(opened),
        shown(loaded),
        store.vector_bytes() as f64 / 1e6,
        store.vector_bytes() as f64 / count as f64,
    ));
    Ok(())
}

fn by_server(report: &mut Report, cloud: &Cloud, questions: &Cloud) -> Result<()> {
    let count = cloud.len();
    let all = Part::memories(1, 0..count);
    let database = Server::with_vectors().empty_database();
    let (generation, filled) =
        time(Whose::Process, || filled_server(&database, cloud, std::slice::from_ref(&all)));
    let generation = generation?;
    for (name, exact_up_to) in [("PostgreSQL, one by one", usize::MAX), ("PostgreSQL, graph", 1)] {
        let store = open_postgres(&database, exact_up_to)?;
        let asked = ask(&store, &generation, &all, cloud, questions)?;
        let mut cells = row(name, count, &asked.samples, asked.overlap);
        cells.push(Cell::Nothing);
        report.row(cells);
    }
    let store = open_postgres(&database, 1)?;
    let with = insert_cost(&store, &generation, 2)?;
    run_sql(&mut database.owner(), &format!("DROP INDEX vectors_graph_{}", generation.number))?;
    let without = insert_cost(&store, &generation, 3)?;
    report.note(format!(
        "PostgreSQL with {count} vectors: an insert takes {with:.2} ms with the graph and {without:.2} ms without ({AT_ONCE} in a \
         transaction); filled, and the graph built, in {:.0} s",
        filled.wall.as_secs_f64()
    ));
    Ok(())
}

/// Milliseconds on the wall for an insert, of another agent's vectors.
fn insert_cost(store: &Store, generation: &Generation, agent: u8) -> Result<f64> {
    let cloud = Cloud::new(INSERTED, u64::from(agent));
    let part = Part::memories(agent, 0..INSERTED);
    let (written, took) = time(Whose::Process, || {
        (0..INSERTED).step_by(AT_ONCE).try_for_each(|first| {
            store.write(&Caller::agent(None), &[part.agent], None, |writer| {
                (first..first + AT_ONCE).try_for_each(|place| {
                    let unit = cloud.unit(place);
                    vectors::insert(writer, part.agent, generation.number, part.kind, item(place), &unit)
                        .map(drop)
                })
            })
        })
    });
    written?;
    Ok(took.wall.as_secs_f64() * 1e3 / INSERTED as f64)
}

/// What questions came to.
struct Asked {
    samples: Samples,
    overlap: f64,
}

fn ask(
    store: &Store,
    generation: &Generation,
    part: &Part,
    cloud: &Cloud,
    questions: &Cloud,
) -> Result<Asked> {
    let (mut samples, mut overlap) = (Samples::default(), Overlap::default());
    for pass in 0..PASSES {
        for to in questions.units() {
            let (found, took) = time(Whose::Thread, || ids(store, generation, part, &to));
            let found = found?;
            if pass == 0 {
                overlap.add(&found, &cloud.nearest(part.places.clone(), &to, MOST));
                continue;
            }
            samples.push(took);
        }
    }
    Ok(Asked { samples, overlap: overlap.share() })
}

fn ids(store: &Store, generation: &Generation, part: &Part, to: &Unit) -> Result<Vec<Id>> {
    let near = store.read(&Caller::agent(None), &[part.agent], |reader| {
        vectors::nearest(reader, part.agent, generation, part.kind, to, MOST)
    })?;
    Ok(near.into_iter().map(|near| near.item).collect())
}

/// How many of the best were found.
#[derive(Default)]
struct Overlap {
    found: usize,
    best: usize,
}

impl Overlap {
    fn add(&mut self, found: &[Id], best: &[usize]) {
        self.found += best.iter().filter(|place| found.contains(&item(**place))).count();
        self.best += best.len();
    }

    fn share(&self) -> f64 {
        self.found as f64 / self.best.max(1) as f64
    }
}

fn filled_file(file: &Path, cloud: &Cloud, parts: &[Part]) -> Result<(Store, Generation)> {
    let store = open_sqlite(file)?;
    let made = generation(&store)?;
    drop(store);
    fill_sqlite(file, made.number, cloud, parts)?;
    Ok((open_sqlite(file)?, made))
}

fn filled_server(database: &Database, cloud: &Cloud, parts: &[Part]) -> Result<Generation> {
    let made = generation(&open_postgres(database, 1)?)?;
    fill_postgres(database, made.number, cloud, parts)?;
    Ok(made)
}

fn generation(store: &Store) -> Result<Generation> {
    Ok(store.system_write(|writer| vectors::ensure_generation(writer, MODEL, DIMENSIONS, BASELINE, now()))?)
}

fn open_sqlite(file: &Path) -> Result<Store> {
    Ok(Store::open_sqlite(file, StoreOptions::default(), now())?)
}

fn open_postgres(database: &Database, exact_up_to: usize) -> Result<Store> {
    let options = StoreOptions { exact_up_to, ..StoreOptions::default() };
    Ok(Store::open_postgres(&database.urls(), options, now())?)
}

fn now() -> Time {
    selfsame::clock::SystemClock::default().now()
}

fn row(name: &str, vectors: usize, samples: &Samples, overlap: f64) -> Vec<Cell> {
    vec![
        name.into(),
        vectors.into(),
        Cell::Number(samples.cpu_ms(0.5), 3),
        Cell::Number(samples.cpu_ms(0.95), 3),
        Cell::Number(samples.wall_ms(0.5), 3),
        Cell::Number(samples.wall_ms(0.95), 3),
        Cell::Number(overlap, 4),
    ]
}

fn shown(took: Took) -> String {
    format!("{:.1} ms CPU, {:.1} ms on the wall", took.cpu.as_secs_f64() * 1e3, took.wall.as_secs_f64() * 1e3)
}
