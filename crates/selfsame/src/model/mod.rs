//! The models that are installed in a data folder: install, list, remove, choose.
//!
//! A model is a folder with its files and a manifest that says what each must be. It is put together under another name,
//! made durable, checked, tried, and only then given its name in one step: there is no half-installed model, whatever
//! dies when.

mod arriving;
mod known;
mod manifest;
mod problem;

pub use known::{Fetch, Fetched, HUB, KNOWN, KnownModel};
pub use manifest::{InstalledModel, ModelFile};
pub use problem::ModelError;

use crate::data_folder::DataFolder;
use crate::embed::{Loaded, ModelFolder};
use crate::progress::Watch;
use arriving::Arriving;
use selfsame_core::time::Time;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

/// What is embedded to see that a model is one: the first two say the same, the third is about something else. All have as
/// many words, so that nothing but their meaning tells them apart.
const TRIAL: [&str; 3] = [
    "Maya moved to Berlin last spring",
    "Last spring Maya relocated to Berlin",
    "The sugar cake needs more salt",
];
/// So much more alike must those be that say the same; models that find everything alike have little room.
const TRIAL_MARGIN: f32 = 0.02;
/// The longest name of a model.
const LONGEST_NAME: usize = 64;

/// The models of a data folder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Models {
    folder: PathBuf,
}

/// How a model is installed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Installing {
    /// What it is called here; none: as its folder.
    pub name: Option<String>,
    /// Whether another model of that name gives way.
    pub replace: bool,
    /// The time.
    pub now: Time,
}

/// What came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Installed {
    /// The model as it is there now.
    pub model: InstalledModel,
    /// Whether it was there before, or another.
    pub was: Before,
}

/// What was there under the name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    /// Nothing.
    Nothing,
    /// The very same: nothing was done.
    Same,
    /// Another, which is gone.
    Another,
}

impl Models {
    /// Those of this data folder.
    pub fn of(data: &DataFolder) -> Models {
        Models { folder: data.models() }
    }

    /// All of them, by name.
    pub fn list(&self) -> Result<Vec<InstalledModel>, ModelError> {
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(|cause| ModelError::unusable(&self.folder, cause))?,
        };
        let mut models = Vec::new();
        for entry in entries {
            let path = entry.map_err(|cause| ModelError::unusable(&self.folder, cause))?.path();
            let hidden = path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."));
            if !hidden && let Some(model) = InstalledModel::read(&path)? {
                models.push(model);
            }
        }
        models.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(models)
    }

    /// The one that is named, or the only one; none if there is none and none is named.
    pub fn chosen(&self, name: Option<&str>) -> Result<Option<InstalledModel>, ModelError> {
        let mut models = self.list()?;
        let names = || models.iter().map(|model| model.name.clone()).collect();
        match (name, models.len()) {
            (None, 0) => Ok(None),
            (None, 1) => Ok(models.pop()),
            (None, _) => Err(ModelError::Several(names())),
            (Some(name), _) => match models.iter().find(|model| model.name == name) {
                Some(model) => Ok(Some(model.clone())),
                None => Err(ModelError::NoSuch { name: name.to_owned(), installed: names() }),
            },
        }
    }

    /// Installs the model that is in a folder; or the one graph that is named.
    pub fn install(&self, source: &Path, how: &Installing, watch: &Watch) -> Result<Installed, ModelError> {
        let found = ModelFolder::find(source)?;
        let name = match &how.name {
            Some(name) => name.clone(),
            None => usual_name(source)?,
        };
        check_name(&name)?;
        let _alone = self.lock()?;
        self.put(&found, &name, how, watch)
    }

    /// Fetches a known model and installs it.
    pub fn fetch(
        &self,
        known: &KnownModel,
        fetch: &dyn Fetch,
        how: &Installing,
        watch: &Watch,
    ) -> Result<Installed, ModelError> {
        let name = how.name.as_deref().unwrap_or(known.name);
        check_name(name)?;
        let _alone = self.lock()?;
        let fetched = Arriving::begin(&self.folder, ".fetching")?;
        known.fetch_into(fetched.path(), fetch, watch)?;
        self.put(&ModelFolder::find(fetched.path())?, name, how, watch)
    }

    /// Removes a model.
    pub fn remove(&self, name: &str) -> Result<InstalledModel, ModelError> {
        let _alone = self.lock()?;
        let Some(model) = self.chosen(Some(name))? else {
            return Err(ModelError::NoSuch { name: name.to_owned(), installed: Vec::new() });
        };
        // Out of sight in one step; what is slow comes after.
        let leaving = Arriving::begin(&self.folder, ".leaving")?;
        let path = self.folder.join(name);
        fs::rename(&path, leaving.path().join("model"))
            .map_err(|cause| ModelError::unusable(&path, cause))?;
        sync(&self.folder)?;
        Ok(model)
    }

    fn put(
        &self,
        found: &ModelFolder,
        name: &str,
        how: &Installing,
        watch: &Watch,
    ) -> Result<Installed, ModelError> {
        let arriving = Arriving::begin(&self.folder, ".arriving")?;
        let mut model = arriving.copy(found, name, how.now, watch)?;
        let path = self.folder.join(name);
        let before = match InstalledModel::read(&path)? {
            Some(there) if there.digest == model.digest => {
                return Ok(Installed { model: there, was: Before::Same });
            }
            Some(there) if !how.replace => {
                return Err(ModelError::Taken { name: name.to_owned(), there: there.short_digest() });
            }
            Some(_) => Before::Another,
            None if path.exists() => return Err(ModelError::NotOurs(path)),
            None => Before::Nothing,
        };
        model.dimensions = dimensions(&model)?;
        model.write()?;
        sync(arriving.path())?;
        arriving.take_place(&path, before == Before::Another)?;
        sync(&self.folder)?;
        model.folder = path;
        Ok(Installed { model, was: before })
    }

    /// One at a time; whoever died left the lock to the next, who tidies up.
    fn lock(&self) -> Result<File, ModelError> {
        let unusable = |cause| ModelError::unusable(&self.folder, cause);
        fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(unusable)?;
        let path = self.folder.join(".lock");
        let file = OpenOptions::new().write(true).create(true).truncate(false).mode(0o600).open(path);
        let file = file.map_err(unusable)?;
        file.lock().map_err(unusable)?;
        Ok(file)
    }
}

