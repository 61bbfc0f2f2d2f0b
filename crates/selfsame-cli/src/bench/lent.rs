//! A model that is lent for a measurement: installed into a folder that goes with it, as anybody would install it.

use selfsame::clock::SystemClock;
use selfsame::config::Settings;
use selfsame::model::{Installing, Models};
use selfsame::ports::Embedder;
use selfsame::progress::Watch;
use selfsame::time::Clock;
use selfsame::{DataFolder, Error};
use selfsame_daemon::Failure;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;

/// A model, and the folder it is in.
pub(crate) struct Lent {
    embedder: Arc<dyn Embedder>,
    _folder: TempDir,
}

impl Lent {
    /// The model of a folder.
    pub(crate) fn new(source: &Path, settings: &Settings) -> Result<Lent, Failure> {
        let folder = tempfile::tempdir().map_err(|error| {
            Failure::new(500, "unusable", format!("no temporary folder can be made: {error}"))
        })?;
        let data = DataFolder::create(&folder.path().join("models")).map_err(Error::from)?;
        let models = Models::of(&data);
        let how =
            Installing { name: Some("lent".to_owned()), replace: false, now: SystemClock::default().now() };
        models.install(source, &how, &Watch::default()).map_err(Error::from)?;
        let model = models.chosen(None).map_err(Error::from)?;
        let model = model.ok_or_else(|| Failure::new(500, "unusable", "the model was not installed"))?;
        Ok(Lent { embedder: Arc::new(model.embedder(&settings.embedder)), _folder: folder })
    }

    /// The model.
    pub(crate) fn embedder(&self) -> Arc<dyn Embedder> {
        Arc::clone(&self.embedder)
    }
}
