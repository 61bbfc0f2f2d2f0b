//! One remember in a mind that holds many already, beside a bare insert of the same row and postings into a file that
//! holds as many.

use crate::Size;
use crate::corpus::Corpus;
use crate::mind::{Shelf, operator};
use crate::report::{Cell, Report};
use crate::rivals::{BareInsert, analyse};
use crate::watch::{Took, Whose, time};
use anyhow::Result;
use selfsame::memory::Draft;
use selfsame::{DataFolder, Opening};

/// Of the texts that are added.
const SEED: u64 = 5;
/// As the bare file is filled.
const PER_TRANSACTION: usize = 1_000;

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let (sizes, added): (&[usize], usize) = match size {
        Size::Quick => (&[1_000], 100),
        Size::Full => (&[10_000, 100_000], 1_000),
    };
    let mut report =
        Report::new(&["memories", "what", "writes", "wall ms each", "CPU ms each", "CPU / bare insert"]);
    let texts = Corpus::new(added, SEED).texts;
    for memories in sizes {
        let bare = bare(shelf, *memories, &texts)?;
        let remembered = remembered(shelf, *memories, &texts)?;
        for (what, took) in [("bare insert", &bare), ("remember", &remembered)] {
            let each = |time: std::time::Duration| time.as_secs_f64() * 1e3 / added as f64;
            report.row(vec![
                (*memories).into(),
                what.into(),
                added.into(),
                Cell::Number(each(took.wall), 3),
                Cell::Number(each(took.cpu), 3),
                Cell::Number(each(took.cpu) / each(bare.cpu), 2),
            ]);
        }
    }
    report.note(
        "both durable, one a transaction; bare: the row and its postings, analysed beforehand, into as large a file"
            .to_owned(),
    );
    Ok(report)
}

fn bare(shelf: &mut Shelf, memories: usize, texts: &[String]) -> Result<Took> {
    let mut database = BareInsert::create(&shelf.scratch(&format!("bare-beside-{memories}.db")))?;
    let there = analyse(&shelf.loaded(memories)?.corpus.texts);
    database.insert(&there, PER_TRANSACTION)?;
    let added = analyse(texts);
    let (result, took) = time(Whose::Process, || database.insert(&added, 1));
    result?;
    Ok(took)
}

fn remembered(shelf: &mut Shelf, memories: usize, texts: &[String]) -> Result<Took> {
    let folder = DataFolder::existing(&shelf.loaded(memories)?.folder)?;
    let mind = Opening::default().open(&folder)?;
    let access = operator(&mind)?;
    let (result, took) = time(Whose::Process, || {
        texts.iter().try_for_each(|text| access.remember(Draft::new(text.as_str()), None).map(drop))
    });
    result?;
    Ok(took)
}