/// Tries a model: it must give vectors, and those of like texts must be alike.
fn dimensions(model: &InstalledModel) -> Result<usize, ModelError> {
    let loaded = Loaded::load(&model.files())?;
    let mut vectors = Vec::new();
    for text in TRIAL {
        vectors.push(loaded.vector(text)?);
    }
    let alike = |a: usize, b: usize| -> f32 { vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum() };
    match vectors.iter().all(|vector| vector.len() == vectors[0].len())
        && alike(0, 1) > alike(0, 2) + TRIAL_MARGIN
    {
        true => Ok(vectors[0].len()),
        false => Err(ModelError::Senseless),
    }
}

/// What a folder is called; a snapshot of a hub's cache is called after its model.
fn usual_name(source: &Path) -> Result<String, ModelError> {
    let full = fs::canonicalize(source).map_err(|cause| ModelError::unusable(source, cause))?;
    let name = |path: &Path| path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
    let mut folder = if full.is_file() { full.parent().unwrap_or(&full) } else { full.as_path() };
    if name(folder) == "onnx" {
        folder = folder.parent().unwrap_or(folder);
    }
    let snapshots = folder.parent().filter(|parent| name(parent) == "snapshots");
    let cached = snapshots.and_then(Path::parent).map(name);
    let cached = cached.as_deref().and_then(|name| name.strip_prefix("models--")?.rsplit("--").next());
    Ok(cached.map_or_else(|| name(folder), str::to_owned))
}

/// A name is a folder's name, and is written in settings.
fn check_name(name: &str) -> Result<(), ModelError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    let good =
        !name.is_empty() && name.len() <= LONGEST_NAME && !name.starts_with('.') && name.chars().all(fits);
    good.then_some(()).ok_or_else(|| ModelError::BadName(name.to_owned()))
}

/// What was renamed in a folder is there after a power cut.
fn sync(folder: &Path) -> Result<(), ModelError> {
    File::open(folder).and_then(|file| file.sync_all()).map_err(|cause| ModelError::unusable(folder, cause))
}
