//! Which files of a folder make a model: people have them as they were downloaded, in one of a few layouts.

use super::{ModelFiles, NamedFile, Pooling};
use serde_json::Value;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// So many tokens are read where a model does not say how many it can.
const USUAL_TOKENS: usize = 256;
/// Not more in any case: what a text costs grows with the square of its tokens.
const MOST_TOKENS: usize = 512;

/// The graphs that are chosen by name, the best first. Eight bits wide is a quarter of the memory and twice as fast, for
/// next to no loss; half-precision and four bits cannot be run.
const NETWORKS: [&str; 6] = [
    "model_quantized.onnx",
    "model_int8.onnx",
    "model_qint8*.onnx",
    "model_quint8*.onnx",
    "model_uint8.onnx",
    "model.onnx",
];

/// A folder that holds a model, as far as names tell.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelFolder {
    /// Its files.
    pub files: ModelFiles,
    /// Its licence, as the page that comes with it says.
    pub licence: Option<String>,
}

/// Why a folder holds no model that can be used, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum FolderProblem {
    /// It cannot be read.
    #[error("{path:?} cannot be read: {cause}")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Its weights are there, but no graph.
    #[error(
        "{0:?} has weights (model.safetensors or the like) but no ONNX model: look for the folder onnx/ of the same \
         model, or export it (`optimum-cli export onnx --model {0:?} out`)"
    )]
    OnlyWeights(PathBuf),
    /// There is no graph.
    #[error("{0:?} has no ONNX model: model.onnx or onnx/model.onnx must be there")]
    NoNetwork(PathBuf),
    /// There are several, and none is known to be the best.
    #[error("{folder:?} has several ONNX models ({}): give the path of the one that is meant", names.join(", "))]
    Several {
        /// Where.
        folder: PathBuf,
        /// Which.
        names: Vec<String>,
    },
    /// There is nothing that cuts texts.
    #[error("{0:?} has no tokenizer.json: it comes with the model, beside the weights")]
    NoTokenizer(PathBuf),
    /// Something beside the graph is not what it should be.
    #[error("{path:?} cannot be used: {problem}")]
    Companion {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
}

impl ModelFolder {
    /// Looks through a folder, or takes the graph that is named.
    pub fn find(path: &Path) -> Result<ModelFolder, FolderProblem> {
        let unreadable = |cause| FolderProblem::Unreadable { path: path.to_owned(), cause };
        let is_file = fs::metadata(path).map_err(unreadable)?.is_file();
        let network = if is_file { path.to_owned() } else { choose_network(path)? };
        let beside = network.parent().unwrap_or(path);
        let root = match beside.file_name() {
            Some(name) if name == "onnx" => beside.parent().unwrap_or(beside),
            _ => beside,
        };
        let tokenizer = [beside, root].map(|folder| folder.join("tokenizer.json"));
        let tokenizer = tokenizer.into_iter().find(|path| path.is_file());
        let tokenizer = tokenizer.ok_or_else(|| FolderProblem::NoTokenizer(root.to_owned()))?;
        check_modules(root)?;
        let (max_tokens, pooling) = (max_tokens(root, &tokenizer)?, pooling(root)?);
        let licence = licence(root);
        let weights = weights_beside(&network);
        let named = |path| NamedFile { path, sha256: None };
        let (network, weights, tokenizer) = (named(network), weights.map(named), named(tokenizer));
        Ok(ModelFolder { files: ModelFiles { network, weights, tokenizer, max_tokens, pooling }, licence })
    }
}

fn choose_network(folder: &Path) -> Result<PathBuf, FolderProblem> {
    for place in [folder.to_owned(), folder.join("onnx")] {
        let names = match names(&place) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            other => other.map_err(|cause| FolderProblem::Unreadable { path: place.clone(), cause })?,
        };
        let graphs: Vec<String> = names.into_iter().filter(|name| name.ends_with(".onnx")).collect();
        let known = NETWORKS.iter().find_map(|pattern| graphs.iter().find(|name| fits(name, pattern)));
        match (known, graphs.as_slice()) {
            (Some(name), _) => return Ok(place.join(name)),
            (None, []) => {}
            (None, [only]) => return Ok(place.join(only)),
            (None, _) => return Err(FolderProblem::Several { folder: place, names: graphs }),
        }
    }
    let weights = ["model.safetensors", "pytorch_model.bin"];
    match weights.iter().any(|name| folder.join(name).exists()) {
        true => Err(FolderProblem::OnlyWeights(folder.to_owned())),
        false => Err(FolderProblem::NoNetwork(folder.to_owned())),
    }
}

