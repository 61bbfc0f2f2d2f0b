//! From flags, environment and file to one ready answer: which mind, with which settings.

use crate::env::Environment;
use crate::{Global, VoiceName};
use selfsame::config::{Layers, Resolved};
use selfsame::{Error, Faults};
use selfsame_daemon::{Backend, Failure, Home, Launch};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Which mind, with which settings, and about which agent.
pub(crate) struct Resolution {
    pub(crate) home: Home,
    pub(crate) agent: String,
    /// The owner speaks as the agent itself.
    pub(crate) as_agent: bool,
    pub(crate) resolved: Resolved,
    /// Where the daemon dies, for tests.
    pub(crate) faults: Faults,
    /// How another process of this program finds the same mind.
    pub(crate) way: Way,
}

/// What was said about which mind is meant, as another process can be told it: with whole paths.
pub(crate) struct Way {
    /// The folder, unless it is the usual one.
    data: Option<PathBuf>,
    /// The settings file, if one was named.
    config: Option<PathBuf>,
    /// The agent, if one was named.
    agent: Option<String>,
    /// Single settings.
    set: Vec<String>,
}

impl Resolution {
    pub(crate) fn of(global: &Global, environment: &Environment) -> Result<Resolution, Failure> {
        let data = data_folder(global, environment)?;
        let resolved = layers(global, environment, &data)?.resolve().map_err(Error::from)?;
        let agent = global
            .agent
            .clone()
            .or_else(|| environment.get("SELFSAME_AGENT").map(str::to_owned))
            .unwrap_or_else(|| resolved.settings.agent.name.clone());
        let home = Home { data, settings: resolved.settings.clone() };
        let faults = environment.planned_fault().map_err(|said| Failure::bad_request("bad_fault", said))?;
        let as_agent = global.speak_as == Some(VoiceName::Agent);
        let way = Way::of(global, environment, &home.data)?;
        Ok(Resolution { home, agent, as_agent, resolved, faults, way })
    }

    /// How a daemon of this mind is started, which is given so long to answer.
    pub(crate) fn launch(&self, patience: Duration) -> Result<Launch, Failure> {
        let program = own_program()?;
        let mut arguments: Vec<OsString> = vec!["--data".into(), whole(&self.home.data)?.into()];
        if let Some(config) = &self.way.config {
            arguments.extend(["--config".into(), config.into()]);
        }
        for pair in &self.way.set {
            arguments.extend(["--set".into(), pair.into()]);
        }
        arguments.extend(["serve".into(), "--background".into()]);
        Ok(Launch { program, arguments, patience })
    }

    /// Runs operations for the owner of the folder, or for the agent in whose name the owner speaks.
    pub(crate) fn backend(&self) -> Backend {
        match self.as_agent {
            true => Backend::for_agent(self.home.clone()),
            false => Backend::for_owner(self.home.clone()),
        }
    }
}

/// Where this program is.
pub(crate) fn own_program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        Failure::new(500, "internal", format!("this program does not know where it is: {error}"))
    })
}

impl Way {
    /// As options of the command line: only what is not usual.
    pub(crate) fn options(&self) -> Vec<String> {
        let path = |name: &str, path: &Option<PathBuf>| {
            path.iter().flat_map(|path| [name.to_owned(), path.display().to_string()]).collect::<Vec<_>>()
        };
        let agent = self.agent.iter().flat_map(|agent| ["--agent".to_owned(), agent.clone()]);
        path("--data", &self.data).into_iter().chain(path("--config", &self.config)).chain(agent).collect()
    }

    fn of(global: &Global, environment: &Environment, data: &Path) -> Result<Way, Failure> {
        let named = |flag: &Option<PathBuf>, variable| {
            flag.clone().or_else(|| environment.get(variable).map(PathBuf::from))
        };
        let config = named(&global.config, "SELFSAME_CONFIG").map(|path| whole(&path)).transpose()?;
        let data = whole(data)?;
        let is_usual = environment.usual_place.as_ref() == Some(&data);
        let agent = global.agent.clone().or_else(|| environment.get("SELFSAME_AGENT").map(str::to_owned));
        Ok(Way { data: (!is_usual).then_some(data), config, agent, set: global.set.clone() })
    }
}

fn whole(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        Failure::bad_request("bad_path", format!("{} is no path here: {error}", path.display()))
    })
}

/// Where the mind is, whatever else may be wrong.
pub(crate) fn data_folder(global: &Global, environment: &Environment) -> Result<PathBuf, Failure> {
    global
        .data
        .clone()
        .or_else(|| environment.get("SELFSAME_DATA").map(PathBuf::from))
        .or_else(|| environment.usual_place.clone())
        .ok_or_else(|| {
            Failure::bad_request("no_data_folder", "there is no HOME: name the data folder with --data")
        })
}

fn layers(global: &Global, environment: &Environment, data: &Path) -> Result<Layers, Failure> {
    let mut layers = Layers::new();
    if let Some((name, text)) = config_file(global, environment, data)? {
        layers = layers.file(&name, &text).map_err(Error::from)?;
    }
    layers = layers.env(&environment.ours).map_err(Error::from)?;
    let short = [
        ("database.url", global.db.as_deref().or(environment.get("SELFSAME_DB"))),
        ("database.owner_url", global.db_owner.as_deref().or(environment.get("SELFSAME_DB_OWNER"))),
    ];
    for (key, value) in short {
        if let Some(value) = value {
            layers = layers.flag(key, value).map_err(Error::from)?;
        }
    }
    for pair in &global.set {
        let (key, value) = pair.split_once('=').ok_or_else(|| {
            Failure::bad_request("bad_setting", format!("--set {pair:?} has no value: write --set KEY=VALUE"))
        })?;
        layers = layers.flag(key.trim(), value.trim()).map_err(Error::from)?;
    }
    Ok(layers)
}

/// The settings file: the one named, which must be there, or the one in the data folder, which need not.
fn config_file(
    global: &Global,
    environment: &Environment,
    data: &Path,
) -> Result<Option<(String, String)>, Failure> {
    let named = global.config.clone().or_else(|| environment.get("SELFSAME_CONFIG").map(PathBuf::from));
    let required = named.is_some();
    let path = named.unwrap_or_else(|| data.join("selfsame.toml"));
    match std::fs::read_to_string(&path) {
        Ok(text) => Ok(Some((path.display().to_string(), text))),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && !required => Ok(None),
        // A folder that may not be entered, or is none, is told as such when it is opened.
        Err(error) if is_about_folder(error.kind()) && !required => Ok(None),
        Err(error) => Err(Failure::bad_request(
            "bad_configuration",
            format!("the settings file {} cannot be read: {error}", path.display()),
        )),
    }
}

fn is_about_folder(kind: std::io::ErrorKind) -> bool {
    use std::io::ErrorKind::{NotADirectory, PermissionDenied};
    matches!(kind, NotADirectory | PermissionDenied)
}
