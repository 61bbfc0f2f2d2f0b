//! The book of long runs, `docs/reliability.md`: each run of `simulate`, `crash` and `soak` adds a line, good or
//! bad.

use std::fs::OpenOptions;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{cache, command};

const BOOK: &str = "docs/reliability.md";

/// Runs tests that print their figures on lines with one of these words (without words: on every line of theirs), and writes the
/// figures down.
pub fn run(asked: &str, tests: &mut Command, figures: &[&str]) -> Result<()> {
    // Before the run: what is built is what stands there now.
    let commit = commit()?;
    let began = Instant::now();
    let (passed, lines) = hear(tests)?;
    let told = told(&lines, figures);
    if told.is_empty() {
        bail!("`{asked}` ended without figures");
    }
    let outcome = if passed { told.join("; ") } else { format!("FAILED: {}", told.join("; ")) };
    let date = command::output(Command::new("date").args(["-u", "+%Y-%m-%d %H:%M"]))?;
    write_down(&line(&[&date, &commit, &format!("`{asked}`"), &outcome, &minutes(began.elapsed())]))?;
    if !passed {
        bail!("`{asked}` failed; {BOOK} has the figures");
    }
    Ok(())
}

/// The lines with figures, of all that was printed.
fn told<'a>(lines: &'a [String], figures: &[&str]) -> Vec<&'a str> {
    // The dots are cargo's, one for each test that was done before.
    let lines = lines.iter().map(|line| line.trim_start_matches('.').trim());
    let is_cargos = |line: &str| {
        line.is_empty() || ["running ", "test ", "test result:"].iter().any(|word| line.starts_with(word))
    };
    let counts = |line: &&str| match figures {
        [] => !is_cargos(line),
        _ => figures.iter().any(|word| line.contains(word)),
    };
    lines.filter(counts).collect()
}

/// Runs a command to its end; shows what it prints and keeps it. Says whether it succeeded.
fn hear(command: &mut Command) -> Result<(bool, Vec<String>)> {
    let mut process = command.stdout(Stdio::piped()).spawn().context("cannot start cargo")?;
    let out = process.stdout.take().context("cargo has no standard output")?;
    let mut lines = Vec::new();
    for line in BufReader::new(out).lines() {
        let line = line.context("cannot read what cargo prints")?;
        println!("{line}");
        lines.push(line);
    }
    Ok((process.wait().context("cannot wait for cargo")?.success(), lines))
}

/// The commit that is checked out, with a plus when the work tree differs from it (the book itself aside).
fn commit() -> Result<String> {
    let git = |arguments: &[&str]| {
        command::output(Command::new("git").args(arguments).current_dir(cache::repository()))
    };
    let id = git(&["rev-parse", "--short", "HEAD"])?;
    let changed = git(&["status", "--porcelain", "--", ".", &format!(":!{BOOK}")])?;
    Ok(if changed.is_empty() { id } else { format!("{id}+") })
}

fn minutes(took: Duration) -> String {
    format!("{:.1} min", took.as_secs_f64() / 60.0)
}

fn line(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "/")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn write_down(line: &str) -> Result<()> {
    let path = cache::repository().join(BOOK);
    let mut book = OpenOptions::new()
        .append(true)
        .open(&path)
        .with_context(|| format!("cannot open {}", path.display()))?;
    book.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_a_row_of_the_table() {
        assert_eq!(line(&["a", "b|c"]), "| a | b/c |\n");
        assert_eq!(minutes(Duration::from_secs(90)), "1.5 min");
    }

    #[test]
    fn figures_are_what_the_tests_print_and_not_what_cargo_does() {
        let printed = [
            "",
            "running 2 tests",
            ".the daemon grew by 3 KiB",
            ".",
            "7 rounds",
            "test result: ok. 2 passed",
        ];
        let lines: Vec<String> = printed.iter().map(ToString::to_string).collect();
        assert_eq!(told(&lines, &[]), ["the daemon grew by 3 KiB", "7 rounds"]);
        assert_eq!(told(&lines, &[" rounds"]), ["7 rounds"]);
    }

    #[test]
    fn what_a_run_prints_is_kept_with_its_end() {
        let (passed, lines) = hear(Command::new("sh").args(["-c", "echo 3 seeds; exit 1"])).unwrap();
        assert_eq!((passed, lines), (false, vec!["3 seeds".to_owned()]));
    }
}
