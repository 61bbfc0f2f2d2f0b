//! Recall and context: what they cost beside a bare FTS5 query over the same texts and beside the bare reading of the
//! postings that a recall looks at, and how far answers agree with those of a recall that looks at all postings.

use crate::Size;
use crate::mind::{LOADERS, Loaded, Shelf, operator, remember_all};
use crate::report::{Cell, Report};
use crate::rivals::{Fts5, PostingScan};
use crate::watch::{Samples, Whose, time};
use anyhow::{Context, Result};
use selfsame::config::Settings;
use selfsame::context::Occasion;
use selfsame::id::Id;
use selfsame::recall::Question;
use selfsame::{Access, DataFolder, Mind, Opening, Store, StoreOptions};
use selfsame_core::time::Clock as _;
use selfsame_testkit::{Database, Server};
use std::path::Path;

const QUESTIONS: usize = 200;
/// Of those, how many are compared with what no budget leaves out.
const COMPARED: usize = 50;
/// Times that every question is asked; the first is to warm up.
const PASSES: usize = 4;
const LIMIT: usize = 10;
/// Of the questions; another than that of the texts.
const SEED: u64 = 2;
/// Loading threads on PostgreSQL, which has a connection for each.
const POSTGRES_LOADERS: usize = 8;
/// Above this PostgreSQL is left out: it has no group commit, and loading would take longer than everything else.
const POSTGRES_MEMORIES: usize = 10_000;

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let sizes: &[usize] = match size {
        Size::Quick => &[2_000],
        Size::Full => &[10_000, 100_000],
    };
    of_sizes(shelf, sizes, Shelf::loaded)
}

/// The same with a million memories.
pub fn run_million(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let sizes: &[usize] = match size {
        Size::Quick => &[5_000],
        Size::Full => &[1_000_000],
    };
    of_sizes(shelf, sizes, Shelf::bulk_loaded)
}

fn of_sizes(
    shelf: &mut Shelf,
    sizes: &[usize],
    load: fn(&mut Shelf, usize) -> Result<&Loaded>,
) -> Result<Report> {
    let mut report = Report::new(&[
        "by words, 3 to 6, best 10",
        "memories",
        "CPU p50 ms",
        "CPU p95 ms",
        "wall p50 ms",
        "wall p95 ms",
        "CPU p95 / FTS5",
        "CPU p95 / scan",
        "agreement",
    ]);
    for memories in sizes {
        let fts5 = shelf.scratch(&format!("fts5-{memories}.db"));
        let loaded = load(shelf, *memories)?;
        one_size(&mut report, loaded, &fts5)?;
    }
    report.note(format!(
        "{QUESTIONS} questions, {} times each after a warm-up; agreement: share of the best {LIMIT} of a recall without a \
         posting budget among ours, {COMPARED} questions",
        PASSES - 1
    ));
    report.note("scan: bare SQLite reads the postings that recall reads, and scores nothing".to_owned());
    Ok(report)
}

fn one_size(report: &mut Report, loaded: &Loaded, fts5: &Path) -> Result<()> {
    let memories = loaded.corpus.texts.len();
    let questions = loaded.corpus.questions(QUESTIONS, SEED);
    Fts5::fill(fts5, &loaded.corpus.texts)?;
    let fts5 = Fts5::open(fts5)?;
    let mind = Mind::open(&loaded.folder)?;
    let access = operator(&mind)?;
    let budget = mind.settings().recall.posting_budget as u64;
    let scan = PostingScan::open(&loaded.folder.join("selfsame.db"), access.agent().id.id(), budget)?;
    let measured = measure(&questions, &access, &fts5, &scan)?;
    let ours = answers(&access, &questions)?;
    drop(access);
    drop(mind);
    let agreement = share(&ours, &unlimited(&loaded.folder, &questions)?);
    let rows = [
        ("recall, SQLite", &measured.ours, Some(agreement)),
        ("context, SQLite", &measured.context, None),
        ("bare posting scan", &measured.scan, None),
        ("bare FTS5 (porter)", &measured.fts5, None),
    ];
    for (name, samples, agreement) in rows {
        report.row(line(name, memories, samples, &measured, agreement));
    }
    let took = loaded.took;
    report.note(format!(
        "{memories} memories: loaded by {LOADERS} writers in {:.1} s ({:.0}/s, {:.3} ms CPU each); a recall read {:.0} of the \
         {:.0} postings its words have, on average",
        took.wall.as_secs_f64(),
        memories as f64 / took.wall.as_secs_f64(),
        took.cpu.as_secs_f64() * 1e3 / memories as f64,
        measured.read as f64 / QUESTIONS as f64,
        measured.all as f64 / QUESTIONS as f64,
    ));
    if std::env::var_os("SELFSAME_TEST_PG").is_some() && memories <= POSTGRES_MEMORIES {
        postgres(report, loaded, &questions, &measured)?;
    }
    Ok(())
}

