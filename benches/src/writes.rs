//! Durable writes: how many per second, how many fsyncs they share, and what each costs the CPU, beside bare inserts of
//! the same rows and the bare fsyncs of the same disk.

use crate::Size;
use crate::corpus::Corpus;
use crate::mind::{Shelf, remember_all};
use crate::report::{Cell, Report};
use crate::rivals::{BareFsync, BareInsert, analyse};
use crate::watch::{Took, Whose, time};
use anyhow::Result;
use selfsame::Mind;

/// Of the texts.
const SEED: u64 = 3;
/// As many as a busy batch has.
const PER_TRANSACTION: usize = 64;

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let (alone, together) = match size {
        Size::Quick => (200, 1_000),
        Size::Full => (2_000, 10_000),
    };
    let mut report = Report::new(&[
        "one memory each, durable",
        "writes",
        "per second",
        "commits",
        "writes/commit",
        "wall ms each",
        "CPU ms each",
        "CPU / bare alone",
        "CPU / bare batch",
        "rate / 1 writer",
    ]);
    let corpus = Corpus::new(together, SEED);
    let fsync = fsyncs(shelf, alone)?;
    let bare = bare(shelf, &corpus.texts[..alone], 1)?;
    let batch = bare_batch(shelf, &corpus.texts)?;
    let one = remembers(shelf, &corpus.texts[..alone], 1)?;
    let eight = remembers(shelf, &corpus.texts[..alone * 2], 8)?;
    let many = remembers(shelf, &corpus.texts, 64)?;
    let lines = [
        ("bare fsync of 4 KiB", &fsync),
        ("bare insert, 1 a transaction", &bare),
        ("bare insert, 64 a transaction", &batch),
        ("remember, 1 writer", &one),
        ("remember, 8 writers", &eight),
        ("remember, 64 writers", &many),
    ];
    for (name, written) in lines {
        report.row(line(name, written, &bare, &batch, &one));
    }
    report.note(
        "bare: the row and its postings, analysed beforehand; no statistics, seals, guards or queue"
            .to_owned(),
    );
    Ok(report)
}

/// What a number of writes took.
struct Written {
    writes: usize,
    commits: u64,
    took: Took,
}

impl Written {
    fn per_second(&self) -> f64 {
        self.writes as f64 / self.took.wall.as_secs_f64()
    }

    fn cpu_ms(&self) -> f64 {
        self.took.cpu.as_secs_f64() * 1e3 / self.writes as f64
    }
}

fn fsyncs(shelf: &Shelf, writes: usize) -> Result<Written> {
    let mut file = BareFsync::create(&shelf.scratch("fsync"))?;
    let (result, took) = time(Whose::Process, || (0..writes).try_for_each(|_| file.append()));
    result?;
    Ok(Written { writes, commits: writes as u64, took })
}

fn bare_batch(shelf: &Shelf, texts: &[String]) -> Result<Written> {
    bare(shelf, texts, PER_TRANSACTION)
}

fn bare(shelf: &Shelf, texts: &[String], per_transaction: usize) -> Result<Written> {
    let analysed = analyse(texts);
    let mut database = BareInsert::create(&shelf.scratch(&format!("bare-{per_transaction}.db")))?;
    let (result, took) = time(Whose::Process, || database.insert(&analysed, per_transaction));
    result?;
    Ok(Written { writes: texts.len(), commits: texts.len().div_ceil(per_transaction) as u64, took })
}

fn remembers(shelf: &Shelf, texts: &[String], threads: usize) -> Result<Written> {
    let mind = Mind::open(&shelf.scratch(&format!("writers-{threads}")))?;
    mind.ensure_agent(crate::mind::AGENT)?;
    let counters = mind.store().counters();
    let (commits, acknowledged) = (counters.commits(), counters.acknowledged());
    let (result, took) = time(Whose::Process, || remember_all(&mind, texts, threads));
    result?;
    Ok(Written {
        writes: usize::try_from(counters.acknowledged() - acknowledged)?,
        commits: counters.commits() - commits,
        took,
    })
}

fn line(name: &str, written: &Written, bare: &Written, batch: &Written, one: &Written) -> Vec<Cell> {
    vec![
        name.into(),
        written.writes.into(),
        Cell::Number(written.per_second(), 0),
        Cell::Number(written.commits as f64, 0),
        Cell::Number(written.writes as f64 / written.commits as f64, 1),
        Cell::Number(written.took.wall.as_secs_f64() * 1e3 / written.writes as f64, 3),
        Cell::Number(written.cpu_ms(), 3),
        Cell::Number(written.cpu_ms() / bare.cpu_ms(), 2),
        Cell::Number(written.cpu_ms() / batch.cpu_ms(), 2),
        Cell::Number(written.per_second() / one.per_second(), 1),
    ]
}