/// In order, so that the same folder gives the same choice everywhere.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}

fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => name.strip_prefix(start).is_some_and(|rest| rest.ends_with(end)),
        None => name == pattern,
    }
}

/// Large graphs keep their weights in a file of their own, which they name.
fn weights_beside(network: &Path) -> Option<PathBuf> {
    let name = network.file_name()?.to_str()?;
    ["_data", ".data"]
        .map(|end| network.with_file_name(format!("{name}{end}")))
        .into_iter()
        .find(|path| path.is_file())
}

/// What the model was used with counts, and never more than it has places for.
fn max_tokens(root: &Path, tokenizer: &Path) -> Result<usize, FolderProblem> {
    let said = |name: &str, pointer: &str| -> Result<Option<usize>, FolderProblem> {
        let number = json(&root.join(name))?.and_then(|json| json.pointer(pointer).and_then(Value::as_u64));
        Ok(number.and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0))
    };
    let places = said("config.json", "/max_position_embeddings")?;
    let mut used = said("sentence_bert_config.json", "/max_seq_length")?;
    // Some write a number beyond all bounds here when they mean none.
    used = used.or(said("tokenizer_config.json", "/model_max_length")?.filter(|number| *number < 1_000_000));
    if used.is_none() {
        let cut =
            json(tokenizer)?.and_then(|json| json.pointer("/truncation/max_length").and_then(Value::as_u64));
        used = cut.and_then(|number| usize::try_from(number).ok()).filter(|number| *number > 0);
    }
    let used = used.or(places).unwrap_or(USUAL_TOKENS);
    Ok(used.min(places.unwrap_or(MOST_TOKENS)).min(MOST_TOKENS))
}

fn pooling(root: &Path) -> Result<Pooling, FolderProblem> {
    let path = root.join("1_Pooling/config.json");
    let Some(json) = json(&path)? else { return Ok(Pooling::Mean) };
    let modes = json.as_object().into_iter().flatten();
    let on = modes.filter(|(name, value)| name.starts_with("pooling_mode_") && **value == Value::Bool(true));
    let on: Vec<&str> = on.map(|(name, _)| name.as_str()).collect();
    match on.as_slice() {
        [] | ["pooling_mode_mean_tokens"] => Ok(Pooling::Mean),
        ["pooling_mode_cls_token"] => Ok(Pooling::First),
        other => Err(FolderProblem::Companion {
            problem: format!("{} is not known here, only the mean or the first token", other.join(" with ")),
            path,
        }),
    }
}

/// A model may go on after its graph; then the vectors of the graph are not yet those of the model.
fn check_modules(root: &Path) -> Result<(), FolderProblem> {
    let path = root.join("modules.json");
    let modules = json(&path)?.unwrap_or_default();
    let kinds = modules.as_array().into_iter().flatten().filter_map(|module| module["type"].as_str());
    match kinds.map(|kind| kind.rsplit('.').next().unwrap_or(kind)).find(|kind| *kind == "Dense") {
        None => Ok(()),
        Some(_) => Err(FolderProblem::Companion {
            problem: "a Dense layer follows the graph, which is not run here; take another model".into(),
            path,
        }),
    }
}

/// None if there is no such file.
fn json(path: &Path) -> Result<Option<Value>, FolderProblem> {
    let bytes = match fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other.map_err(|cause| FolderProblem::Unreadable { path: path.to_owned(), cause })?,
    };
    let problem = |cause: serde_json::Error| FolderProblem::Companion {
        path: path.to_owned(),
        problem: format!("it is not JSON ({cause})"),
    };
    serde_json::from_slice(&bytes).map(Some).map_err(problem)
}

/// The page of a model begins with a block of settings, one of them its licence.
fn licence(root: &Path) -> Option<String> {
    let page = fs::read_to_string(root.join("README.md")).ok()?;
    let block = page.strip_prefix("---\n")?.split("\n---").next()?;
    let line = block.lines().find_map(|line| line.strip_prefix("license:"))?;
    let licence = line.trim().trim_matches(['"', '\'']);
    (!licence.is_empty() && licence.len() <= 64).then(|| licence.to_owned())
}
