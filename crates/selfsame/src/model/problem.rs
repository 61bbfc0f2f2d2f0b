//! What can go wrong with installed models, and what to do.

use super::known::KNOWN;
use crate::embed::{EmbedError, FolderProblem};
use crate::error::Class;
use std::io;
use std::path::{Path, PathBuf};

/// Why it was not done.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// The folder that was named holds no model.
    #[error(transparent)]
    Folder(#[from] FolderProblem),
    /// It holds one that cannot be run.
    #[error("nothing was installed: {0}")]
    Embed(#[from] EmbedError),
    /// It gives vectors without sense.
    #[error(
        "nothing was installed: the model finds two sentences that say the same less alike than two that have nothing \
         in common; it is damaged, or no model for sentences"
    )]
    Senseless,
    /// It cannot be called so.
    #[error(
        "{0:?} is no name for a model: letters, digits, dots, dashes and underscores, at most 64; give one with --name"
    )]
    BadName(String),
    /// Another one is called so.
    #[error(
        "another model is installed as {name:?} ({there}): --replace puts this one in its place, --name gives it another name"
    )]
    Taken {
        /// The name.
        name: String,
        /// The one that is there.
        there: String,
    },
    /// Something else is where the model would go.
    #[error(
        "{0:?} is in the way and was not made by `selfsame model install`: move it away, or choose another --name"
    )]
    NotOurs(PathBuf),
    /// It is not installed.
    #[error("no model {name:?} is installed{}", hint(installed))]
    NoSuch {
        /// As given.
        name: String,
        /// Those that are.
        installed: Vec<String>,
    },
    /// One is wanted and none is there.
    #[error(
        "no model is installed: install one with `selfsame model install`, or set embedder.kind = \"none\""
    )]
    NoneInstalled,
    /// Which one is meant is not said.
    #[error("several models are installed ({}): name one as embedder.model", .0.join(", "))]
    Several(Vec<String>),
    /// It is neither a folder nor a name that is known.
    #[error(
        "{name:?} is neither a folder nor a model that is known by name ({}): give the folder that holds model.onnx and \
         tokenizer.json",
        known_names()
    )]
    Unknown {
        /// As given.
        name: String,
    },
    /// It could not be fetched.
    #[error(
        "nothing was installed: {url} could not be fetched ({cause}); without a network, copy the model's folder here \
         and run `selfsame model install <folder>`"
    )]
    Fetch {
        /// From where.
        url: String,
        /// Why.
        cause: String,
    },
    /// What arrived is not what was sent.
    #[error("nothing was installed: {file} arrived damaged ({cause}); try again")]
    Damaged {
        /// Which.
        file: String,
        /// In what way.
        cause: String,
    },
    /// A manifest is not as it was written.
    #[error("{path:?} cannot be read ({cause}): remove its folder and install the model again")]
    Manifest {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: String,
    },
    /// It does not fit.
    #[error("the disk is full: nothing was installed; free some space and try again")]
    DiskFull,
    /// A file or folder cannot be used.
    #[error("{path:?} cannot be used: {cause}")]
    Unusable {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
}

impl ModelError {
    pub(crate) fn unusable(path: &Path, cause: io::Error) -> ModelError {
        match cause.kind() {
            io::ErrorKind::StorageFull => ModelError::DiskFull,
            _ => ModelError::Unusable { path: path.to_owned(), cause },
        }
    }

    pub(crate) fn class(&self) -> Class {
        match self {
            ModelError::Folder(_)
            | ModelError::Embed(_)
            | ModelError::Senseless
            | ModelError::BadName(_)
            | ModelError::Several(_) => Class::BadInput,
            ModelError::Taken { .. } | ModelError::NotOurs(_) => Class::Conflict,
            ModelError::NoSuch { .. } | ModelError::NoneInstalled | ModelError::Unknown { .. } => {
                Class::NotFound
            }
            ModelError::Fetch { .. } | ModelError::Damaged { .. } => Class::Unreachable,
            ModelError::Manifest { .. } => Class::Damaged,
            ModelError::DiskFull => Class::DiskFull,
            ModelError::Unusable { .. } => Class::Unusable,
        }
    }

    /// A stable word for programs.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            ModelError::Folder(_) | ModelError::Embed(_) | ModelError::Senseless => "bad_model",
            ModelError::BadName(_) => "bad_name",
            ModelError::Several(_) => "several_models",
            ModelError::Fetch { .. } => "not_fetched",
            ModelError::Damaged { .. } => "arrived_damaged",
            other => other.class().code(),
        }
    }
}

fn hint(installed: &[String]) -> String {
    match installed {
        [] => ": there is none; install one with `selfsame model install`".to_owned(),
        names => format!("; there is {}", names.join(", ")),
    }
}

fn known_names() -> String {
    KNOWN.map(|known| known.name).join(", ")
}
