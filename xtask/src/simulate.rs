//! The `simulate` command: the scheduler's years of bad luck, as many worlds as asked for, built with optimisation.

use anyhow::{Context, Result, bail};

use crate::{command, reliability};

/// Worlds, unless told otherwise.
const USUAL: u64 = 100;

/// Runs the simulation of the engine's tests for `--seeds N`. It prints seeds, days, decisions and
/// failures, and writes them down.
pub fn run(arguments: &[String]) -> Result<()> {
    let seeds = seeds(arguments)?;
    let mut cargo = command::cargo(&[
        "test",
        "--release",
        "--quiet",
        "--locked",
        "--package",
        "selfsame",
        "--test",
        "it",
        "simulation::",
        "--",
        "--nocapture",
    ])?;
    let asked = format!("cargo xtask simulate --seeds {seeds}");
    reliability::run(&asked, cargo.env("SELFSAME_TEST_SEEDS", seeds.to_string()), &[" seeds, "])
}

fn seeds(arguments: &[String]) -> Result<u64> {
    match arguments {
        [] => Ok(USUAL),
        [option, number] if option == "--seeds" => {
            number.parse().with_context(|| format!("--seeds {number:?} is no number"))
        }
        _ => bail!("`cargo xtask simulate` takes --seeds N and nothing else"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_seeds_is_read_or_refused() {
        let read = |words: &[&str]| seeds(&words.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(read(&[]).unwrap(), USUAL);
        assert_eq!(read(&["--seeds", "7"]).unwrap(), 7);
        assert!(read(&["--seeds", "many"]).is_err());
        assert!(read(&["--sedes", "7"]).is_err());
    }
}
