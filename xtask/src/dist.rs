//! The `dist` command: what is given away, in `dist/`. One executable that needs nothing of the machine it comes to, tried in
//! an empty home with nothing else in its environment, and beside it the man page, the completions and the sums.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};

use crate::scratch::Scratch;
use crate::{cache, command, setup};

/// What the executable should stay below. A larger one is told of and not refused.
const GOAL: u64 = 40_000_000;
/// What the shells want to be told, under the names that they look for.
const COMPLETIONS: [(&str, &str); 3] =
    [("bash", "selfsame.bash"), ("zsh", "_selfsame"), ("fish", "selfsame.fish")];
const MAN_PAGE: &str = "selfsame.1";
/// How it is built: see `Cargo.toml`.
const PROFILE: &str = "dist";

/// Builds, tries and lays out.
pub fn run(arguments: &[String]) -> Result<()> {
    ensure!(arguments.is_empty(), "`cargo xtask dist` takes no argument");
    let built = build()?;
    let bytes = fs::read(&built).with_context(|| format!("cannot read {}", built.display()))?;
    if let Some(loader) = loader_of(&bytes)? {
        bail!("{} is not static: it asks for {loader}", built.display());
    }
    let folder = cache::repository().join("dist");
    setup::remove(&folder)?;
    // Where the image keeps its volume: a folder of its user's alone, which an image from nothing cannot make for itself.
    let data = folder.join("data");
    fs::create_dir_all(&data).with_context(|| format!("cannot make {}", data.display()))?;
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700))?;
    let executable = folder.join("selfsame");
    fs::copy(&built, &executable).with_context(|| format!("cannot fill {}", folder.display()))?;
    let version = try_out(&executable)?;
    describe(&executable, &folder)?;
    println!("{}: {version}, static, {}", executable.display(), beside_goal(bytes.len() as u64));
    Ok(())
}

/// The executable with everything in it. The C library goes in by a flag and not by another target: its toolchain is the one
/// that is there anyway. With `--target` the flags spare build scripts and macros, which cannot be static. What it has to be
/// told about its own address when it starts is packed: unpacked it is 1.7 MB.
fn build() -> Result<PathBuf> {
    const FLAGS: &str = "-C target-feature=+crt-static -C link-arg=-Wl,-z,pack-relative-relocs";
    let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let arguments =
        ["build", "--profile", PROFILE, "--locked", "--package", "selfsame-cli", "--target", &target];
    let mut cargo = command::cargo(&arguments)?;
    let asked = std::env::var("RUSTFLAGS").unwrap_or_default();
    cargo.env("RUSTFLAGS", format!("{asked} {FLAGS}").trim());
    command::run(&mut cargo)?;
    Ok(cache::target()?.join(target).join(PROFILE).join("selfsame"))
}

/// Does with it what a stranger does first, where there is nothing else; gives its version.
fn try_out(executable: &Path) -> Result<String> {
    let home = Scratch::new()?;
    let ask = |arguments: &[&str]| command::output(alone(executable, home.path()).args(arguments));
    let version = ask(&["--version"])?;
    ask(&["init"])?;
    ask(&["remember", "The red bicycle is in the cellar"])?;
    let found = ask(&["recall", "Where is the bicycle?"])?;
    ensure!(found.contains("in the cellar"), "recall does not find what was just remembered:\n{found}");
    ask(&["doctor"])?;
    Ok(version)
}

/// The executable in a folder that is all it knows of the machine: it asks for a home, and for nothing else.
fn alone(executable: &Path, home: &Path) -> Command {
    let mut selfsame = Command::new(executable);
    selfsame.env_clear().env("HOME", home).current_dir(home);
    selfsame
}

