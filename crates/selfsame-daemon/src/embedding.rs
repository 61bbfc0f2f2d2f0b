//! Which embedder the settings mean: the one place that builds it.

use crate::embedders::remote;
use crate::failure::Failure;
use selfsame::DataFolder;
use selfsame::config::{EmbedderKind, EmbedderSettings};
use selfsame::meaning::FormerModels;
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
        EmbedderKind::Ollama | EmbedderKind::OpenAi => {
            remote(settings).map_err(|error| Failure::bad_request("bad_configuration", error.to_string()))
        }
    }
}

/// The models that made earlier vectors, as far as they can still be had: those that are installed, and those that the
/// same server has.
pub fn former_models(settings: &EmbedderSettings, folder: &DataFolder) -> FormerModels {
    let (settings, folder) = (settings.clone(), folder.clone());
    Arc::new(move |model| installed_as(&settings, &folder, model).or_else(|| served_as(&settings, model)))
}

/// The model of the server that is set which is called so, if its names are of this sort.
fn served_as(settings: &EmbedderSettings, model: &str) -> Option<Arc<dyn Embedder>> {
    let (_, rest) = model.split_once(':')?;
    // An older name may have the host in it: the longest beginning that gives the same name is the model's.
    let named = |end: usize| {
        let settings = EmbedderSettings { model: Some(rest[..end].to_owned()), ..settings.clone() };
        remote(&settings).ok().flatten().filter(|found| found.model() == model)
    };
    let ends = rest.match_indices(['@', ' ']).map(|(end, _)| end);
    std::iter::once(rest.len()).chain(ends).find_map(named)
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

/// The installed model whose vectors are known by this name.
#[cfg(feature = "embed")]
fn installed_as(settings: &EmbedderSettings, folder: &DataFolder, model: &str) -> Option<Arc<dyn Embedder>> {
    let installed = selfsame::model::Models::of(folder).list().ok()?;
    let embedders = installed.iter().map(|known| known.embedder(settings));
    let found = embedders.into_iter().find(|known| known.model() == model)?;
    Some(Arc::new(found))
}

#[cfg(not(feature = "embed"))]
fn installed_as(
    _settings: &EmbedderSettings,
    _folder: &DataFolder,
    _model: &str,
) -> Option<Arc<dyn Embedder>> {
    None
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
