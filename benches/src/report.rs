//! One aligned table per benchmark, and the same as JSON for whoever compares runs.

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::PathBuf;

/// A table in the making.
pub struct Report {
    columns: Vec<&'static str>,
    rows: Vec<Vec<Cell>>,
    notes: Vec<String>,
    load_before: String,
}

/// What stands in a column.
pub enum Cell {
    /// Words.
    Text(String),
    /// A number, shown with so many decimals.
    Number(f64, usize),
    /// Does not apply.
    Nothing,
}

impl From<&str> for Cell {
    fn from(text: &str) -> Cell {
        Cell::Text(text.to_owned())
    }
}

impl From<usize> for Cell {
    fn from(number: usize) -> Cell {
        Cell::Number(number as f64, 0)
    }
}

impl Report {
    /// With these columns. The first is named, the others are counted.
    pub fn new(columns: &[&'static str]) -> Report {
        Report { columns: columns.to_vec(), rows: Vec::new(), notes: Vec::new(), load_before: load() }
    }

    /// Adds a line.
    pub fn row(&mut self, cells: Vec<Cell>) {
        self.rows.push(cells);
    }

    /// Adds a line of words below the table.
    pub fn note(&mut self, text: String) {
        self.notes.push(text);
    }

    /// Prints it and writes `bench/<name>.json` in the build folder.
    pub fn finish(mut self, name: &str) -> Result<()> {
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        self.note(format!("load average of {cores} cores: {} before, {} after", self.load_before, load()));
        println!("\n{name}\n{}", self.text());
        for note in &self.notes {
            println!("  {note}");
        }
        let path = output_folder()?.join(format!("{name}.json"));
        let text = serde_json::to_string_pretty(&self.json(name))?;
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    fn text(&self) -> String {
        let head: Vec<String> = self.columns.iter().map(ToString::to_string).collect();
        let mut lines = vec![head];
        lines.extend(self.rows.iter().map(|row| row.iter().map(show).collect()));
        let width = |column: usize| {
            let cells = lines.iter().filter_map(|line: &Vec<String>| line.get(column));
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        lines.iter().map(|line| align(line, &widths)).collect::<Vec<_>>().join("\n")
    }

    fn json(&self, name: &str) -> Value {
        let rows: Vec<Value> = self
            .rows
            .iter()
            .map(|row| {
                let cells = self.columns.iter().zip(row);
                let fields = cells.map(|(column, cell)| ((*column).to_owned(), plain(cell)));
                Value::Object(fields.collect::<Map<String, Value>>())
            })
            .collect();
        json!({ "benchmark": name, "rows": rows, "notes": self.notes })
    }
}

/// The folder for what benchmarks leave behind; on the disk that the build is on, which is a real one.
pub fn output_folder() -> Result<PathBuf> {
    let target = match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from("target"),
    };
    let folder = target.join("bench");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

fn align(line: &[String], widths: &[usize]) -> String {
    let cells = line.iter().zip(widths).enumerate();
    let padded: Vec<String> = cells
        .map(|(at, (cell, width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("{cell:>width$}"),
        })
        .collect();
    format!("  {}", padded.join("  "))
}

fn show(cell: &Cell) -> String {
    match cell {
        Cell::Text(text) => text.clone(),
        Cell::Number(number, decimals) => format!("{number:.decimals$}"),
        Cell::Nothing => "-".to_owned(),
    }
}

fn plain(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => json!(text),
        Cell::Number(number, _) => json!(number),
        Cell::Nothing => Value::Null,
    }
}

fn load() -> String {
    let text = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split(' ').take(1).collect()
}
