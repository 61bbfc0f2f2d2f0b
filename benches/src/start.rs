//! From a closed folder to the first answer, beside bare SQLite that opens a file and asks FTS5 once. The file cache of
//! the machine is warm; the process's is not.

use crate::Size;
use crate::mind::{Shelf, operator};
use crate::report::{Cell, Report};
use crate::rivals::Fts5;
use crate::watch::{Samples, Took, Whose, time};
use anyhow::{Context, Result};
use selfsame::Mind;
use selfsame::memory::Draft;
use selfsame::recall::Question;
use std::fs;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::Path;

const RUNS: usize = 20;
/// Written after the last checkpoint, before the process dies.
const UNSAVED: usize = 100;
/// Of the questions.
const SEED: u64 = 4;

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let memories = match size {
        Size::Quick => 2_000,
        Size::Full => 100_000,
    };
    let mut report = Report::new(&[
        "open and answer once",
        "memories",
        "CPU p50 ms",
        "CPU p95 ms",
        "wall p50 ms",
        "wall p95 ms",
        "CPU p50 / FTS5",
    ]);
    let fts5 = shelf.scratch("start-fts5.db");
    let (image, killed) = (shelf.scratch("image"), shelf.scratch("killed"));
    let loaded = shelf.loaded(memories)?;
    let questions = loaded.corpus.questions(RUNS + 1, SEED);
    Fts5::fill(&fts5, &loaded.corpus.texts)?;
    let clean = repeat(&questions, |question| open_and_ask(&loaded.folder, question))?;
    leave_as_killed(&loaded.folder, &image, &loaded.corpus.texts)?;
    let unclean = repeat(&questions, |question| {
        copy_mind(&image, &killed)?;
        open_and_ask(&killed, question)
    })?;
    let bare = repeat(&questions, |question| {
        let (found, took) = time(Whose::Process, || Fts5::open(&fts5)?.search(question));
        found.map(|_| took)
    })?;
    for (name, samples) in [
        ("selfsame, after a clean stop", &clean),
        ("selfsame, after a kill", &unclean),
        ("bare SQLite and FTS5", &bare),
    ] {
        report.row(vec![
            name.into(),
            memories.into(),
            Cell::Number(samples.cpu_ms(0.5), 2),
            Cell::Number(samples.cpu_ms(0.95), 2),
            Cell::Number(samples.wall_ms(0.5), 2),
            Cell::Number(samples.wall_ms(0.95), 2),
            Cell::Number(samples.cpu_ms(0.5) / bare.cpu_ms(0.5), 2),
        ]);
    }
    report.note(format!(
        "{RUNS} runs after a warm-up, the file cache warm; a kill: the files as they lie while the mind is open, \
         {UNSAVED} writes still in the log alone"
    ));
    Ok(report)
}

fn repeat(questions: &[String], run: impl Fn(&str) -> Result<Took>) -> Result<Samples> {
    let mut samples = Samples::default();
    for (at, question) in questions.iter().enumerate() {
        let took = run(question)?;
        if at > 0 {
            samples.push(took);
        }
    }
    Ok(samples)
}

fn open_and_ask(folder: &Path, question: &str) -> Result<Took> {
    let (mind, took) = time(Whose::Process, || -> Result<Mind> {
        let mind = Mind::open(folder)?;
        operator(&mind)?.recall(&Question::new(question))?;
        Ok(mind)
    });
    // Closing is not part of starting.
    drop(mind?);
    Ok(took)
}

/// Copies the files of an open mind with unsaved writes: what a killed process leaves.
fn leave_as_killed(folder: &Path, to: &Path, texts: &[String]) -> Result<()> {
    let mind = Mind::open(folder)?;
    mind.store().compact()?;
    let access = operator(&mind)?;
    for text in texts.iter().take(UNSAVED) {
        access.remember(Draft::new(text.as_str()), None)?;
    }
    copy_mind(folder, to)
}

fn copy_mind(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::DirBuilder::new().mode(0o700).create(to)?;
    for name in ["selfsame.db", "selfsame.db-wal"] {
        fs::copy(from.join(name), to.join(name)).with_context(|| format!("cannot copy {name}"))?;
    }
    Ok(())
}
