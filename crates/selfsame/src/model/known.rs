//! Models that are known by name, and how they are fetched. Who fetches is somebody else: the engine knows no network.

use super::ModelError;
use super::arriving::write_counted;
use crate::progress::{Progress, Unit, Watch};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

/// Where models are fetched from.
pub const HUB: &str = "https://huggingface.co";

/// A file of a model is not larger: more would not run in the memory that there is for it.
const MOST_BYTES: u64 = 1 << 30;

/// A model that is known by its name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KnownModel {
    /// The name.
    pub name: &'static str,
    /// Who keeps the graph with weights of eight bits.
    graph: &'static str,
    /// Who keeps the rest: those who made it.
    origin: &'static str,
    /// What people should know.
    pub about: &'static str,
}

/// All of them, the usual one first.
pub const KNOWN: [KnownModel; 3] = [
    KnownModel {
        name: "all-MiniLM-L6-v2",
        graph: "Xenova/all-MiniLM-L6-v2",
        origin: "sentence-transformers/all-MiniLM-L6-v2",
        about: "English, small and fast",
    },
    KnownModel {
        name: "bge-small-en-v1.5",
        graph: "Xenova/bge-small-en-v1.5",
        origin: "BAAI/bge-small-en-v1.5",
        about: "English, twice the work",
    },
    KnownModel {
        name: "multilingual-e5-small",
        graph: "Xenova/multilingual-e5-small",
        origin: "intfloat/multilingual-e5-small",
        about: "a hundred languages; set embedder.question_prefix = \"query: \" and embedder.text_prefix = \"passage: \"",
    },
];

const GRAPH: &str = "onnx/model_quantized.onnx";
const COMPANIONS: [&str; 5] =
    ["tokenizer.json", "config.json", "sentence_bert_config.json", "1_Pooling/config.json", "README.md"];

/// Something that gets what is behind an address.
pub trait Fetch {
    /// Where the models are; [`HUB`], or a mirror of it.
    fn hub(&self) -> &str;
    /// Begins to fetch; the reason if it cannot.
    fn fetch(&self, url: &str) -> Result<Fetched, String>;
}

/// What is on its way, and what the sender says it is.
pub struct Fetched {
    /// How many bytes.
    pub bytes: Option<u64>,
    /// Their SHA-256.
    pub sha256: Option<String>,
    /// The bytes.
    pub body: Box<dyn Read>,
}

impl KnownModel {
    /// The one that is called so.
    pub fn find(name: &str) -> Option<&'static KnownModel> {
        KNOWN.iter().find(|known| known.name == name)
    }

    /// Fetches all its files into an empty folder, the small ones first.
    pub(super) fn fetch_into(
        &self,
        folder: &Path,
        fetch: &dyn Fetch,
        watch: &Watch,
    ) -> Result<(), ModelError> {
        let companions = COMPANIONS.map(|file| (self.origin, file));
        for (repository, file) in companions.into_iter().chain([(self.graph, GRAPH)]) {
            let url = format!("{}/{repository}/resolve/main/{file}", fetch.hub());
            let path = folder.join(file);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(|cause| ModelError::unusable(parent, cause))?;
            }
            let fetched = fetch.fetch(&url).map_err(|cause| ModelError::Fetch { url: url.clone(), cause })?;
            receive(fetched, file, &path, &url, watch)?;
        }
        Ok(())
    }
}

/// Takes what comes and sees that it is what was said.
fn receive(fetched: Fetched, file: &str, path: &Path, url: &str, watch: &Watch) -> Result<(), ModelError> {
    let Fetched { bytes, sha256, body } = fetched;
    let mut body = Bounded { body, left: MOST_BYTES, broken: None };
    let written = write_counted(&mut body, path, &mut |done| {
        watch.tell(Progress { what: file, done, total: bytes, unit: Unit::Bytes });
    });
    if let Some(cause) = body.broken {
        return Err(ModelError::Fetch { url: url.to_owned(), cause });
    }
    let (count, sum) = written?;
    let damaged = |cause: String| Err(ModelError::Damaged { file: file.to_owned(), cause });
    match (bytes, sha256) {
        (Some(bytes), _) if bytes != count => damaged(format!("{count} of {bytes} bytes")),
        (_, Some(sha256)) if sha256 != sum => damaged(format!("its SHA-256 is {sum} and should be {sha256}")),
        _ => Ok(()),
    }
}

/// Reads so much and not more, and keeps apart what the sender did wrong from what the disk did.
struct Bounded {
    body: Box<dyn Read>,
    left: u64,
    broken: Option<String>,
}

impl Read for Bounded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let count = self.body.read(into);
        let problem = match &count {
            Err(cause) => Some(format!("it broke off: {cause}")),
            Ok(count) if *count as u64 > self.left => Some(format!("it is larger than {MOST_BYTES} bytes")),
            Ok(_) => None,
        };
        self.left = self.left.saturating_sub(*count.as_ref().unwrap_or(&0) as u64);
        match problem {
            None => count,
            Some(problem) => {
                self.broken = Some(problem.clone());
                Err(io::Error::other(problem))
            }
        }
    }
}