/// What one size came to.
struct Measured {
    ours: Samples,
    context: Samples,
    fts5: Samples,
    scan: Samples,
    /// Postings read, over all questions.
    read: u64,
    /// Postings that their words have.
    all: u64,
}

/// Asks each question of each in turn, so that what else the machine does hits all alike.
fn measure(questions: &[String], access: &Access<'_>, fts5: &Fts5, scan: &PostingScan) -> Result<Measured> {
    let mut measured = Measured {
        ours: Samples::default(),
        context: Samples::default(),
        fts5: Samples::default(),
        scan: Samples::default(),
        read: 0,
        all: 0,
    };
    for pass in 0..PASSES {
        for question in questions {
            let asked = ask(question);
            let (recalled, ours) = time(Whose::Thread, || access.recall(&asked));
            let recalled = recalled?;
            let occasion = Occasion { query: Some(question.clone()), ..Occasion::default() };
            let (context, assembled) = time(Whose::Thread, || access.context(&occasion));
            context?;
            let (words, all) = scan.plan(&recalled.words)?;
            let (read, scanned) = time(Whose::Thread, || scan.read(&words));
            let (found, searched) = time(Whose::Thread, || fts5.search(question));
            found?;
            if pass == 0 {
                measured.read += read?;
                measured.all += all;
                continue;
            }
            measured.ours.push(ours);
            measured.context.push(assembled);
            measured.scan.push(scanned);
            measured.fts5.push(searched);
        }
    }
    Ok(measured)
}

fn ask(question: &str) -> Question {
    Question { limit: Some(LIMIT), anyway: true, ..Question::new(question) }
}

/// The best for some of the questions.
fn answers(access: &Access<'_>, questions: &[String]) -> Result<Vec<Vec<Id>>> {
    let best = |question: &String| {
        let recalled = access.recall(&ask(question))?;
        Ok(recalled.hits.iter().map(|hit| hit.found.id()).collect())
    };
    questions.iter().take(COMPARED).map(best).collect()
}

/// The same, whatever it costs.
fn unlimited(folder: &Path, questions: &[String]) -> Result<Vec<Vec<Id>>> {
    let mut settings = Settings::default();
    settings.recall.posting_budget = usize::MAX >> 1;
    let mind = Opening::new(settings).open(&DataFolder::create(folder)?)?;
    answers(&operator(&mind)?, questions)
}

/// The mean share of the second that is in the first.
fn share(ours: &[Vec<Id>], best: &[Vec<Id>]) -> f64 {
    let shares =
        ours.iter().zip(best).filter(|(_, best)| !best.is_empty()).map(|(ours, best)| {
            best.iter().filter(|id| ours.contains(id)).count() as f64 / best.len() as f64
        });
    let shares: Vec<f64> = shares.collect();
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

/// The same on PostgreSQL, in a database of its own. Of the CPU only our side is seen: the server is another process.
fn postgres(report: &mut Report, loaded: &Loaded, questions: &[String], beside: &Measured) -> Result<()> {
    let database: Database = Server::with_vectors().empty_database();
    let now = selfsame::clock::SystemClock::default().now();
    let store = Store::open_postgres(&database.urls(), StoreOptions::default(), now)?;
    let mind = Opening::default().over(store, None)?;
    let (ids, took) = time(Whose::Process, || remember_all(&mind, &loaded.corpus.texts, POSTGRES_LOADERS));
    ids.context("loading PostgreSQL")?;
    let access = operator(&mind)?;
    let mut samples = Samples::default();
    for pass in 0..PASSES {
        for question in questions {
            let (recalled, took) = time(Whose::Thread, || access.recall(&ask(question)));
            recalled?;
            if pass > 0 {
                samples.push(took);
            }
        }
    }
    let memories = loaded.corpus.texts.len();
    report.row(line("recall, PostgreSQL", memories, &samples, beside, None));
    report.note(format!(
        "PostgreSQL: CPU of the client alone; loaded by {POSTGRES_LOADERS} writers at {:.0}/s",
        memories as f64 / took.wall.as_secs_f64()
    ));
    Ok(())
}

fn line(name: &str, memories: usize, samples: &Samples, all: &Measured, agreement: Option<f64>) -> Vec<Cell> {
    let p95 = samples.cpu_ms(0.95);
    vec![
        name.into(),
        memories.into(),
        Cell::Number(samples.cpu_ms(0.5), 3),
        Cell::Number(p95, 3),
        Cell::Number(samples.wall_ms(0.5), 3),
        Cell::Number(samples.wall_ms(0.95), 3),
        Cell::Number(p95 / all.fts5.cpu_ms(0.95), 3),
        Cell::Number(p95 / all.scan.cpu_ms(0.95), 2),
        agreement.map_or(Cell::Nothing, |share| Cell::Number(share, 3)),
    ]
}
