//! The embedder that is at hand: a model out of a folder, run in this process, without a server and without a key.
//!
//! A text goes through `tokens` (its words as numbers), `network` (the graph that makes vectors of them) and
//! `pooling` (one vector of length one). Each text is run alone: the weights are eight bits wide and what goes between
//! the layers is scaled to what there is, so texts that were run together would bend each other's vectors. A vector must
//! follow from its text.

mod files;
mod idle;
mod network;
mod pooling;
mod tokens;

pub use files::{FolderProblem, ModelFolder};
pub use pooling::Pooling;

use crate::ports::{Embedder, PortError, Purpose};
use idle::Idle;
use network::Network;
use selfsame_core::seal::hex;
use sha2::{Digest as _, Sha256};
use std::fs;
use std::path::PathBuf;
use std::time::Duration;
use tokens::Tokens;

/// Where a model's files are, and how they are to be read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModelFiles {
    /// The graph, as a rule with its weights.
    pub network: NamedFile,
    /// The weights, where the graph keeps them in a file of their own.
    pub weights: Option<NamedFile>,
    /// How a text is cut into tokens.
    pub tokenizer: NamedFile,
    /// So many tokens of a text are read; the rest is not.
    pub max_tokens: usize,
    /// How the vectors of the tokens become one.
    pub pooling: Pooling,
}

/// A file, and what must be in it if that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedFile {
    /// Where it is.
    pub path: PathBuf,
    /// Its SHA-256.
    pub sha256: Option<String>,
}

/// Why a model gives no vector, and what to do.
#[derive(Debug, thiserror::Error)]
pub enum EmbedError {
    /// A file is not there, or may not be read.
    #[error("{path:?} cannot be read ({cause}): install the model anew with `selfsame model install`")]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: std::io::Error,
    },
    /// A file is not the one that was installed.
    #[error(
        "{0:?} is not as it was installed: if the model was replaced, restart selfsame; else install it anew with \
         `selfsame model install`"
    )]
    Changed(PathBuf),
    /// The tokenizer is not one.
    #[error(
        "{path:?} is no tokenizer that can be read ({cause}): it must be a tokenizer.json of the Hugging Face kind"
    )]
    Tokenizer {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// The graph is not one.
    #[error("{path:?} is no ONNX model that can be run ({cause}): export it anew, or take another model")]
    Network {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// The graph wants something that no text has.
    #[error(
        "the model wants the input {0:?}: only input_ids, attention_mask and token_type_ids can be given; export it \
         as a sentence encoder"
    )]
    Input(String),
    /// The graph gives something that is not a vector for each text or token.
    #[error("the model gives no vectors: its output is {0}; export it as a sentence encoder")]
    Output(String),
    /// The graph stopped.
    #[error("the model could not be run: {0}")]
    Run(String),
    /// The text could not be cut into tokens.
    #[error("the text could not be cut into tokens: {0}")]
    Text(String),
    /// The vector points nowhere.
    #[error(
        "the model gives a vector that is zero or not finite: it is damaged, install it anew or take another"
    )]
    Nowhere,
}

/// A model that is loaded when it is first asked, and goes when it was not asked for long: a daemon that only listens
/// needs no memory for it.
pub struct LocalEmbedder {
    model: String,
    dimensions: usize,
    question_prefix: String,
    text_prefix: String,
    loaded: Idle<Loaded>,
}

impl LocalEmbedder {
    /// Over files that are as they were when `model` was named; nothing is read yet.
    pub fn new(model: &str, dimensions: usize, files: ModelFiles, unload_after: Duration) -> LocalEmbedder {
        LocalEmbedder {
            model: model.to_owned(),
            dimensions,
            question_prefix: String::new(),
            text_prefix: String::new(),
            loaded: Idle::new(unload_after, move || Loaded::load(&files)),
        }
    }

    /// With words before a question and before a text, for models that were trained so. Vectors of texts with other words
    /// before them are those of another model, and its name says so.
    pub fn prefixes(mut self, question: &str, text: &str) -> LocalEmbedder {
        if !text.is_empty() {
            self.model = format!("{} {text:?}", self.model);
        }
        self.question_prefix = question.to_owned();
        self.text_prefix = text.to_owned();
        self
    }

    /// Whether it is in memory now.
    pub fn is_loaded(&self) -> bool {
        self.loaded.is_there()
    }

    fn vectors(&self, texts: &[&str], prefix: &str) -> Result<Vec<Vec<f32>>, EmbedError> {
        let loaded = self.loaded.get()?;
        texts.iter().map(|text| loaded.vector(&format!("{prefix}{text}"))).collect()
    }
}

impl Embedder for LocalEmbedder {
    fn model(&self) -> &str {
        &self.model
    }

    fn dimensions(&self) -> Option<usize> {
        Some(self.dimensions)
    }

    fn is_at_hand(&self) -> bool {
        true
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError> {
        let prefix = match purpose {
            Purpose::Question => &self.question_prefix,
            Purpose::Text => &self.text_prefix,
        };
        // The same files give the same answer: nothing of it passes by itself.
        self.vectors(texts, prefix).map_err(|error| PortError::Lasting(format!("{}: {error}", self.model)))
    }
}

/// A model in memory.
pub(crate) struct Loaded {
    tokens: Tokens,
    network: Network,
    pooling: Pooling,
}

impl Loaded {
    pub(crate) fn load(files: &ModelFiles) -> Result<Loaded, EmbedError> {
        Ok(Loaded {
            tokens: Tokens::load(&files.tokenizer, files.max_tokens)?,
            network: Network::load(&files.network, files.weights.as_ref())?,
            pooling: files.pooling,
        })
    }

    /// The vector of one text.
    pub(crate) fn vector(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.tokens.of(text)?;
        let vector = self.network.run(&tokens)?.pooled(self.pooling);
        pooling::normalised(vector).ok_or(EmbedError::Nowhere)
    }
}

/// What is in a file. It is compared each time: a model that was replaced while we run must not lend its vectors to the
/// name of the old one.
fn read(file: &NamedFile) -> Result<Vec<u8>, EmbedError> {
    let NamedFile { path, sha256 } = file;
    let bytes = fs::read(path).map_err(|cause| EmbedError::Unreadable { path: path.clone(), cause })?;
    match sha256 {
        Some(known) if *known != hex(&Sha256::digest(&bytes)) => Err(EmbedError::Changed(path.clone())),
        _ => Ok(bytes),
    }
}
