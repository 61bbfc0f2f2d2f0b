//! What is known of an installed model, written beside its files.

use super::ModelError;
use crate::config::EmbedderSettings;
use crate::embed::{LocalEmbedder, ModelFiles, NamedFile, Pooling};
use selfsame_core::seal::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

const HEAD: &str =
    "# Written by `selfsame model install`. A file that is not as it stands here is not used.\n";
/// So much of a digest tells models apart.
const SHORT_DIGEST: usize = 12;

/// A model that is installed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InstalledModel {
    /// As it is called here: the name of its folder.
    pub name: String,
    /// What its vectors follow from: the files, and how they are read.
    pub digest: String,
    /// How many numbers its vectors have.
    pub dimensions: usize,
    /// So many tokens of a text are read.
    pub max_tokens: usize,
    /// How the vectors of the tokens become one.
    pooling: String,
    /// As the page that came with it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// When.
    pub installed_at: String,
    /// The graph.
    pub network: ModelFile,
    /// Its weights, where they are in a file of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights: Option<ModelFile>,
    /// What cuts texts into tokens.
    pub tokenizer: ModelFile,
    /// Where it is.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// A file of a model.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelFile {
    /// Its name.
    pub file: String,
    /// Its size.
    pub bytes: u64,
    /// Its SHA-256.
    pub sha256: String,
}

impl InstalledModel {
    /// Of files that are in `folder`; how many dimensions it has is still to be seen.
    pub(super) fn new(
        name: &str,
        folder: &Path,
        read: (usize, Pooling),
        files: (ModelFile, Option<ModelFile>, ModelFile),
    ) -> InstalledModel {
        let ((max_tokens, pooling), (network, weights, tokenizer)) = (read, files);
        let checksums = [Some(&network), weights.as_ref(), Some(&tokenizer)]
            .map(|file| file.map_or("", |file| file.sha256.as_str()))
            .join(" ");
        let whole = format!("{checksums} {max_tokens} {}", pooling.as_str());
        InstalledModel {
            name: name.to_owned(),
            digest: hex(&Sha256::digest(whole)),
            dimensions: 0,
            max_tokens,
            pooling: pooling.as_str().to_owned(),
            licence: None,
            installed_at: String::new(),
            network,
            weights,
            tokenizer,
            folder: folder.to_owned(),
        }
    }

    /// The model in a folder; none if none was ever installed there.
    pub(super) fn read(folder: &Path) -> Result<Option<InstalledModel>, ModelError> {
        let path = manifest(folder);
        let text = match fs::read_to_string(&path) {
            Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
                return Ok(None);
            }
            other => other.map_err(|cause| ModelError::unusable(&path, cause))?,
        };
        let bad = |cause: String| ModelError::Manifest { path: path.clone(), cause };
        let model: InstalledModel = toml::from_str(&text).map_err(|error| bad(error.message().to_owned()))?;
        if Pooling::ALL.iter().all(|pooling| pooling.as_str() != model.pooling) {
            return Err(bad(format!("pooling {:?} is not known", model.pooling)));
        }
        if model.dimensions == 0 || model.max_tokens == 0 {
            return Err(bad("a model has dimensions and reads tokens, and not none".into()));
        }
        if folder.file_name().and_then(|name| name.to_str()) != Some(&model.name) {
            return Err(bad(format!("it is that of {:?}", model.name)));
        }
        Ok(Some(InstalledModel { folder: folder.to_owned(), ..model }))
    }

    /// Writes the manifest, for good.
    pub(super) fn write(&self) -> Result<(), ModelError> {
        let path = manifest(&self.folder);
        let bad =
            |cause: toml::ser::Error| ModelError::Manifest { path: path.clone(), cause: cause.to_string() };
        let text = format!("{HEAD}{}", toml::to_string(self).map_err(bad)?);
        let written = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path);
        let written =
            written.and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()));
        written.map_err(|cause| ModelError::unusable(&path, cause))
    }

    /// Its files, each with what it must be.
    pub fn files(&self) -> ModelFiles {
        let named = |file: &ModelFile| NamedFile {
            path: self.folder.join(&file.file),
            sha256: Some(file.sha256.clone()),
        };
        let pooling = Pooling::ALL.into_iter().find(|pooling| pooling.as_str() == self.pooling);
        ModelFiles {
            network: named(&self.network),
            weights: self.weights.as_ref().map(named),
            tokenizer: named(&self.tokenizer),
            max_tokens: self.max_tokens,
            pooling: pooling.unwrap_or(Pooling::Mean),
        }
    }

    /// All its bytes.
    pub fn bytes(&self) -> u64 {
        let files = [Some(&self.network), self.weights.as_ref(), Some(&self.tokenizer)];
        files.into_iter().flatten().map(|file| file.bytes).sum()
    }

    /// The digest, as far as it is shown.
    pub fn short_digest(&self) -> String {
        self.digest.chars().take(SHORT_DIGEST).collect()
    }

    /// What its vectors are known by: another file under the same name is another model.
    pub fn full_name(&self) -> String {
        format!("{}@{}", self.name, self.short_digest())
    }

    /// What embeds with it; nothing is loaded yet.
    pub fn embedder(&self, settings: &EmbedderSettings) -> LocalEmbedder {
        LocalEmbedder::new(&self.full_name(), self.dimensions, self.files(), settings.unload_after)
            .prefixes(&settings.question_prefix, &settings.text_prefix)
    }
}

fn manifest(folder: &Path) -> PathBuf {
    folder.join("manifest.toml")
}
