//! The `crash` command: the daemon is killed as often as asked for, and what it acknowledged is audited.

use std::fmt;

use anyhow::{Context, Result, bail};

use crate::postgres::Servers;
use crate::{command, reliability};

/// Kills, unless told otherwise.
const USUAL: u64 = 100;

/// What was asked for.
#[derive(PartialEq, Eq, Debug)]
struct Wanted {
    cycles: u64,
    /// Both, when none is named.
    engine: Option<String>,
    seed: u64,
}

/// Runs the crash audit of the executable's tests. It prints kills, audited writes, and how many were lost
/// or doubled, and writes them down.
pub fn run(arguments: &[String]) -> Result<()> {
    let wanted = wanted(arguments)?;
    let mut cargo =
        command::cargo(&["test", "--quiet", "--locked", "--package", "selfsame-cli", "--test", "it"])?;
    // One engine after the other: both at once would only make each slower.
    cargo.args([&wanted.filter(), "--", "--nocapture", "--test-threads=1"]);
    cargo.env("SELFSAME_TEST_CRASH_CYCLES", wanted.cycles.to_string());
    cargo.env("SELFSAME_TEST_CRASH_SEED", wanted.seed.to_string());
    let figures = [" kills, "];
    if wanted.engine.as_deref() == Some("sqlite") {
        return reliability::run(&wanted.to_string(), &mut cargo, &figures);
    }
    let servers = Servers::start()?;
    reliability::run(&wanted.to_string(), cargo.envs(servers.environment()?), &figures)
}

/// As it would be asked for again.
impl fmt::Display for Wanted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cargo xtask crash --cycles {} --seed {}", self.cycles, self.seed)?;
        self.engine.as_ref().map_or(Ok(()), |engine| write!(f, " --engine {engine}"))
    }
}

impl Wanted {
    fn filter(&self) -> String {
        format!("crash::{}", self.engine.as_ref().map_or_else(String::new, |engine| format!("{engine}_")))
    }
}

fn wanted(arguments: &[String]) -> Result<Wanted> {
    let mut wanted = Wanted { cycles: USUAL, engine: None, seed: 1 };
    for pair in arguments.chunks(2) {
        let [option, value] = pair else {
            bail!("{} has no value", pair.join(" "));
        };
        let number = || value.parse().with_context(|| format!("{value:?} is no number"));
        match option.as_str() {
            "--cycles" => wanted.cycles = number()?,
            "--seed" => wanted.seed = number()?,
            "--engine" if ["sqlite", "postgres"].contains(&value.as_str()) => {
                wanted.engine = Some(value.clone());
            }
            "--engine" => bail!("there is no engine {value:?}; they are: sqlite, postgres"),
            _ => bail!("`cargo xtask crash` takes --cycles N, --engine sqlite|postgres and --seed S"),
        }
    }
    Ok(wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[&str]) -> Result<Wanted> {
        wanted(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn options_come_in_any_order() {
        let wanted = read(&["--seed", "9", "--engine", "sqlite", "--cycles", "3"]).unwrap();
        assert_eq!((wanted.cycles, wanted.seed), (3, 9));
        assert_eq!(wanted.filter(), "crash::sqlite_");
        assert_eq!(wanted.to_string(), "cargo xtask crash --cycles 3 --seed 9 --engine sqlite");
        assert_eq!(read(&[]).unwrap().filter(), "crash::");
    }

    #[test]
    fn what_is_no_option_is_refused() {
        for words in [&["--cycles"][..], &["--cycles", "x"], &["--engine", "mysql"], &["--x", "1"]] {
            assert!(read(words).is_err(), "{words:?}");
        }
    }
}