/// Writes what belongs to it beside it.
fn describe(executable: &Path, folder: &Path) -> Result<()> {
    let home = Scratch::new()?;
    let write = |name: &str, arguments: &[&str]| {
        let text = command::output(alone(executable, home.path()).args(arguments))?;
        ensure!(!text.is_empty(), "`selfsame {}` says nothing", arguments.join(" "));
        fs::write(folder.join(name), text + "\n").with_context(|| format!("cannot write {name}"))
    };
    write(MAN_PAGE, &["man"])?;
    for (shell, name) in COMPLETIONS {
        write(name, &["completions", shell])?;
    }
    let mut sums = Command::new("sha256sum");
    sums.current_dir(folder).args(["selfsame", MAN_PAGE]).args(COMPLETIONS.map(|(_, name)| name));
    let sums = command::output(&mut sums)?;
    fs::write(folder.join("SHA256SUMS"), sums + "\n").context("cannot write SHA256SUMS")
}

fn beside_goal(bytes: u64) -> String {
    let megabytes = |bytes: u64| bytes as f64 / 1e6;
    let judged = if bytes <= GOAL { "within" } else { "ABOVE" };
    format!("{:.1} MB, {judged} the goal of {:.0} MB", megabytes(bytes), megabytes(GOAL))
}

/// The program that must be on the machine to start this one (its `PT_INTERP`); none if it starts by itself.
fn loader_of(elf: &[u8]) -> Result<Option<String>> {
    const INTERPRETER: u64 = 3;
    ensure!(elf.starts_with(b"\x7fELF\x02\x01"), "not an executable of 64 bits, lowest byte first");
    let table = number(elf, 0x20, 8)?;
    let (size, count) = (number(elf, 0x36, 2)?, number(elf, 0x38, 2)?);
    ensure!(count > 0, "an executable without program headers");
    for entry in 0..count {
        let header = table.saturating_add(entry * size);
        if number(elf, header, 4)? == INTERPRETER {
            let (at, length) =
                (number(elf, header.saturating_add(8), 8)?, number(elf, header.saturating_add(32), 8)?);
            let name = part(elf, at, length)?;
            return Ok(Some(String::from_utf8_lossy(name).trim_end_matches('\0').to_owned()));
        }
    }
    Ok(None)
}

fn number(bytes: &[u8], at: u64, length: u64) -> Result<u64> {
    Ok(part(bytes, at, length)?.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

fn part(bytes: &[u8], at: u64, length: u64) -> Result<&[u8]> {
    let end = usize::try_from(at.saturating_add(length))?;
    bytes.get(usize::try_from(at)?..end).with_context(|| format!("the executable ends before byte {end}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A head, program headers of these types, and a name that all of them point at.
    fn elf(types: &[u8]) -> Vec<u8> {
        const NAME: &[u8] = b"/lib/ld.so\0";
        let mut bytes = vec![0; 64 + 56 * types.len()];
        bytes[..6].copy_from_slice(b"\x7fELF\x02\x01");
        bytes[0x20] = 64;
        bytes[0x36] = 56;
        bytes[0x38] = types.len() as u8;
        let name_at = bytes.len() as u16;
        for (at, kind) in types.iter().enumerate() {
            let header = 64 + 56 * at;
            bytes[header] = *kind;
            bytes[header + 8..header + 10].copy_from_slice(&name_at.to_le_bytes());
            bytes[header + 32] = NAME.len() as u8;
        }
        bytes.extend(NAME);
        bytes
    }

    #[test]
    fn who_needs_a_loader_is_found_out() {
        assert_eq!(loader_of(&elf(&[6, 1, 3, 1])).unwrap().as_deref(), Some("/lib/ld.so"));
        // Loadable parts, dynamic (a static one may be at any address), stack: none of them asks for anybody.
        assert_eq!(loader_of(&elf(&[1, 2, 1, 6])).unwrap(), None);
    }

    #[test]
    fn what_is_no_executable_is_not_called_static() {
        let whole = elf(&[1, 1]);
        for bad in [&whole[..40], &whole[..100], b"#!/bin/sh", &elf(&[])[..], b""] {
            assert!(loader_of(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    fn the_tests_themselves_need_one() {
        let own = fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(loader_of(&own).unwrap().is_some_and(|loader| loader.contains("ld")), "built like any other");
    }

    #[test]
    fn the_size_is_held_against_the_goal() {
        assert_eq!(beside_goal(39_960_000), "40.0 MB, within the goal of 40 MB");
        assert_eq!(beside_goal(41_200_000), "41.2 MB, ABOVE the goal of 40 MB");
    }
}
