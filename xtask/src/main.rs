//! The workshop: `cargo xtask test` installs what the tests need and runs everything; `cargo xtask pg` lends the test
//! servers to a developer; `cargo xtask bench` measures; `cargo xtask planted` tests the tests; `cargo xtask dist` makes what
//! is given away. It depends on next to nothing, so that it is compiled in seconds on a fresh machine.

mod bench;
mod cache;
mod command;
mod crash;
mod dist;
mod llm;
mod model;
mod planted;
mod postgres;
mod reliability;
mod scratch;
mod setup;
mod simulate;
mod soak;
mod stages;

use std::process::ExitCode;

use anyhow::{Result, bail};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match dispatch(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[String]) -> Result<()> {
    let (command, rest) = match arguments.split_first() {
        Some((command, rest)) => (command.as_str(), rest),
        None => ("help", [].as_slice()),
    };
    match (command, rest) {
        ("test", wanted) => stages::run(wanted),
        ("bench", wanted) => bench::run(wanted),
        ("planted", wanted) => planted::run(wanted),
        ("simulate", wanted) => simulate::run(wanted),
        ("crash", wanted) => crash::run(wanted),
        ("soak", wanted) => soak::run(wanted),
        ("model", wanted) => model::run(wanted),
        ("dist", wanted) => dist::run(wanted),
        ("pg", []) => postgres::lend(),
        ("help" | "--help" | "-h", _) => {
            println!("{}", help());
            Ok(())
        }
        ("pg", _) => bail!("`cargo xtask pg` takes no argument"),
        _ => bail!(
            "there is no command `{command}`; the commands are: test, bench, planted, simulate, crash, soak, model, dist, pg, help"
        ),
    }
}

fn help() -> String {
    let mut text =
        String::from("cargo xtask test [stage ...]   run the stages named, or all of them in this order:\n");
    for stage in stages::ALL {
        text.push_str(&format!("    {:<9} {}\n", stage.name, stage.purpose));
    }
    text.push_str(
        "cargo xtask bench [name ...]   measure, beside bare SQLite; all, or those named; --quick is short\n",
    );
    text.push_str("cargo xtask planted [bug ...]  plant known bugs in a copy: the tests must catch each\n");
    text.push_str("cargo xtask simulate [--seeds N]  years of background duties with bad luck, N worlds\n");
    text.push_str(
        "cargo xtask crash [--cycles N] [--engine sqlite|postgres] [--seed S]  kill the daemon, audit what it kept\n",
    );
    text.push_str(&format!("cargo xtask soak name ...      long forms of tests:\n{}\n", soak::list()));
    text.push_str(
        "cargo xtask model [folder]     make the model that the tests embed with, print its folder or fill this one\n",
    );
    text.push_str(
        "cargo xtask dist               one static executable in dist/, tried, with all that belongs to it\n",
    );
    text.push_str(
        "cargo xtask pg                 start the test servers, print how to reach them, stay until Ctrl-C\n",
    );
    text.push_str("cargo xtask help               this text");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(arguments: &[&str]) -> String {
        let arguments: Vec<String> = arguments.iter().map(ToString::to_string).collect();
        dispatch(&arguments).unwrap_err().to_string()
    }

    #[test]
    fn an_unknown_command_is_answered_with_the_known_ones() {
        assert_eq!(
            refusal(&["tset"]),
            "there is no command `tset`; the commands are: test, bench, planted, simulate, crash, soak, model, dist, pg, help"
        );
    }

    #[test]
    fn an_unknown_stage_is_answered_with_the_known_ones() {
        let said = refusal(&["test", "fmt", "lint"]);
        assert!(said.starts_with("there is no stage `lint`; the stages are: setup, fmt, clippy"), "{said}");
    }

    #[test]
    fn the_help_names_every_stage() {
        for stage in stages::ALL {
            assert!(help().contains(&format!("    {} ", stage.name)), "{}", stage.name);
        }
    }
}
