//! Starting other programs, with errors that show the command line.

use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::cache;

/// A cargo command at the repository's root. `CARGO` is the cargo that started xtask: the same toolchain.
pub fn cargo(arguments: &[&str]) -> Result<Command> {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(program);
    command.args(arguments).current_dir(cache::repository());
    if env::var_os("CARGO_TARGET_DIR").is_some() {
        command.env("CARGO_TARGET_DIR", cache::target()?);
    }
    Ok(command)
}

/// Runs a command to its end; anything but success is an error that shows what was run.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command to its end and gives what it printed, trimmed.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command.output().with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("`{shown}` failed ({}): {}", output.status, said.trim());
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The path of a program, when the machine has it.
pub fn find(program: &str) -> Option<PathBuf> {
    let folders = env::var_os("PATH")?;
    env::split_paths(&folders).map(|folder| folder.join(program)).find(|path| path.is_file())
}

/// Whether we may install system packages, and must step down before starting PostgreSQL.
pub fn is_root() -> Result<bool> {
    Ok(fs::metadata("/proc/self").context("cannot read /proc/self")?.uid() == 0)
}

fn show(command: &Command) -> String {
    let words = std::iter::once(command.get_program()).chain(command.get_args());
    words.map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_shows_the_command_and_its_end() {
        let said = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err().to_string();
        assert_eq!(said, "`sh -c exit 3` failed (exit status: 3)");
    }

    #[test]
    fn a_missing_program_is_named() {
        let said = run(&mut Command::new("no-such-program-here")).unwrap_err().to_string();
        assert_eq!(said, "cannot start `no-such-program-here`");
        assert_eq!(find("no-such-program-here"), None);
    }
}
