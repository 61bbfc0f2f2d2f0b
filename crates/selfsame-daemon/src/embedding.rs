//! Which embedder the settings mean: the one place that builds it.

use crate::failure::Failure;
use selfsame::DataFolder;
use selfsame::config::{EmbedderKind, EmbedderSettings};
use selfsame::ports::Embedder;
use std::sync::Arc;

/// The embedder of a mind in this folder; none: it is found by words alone.
pub fn embedder(
    settings: &EmbedderSettings,
    folder: &DataFolder,
) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    match settings.kind {
        EmbedderKind::None => Ok(None),
        EmbedderKind::Auto | EmbedderKind::Local => installed(settings, folder),
        // Embedders over HTTP go here.
        EmbedderKind::Ollama | EmbedderKind::OpenAi => Err(Failure::bad_request(
            "bad_configuration",
            format!("embedder.kind = {:?} is not built yet: choose another", settings.kind.as_str()),
        )),
    }
}

#[cfg(feature = "embed")]
fn installed(settings: &EmbedderSettings, folder: &DataFolder) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    use selfsame::Error;
    use selfsame::model::{ModelError, Models};
    let chosen = Models::of(folder).chosen(settings.model.as_deref()).map_err(Error::from)?;
    match chosen {
        Some(model) => Ok(Some(Arc::new(model.embedder(settings)))),
        None if settings.kind == EmbedderKind::Local => Err(Error::from(ModelError::NoneInstalled).into()),
        None => Ok(None),
    }
}

#[cfg(not(feature = "embed"))]
fn installed(
    settings: &EmbedderSettings,
    _folder: &DataFolder,
) -> Result<Option<Arc<dyn Embedder>>, Failure> {
    match settings.kind {
        EmbedderKind::Local => Err(Failure::bad_request(
            "bad_configuration",
            "this selfsame was built without models: choose another embedder.kind, or build it with the feature embed",
        )),
        _ => Ok(None),
    }
}
