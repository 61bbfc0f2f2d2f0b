//! Consolidation: all that was stored, read into beliefs from scratch, and then a little more. Beside it, bare SQLite
//! inserts the rows that came of it.

use crate::Size;
use crate::bare_rows::BareRows;
use crate::mind::{AGENT, Shelf, operator};
use crate::report::{Cell, Report};
use crate::watch::{Took, Whose, time};
use anyhow::Result;
use selfsame::event::Act;
use selfsame::id::MemoryId;
use selfsame::knowledge::Consolidated;
use selfsame::memory::{Draft, Memory};
use selfsame::time::Time;
use selfsame::trust::{Caller, Privacy, Provenance};
use selfsame::{Access, Mind};
use selfsame_core::id::Mint;
use selfsame_core::memory::sameness::Prints;
use selfsame_store::{events, memory};
use selfsame_testkit::seeded::Dice;
use std::collections::BTreeSet;
use std::time::Duration;

/// Of what is said.
const SEED: u64 = 11;
/// Memories in a transaction, when they are loaded.
const ROWS: usize = 500;
/// So many memories are stored in a day.
const A_DAY: usize = 1_000;
const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A belief changes now and then; else what is said was said before.
const CHANGES_PERCENT: usize = 5;

const ONSETS: [&str; 16] = ["B", "Br", "D", "F", "G", "H", "K", "L", "M", "N", "P", "R", "S", "T", "V", "Z"];
const VOWELS: [&str; 6] = ["a", "e", "i", "o", "u", "ai"];
const CODAS: [&str; 12] =
    ["ndo", "rek", "lis", "mas", "nia", "tov", "sel", "vin", "rax", "dor", "bel", "kin"];

/// What is said of somebody, with what can stand in it. The last is what no rule reads.
const FORMS: [(&str, [&str; 4]); 6] = [
    ("{} prefers {}", ["PostgreSQL", "SQLite", "DuckDB", "MySQL"]),
    ("{} lives in {}", ["Ghent", "Porto", "Turku", "Graz"]),
    ("{} works at {}", ["Acme", "Borealis", "Corvid", "Delmar"]),
    ("{}'s favourite drink is {}", ["tea", "coffee", "cocoa", "lemonade"]),
    ("{}'s birthday is {}", ["May 3", "June 9", "July 21", "March 30"]),
    ("{} talked for an hour about {}", ["the garden", "the old boat", "a film", "the weather"]),
];

/// The benchmark.
pub fn run(shelf: &mut Shelf, size: Size) -> Result<Report> {
    let (memories, subjects) = match size {
        Size::Quick => (2_000, 40),
        Size::Full => (100_000, 2_000),
    };
    let folder = shelf.scratch("believing");
    let mind = Mind::open(&folder)?;
    mind.ensure_agent(AGENT)?;
    let access = operator(&mind)?;
    let mut talk = Talk::new(subjects, mind.now());
    let mut report = Report::new(&[
        "pass",
        "memories",
        "claims",
        "beliefs formed",
        "CPU ms",
        "CPU ms each",
        "memories / CPU s",
        "CPU / bare",
    ]);
    talk.load(&mind, &access, memories)?;
    let (scratch, took) = pass(&access)?;
    let mut bare = BareRows::of(&folder.join("selfsame.db"), &shelf.scratch("bare-beliefs.db"))?;
    let (inserted, bare_took) = time(Whose::Process, || bare.insert());
    let rows = inserted?;
    report.row(line("bare inserts of its rows", memories, None, bare_took, None));
    report.row(line("from scratch", memories, Some(scratch), took, Some(bare_took)));
    for more in [0, 100, 1_000] {
        talk.load(&mind, &access, more)?;
        let (done, took) = pass(&access)?;
        report.row(line(&format!("after {more} more"), more, Some(done), took, None));
    }
    report.note(format!("{subjects} subjects; {rows} rows of claims, evidence, changes, beliefs and events"));
    report.note(
        "bare: the same rows and indexes, prepared; no reading, rules, seals, guards or words".to_owned(),
    );
    Ok(report)
}

fn pass(access: &Access) -> Result<(Consolidated, Took)> {
    let (done, took) = time(Whose::Process, || access.consolidate());
    Ok((done?, took))
}

fn line(
    what: &str,
    memories: usize,
    done: Option<Consolidated>,
    took: Took,
    bare: Option<Took>,
) -> Vec<Cell> {
    let counted = |count: Option<u64>| count.map_or(Cell::Nothing, |count| Cell::Number(count as f64, 0));
    let cpu = took.cpu.as_secs_f64();
    let each =
        |value: f64, decimals| if memories == 0 { Cell::Nothing } else { Cell::Number(value, decimals) };
    vec![
        what.into(),
        memories.into(),
        counted(done.map(|done| done.claims)),
        counted(done.map(|done| done.created + done.superseded)),
        Cell::Number(cpu * 1e3, 1),
        each(cpu * 1e3 / memories as f64, 3),
        each(memories as f64 / cpu, 0),
        bare.map_or(Cell::Nothing, |bare| Cell::Number(cpu / bare.cpu.as_secs_f64(), 2)),
    ]
}

/// What is said, one thing after the other.
struct Talk {
    dice: Dice,
    mint: Mint,
    names: Vec<String>,
    /// What was last said of each by each form.
    values: Vec<[usize; FORMS.len()]>,
    begin: Time,
    said: usize,
}

impl Talk {
    fn new(subjects: usize, now: Time) -> Talk {
        let mut dice = Dice::new(SEED);
        let mut names = BTreeSet::new();
        while names.len() < subjects {
            let name = [*dice.pick(&ONSETS), *dice.pick(&VOWELS), *dice.pick(&CODAS), *dice.pick(&CODAS)];
            names.insert(name.concat());
        }
        let values = names.iter().map(|_| std::array::from_fn(|_| dice.below(4))).collect();
        let names = names.into_iter().collect();
        Talk { dice, mint: Mint::new([9; 32]), names, values, begin: now.saturating_sub(365 * DAY), said: 0 }
    }

    fn next(&mut self) -> String {
        let (who, form) = (self.dice.below(self.names.len()), self.dice.below(FORMS.len()));
        let value = &mut self.values[who][form];
        if self.dice.percent(CHANGES_PERCENT) {
            *value = self.dice.below(4);
        }
        let (words, values) = FORMS[form];
        words.replacen("{}", &self.names[who], 1).replacen("{}", values[*value], 1)
    }

    /// Stores so many memories past the verb: what is measured is what comes after.
    fn load(&mut self, mind: &Mind, access: &Access, count: usize) -> Result<()> {
        let (agent, operator) = (access.agent().id, access.agent().operator);
        let mut left = count;
        while left > 0 {
            let mut rows = Vec::new();
            for _ in 0..left.min(ROWS) {
                let at = self.begin.saturating_add(DAY / A_DAY as u32 * self.said as u32);
                self.said += 1;
                let provenance = Provenance::stated(&Caller::principal(operator), None, Privacy::Shared);
                let id = MemoryId::of(self.mint.id(at));
                rows.push(Memory::from_draft(id, agent, Draft::new(self.next()), provenance, at));
            }
            left -= rows.len();
            mind.store().write(access.caller(), &[agent], None, |writer| {
                for row in &rows {
                    memory::insert(writer, row, &Prints::of(&row.content), row.serves(operator))?;
                    let act = Act { act: "remembered", subject_kind: "memory", subject: row.id.id() };
                    events::record(writer, agent, row.created_at, &[act])?;
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}
