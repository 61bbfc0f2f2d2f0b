//! selfsame model

use crate::output::{Output, Tone, bar_of, columns, counted, date};
use crate::settings::Resolution;
use selfsame::clock::SystemClock;
use selfsame::config::EmbedderKind;
use selfsame::model::{Before, HUB, Installed, InstalledModel, Installing, KnownModel, ModelError, Models};
use selfsame::progress::{Progress, Unit};
use selfsame::time::Clock as _;
use selfsame::{DataFolder, Error};
use selfsame_daemon::Failure;
use selfsame_daemon::download::Hub;
use selfsame_daemon::operations::model::{EmbedReply, EmbedRequest, EmbedTexts};
use serde::Serialize;
use std::path::Path;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Install a model from a folder, or by its name from the hub
    Install(Install),
    /// List the installed models
    List,
    /// Let the model read now what it has not read yet
    Embed {
        /// Drop what it made of everything, and begin again
        #[arg(long)]
        anew: bool,
    },
    /// Remove a model
    Remove {
        /// As `selfsame model list` shows it
        name: String,
    },
}

#[derive(clap::Args)]
pub(crate) struct Install {
    /// A folder with model.onnx and tokenizer.json, or a known name such as all-MiniLM-L6-v2
    model: String,
    /// What it is called here [default: the name of the folder]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Put it in the place of another model of that name
    #[arg(long)]
    replace: bool,
    /// Fetch from another hub, such as a mirror
    #[arg(long, value_name = "URL", default_value = HUB)]
    hub: String,
}

/// A model, for programs.
#[derive(Serialize)]
struct ModelView {
    name: String,
    dimensions: usize,
    bytes: u64,
    digest: String,
    licence: Option<String>,
    installed_at: String,
    in_use: bool,
}

#[derive(Serialize)]
struct InstallReply {
    outcome: &'static str,
    model: ModelView,
    file: String,
    restart_daemon: bool,
}

#[derive(Serialize)]
struct ListReply {
    models: Vec<ModelView>,
}

#[derive(Serialize)]
struct RemoveReply {
    outcome: &'static str,
    name: String,
    restart_daemon: bool,
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Install(args) => install(args, resolution, output),
        Command::List => list(resolution, output),
        Command::Embed { anew } => embed(anew, resolution, output),
        Command::Remove { name } => remove(&name, resolution, output),
    }
}

fn install(args: Install, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let models = Models::of(&resolution.home.make_folder()?);
    let how = Installing { name: args.name, replace: args.replace, now: SystemClock::default().now() };
    let path = Path::new(&args.model);
    let installed = output.watching("looking for the model", |watch| match KnownModel::find(&args.model) {
        _ if path.exists() => models.install(path, &how, watch),
        Some(known) => models.fetch(known, &Hub::new(&args.hub), &how, watch),
        None => Err(ModelError::Unknown { name: args.model.clone() }),
    });
    let Installed { model, was } = installed.map_err(Error::from)?;
    let outcome = match was {
        Before::Nothing => "installed",
        Before::Same => "already_installed",
        Before::Another => "replaced",
    };
    let restart_daemon = was != Before::Same && resolution.backend().daemon_address().is_some();
    let file = model.network.file.clone();
    let reply = InstallReply { outcome, model: view(&model, true), file, restart_daemon };
    output.reply(&reply, |output| {
        format!(
            "{}  {}\n{} dimensions, {}, from {}\n{}",
            output.paint(Tone::Good, &outcome.replace('_', " ")),
            model.full_name(),
            model.dimensions,
            size(model.bytes()),
            reply.file,
            restart(restart_daemon)
        )
    });
    Ok(())
}

fn list(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let folder = resolution.home.folder()?;
    let models = Models::of(&folder).list().map_err(Error::from)?;
    let used = in_use(resolution, &folder);
    let views = models.iter().map(|model| view(model, used.as_deref() == Some(&model.name))).collect();
    let reply = ListReply { models: views };
    output.reply(&reply, |_| match reply.models.as_slice() {
        [] => "no model is installed: recall goes by words alone (`selfsame model install`)\n".to_owned(),
        models => columns(&models.iter().map(row).collect::<Vec<_>>()),
    });
    Ok(())
}

/// Some texts at a time, so that a daemon is never kept busy for long, until there is nothing left that can be read.
fn embed(anew: bool, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    let mut request = EmbedRequest { most: None, anew };
    let mut texts = 0;
    let last = loop {
        let reply = backend.call::<EmbedTexts>("", &request)?;
        texts += reply.texts;
        if reply.texts == 0 || reply.pending == 0 || reply.trouble.is_some() {
            break reply;
        }
        request.anew = false;
        let total = Some(texts + reply.pending);
        output.progress(&bar_of(Progress { what: "reading", done: texts, total, unit: Unit::Texts }));
    };
    output.end_progress();
    let Some(model) = &last.model else {
        return Err(Failure::new(
            404,
            "no_model",
            "there is no model that could read: `selfsame model install` brings one",
        ));
    };
    if let Some(trouble) = &last.trouble {
        return Err(Failure::new(
            503,
            "model_trouble",
            format!("{trouble} ({texts} texts were read, {} are still to be: try again later)", last.pending),
        ));
    }
    let reply = EmbedReply { texts, ..last.clone() };
    output.reply(&reply, |output| {
        let read = counted(texts, "text", "texts");
        let left = match reply.pending {
            0 => "nothing is left".to_owned(),
            left => format!("{} cannot be read by it", counted(left, "text", "texts")),
        };
        format!("{}  {read} by {model}; {left}\n", output.paint(Tone::Good, "read"))
    });
    Ok(())
}

fn remove(name: &str, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    Models::of(&resolution.home.folder()?).remove(name).map_err(Error::from)?;
    let restart_daemon = resolution.backend().daemon_address().is_some();
    let reply = RemoveReply { outcome: "removed", name: name.to_owned(), restart_daemon };
    output.reply(&reply, |output| {
        format!("{}  {name}\n{}", output.paint(Tone::Good, "removed"), restart(restart_daemon))
    });
    Ok(())
}

/// Which one the settings mean; none if that cannot be said, which whoever opens the mind is told.
fn in_use(resolution: &Resolution, folder: &DataFolder) -> Option<String> {
    let settings = &resolution.home.settings.embedder;
    match settings.kind {
        EmbedderKind::Auto | EmbedderKind::Local => {
            let chosen = Models::of(folder).chosen(settings.model.as_deref());
            chosen.ok().flatten().map(|model| model.name)
        }
        EmbedderKind::None | EmbedderKind::Ollama | EmbedderKind::OpenAi => None,
    }
}

fn view(model: &InstalledModel, in_use: bool) -> ModelView {
    ModelView {
        name: model.name.clone(),
        dimensions: model.dimensions,
        bytes: model.bytes(),
        digest: model.short_digest(),
        licence: model.licence.clone(),
        installed_at: model.installed_at.clone(),
        in_use,
    }
}

fn row(model: &ModelView) -> Vec<String> {
    vec![
        model.name.clone(),
        format!("{} dimensions", model.dimensions),
        size(model.bytes),
        model.digest.clone(),
        model.licence.clone().unwrap_or_else(|| "licence unknown".into()),
        format!("since {}", date(&model.installed_at)),
        if model.in_use { "in use".into() } else { String::new() },
    ]
}

fn restart(is_needed: bool) -> &'static str {
    match is_needed {
        true => "a daemon is running: restart it, and it goes by the models that are there now\n",
        false => "",
    }
}

/// As people say it.
fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}
