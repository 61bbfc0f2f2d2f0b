//! Connects other programs to the mind by writing into their settings, shows what would be written, and takes it out again.
//!
//! A program is connected whole or not at all: all of its files are read and changed in memory before the first is written. A
//! file that cannot be understood is left as it is, and says why.

pub(crate) mod clients;
mod files;
mod greeting;
mod json;
mod toml;

use clients::{Change, Client, Edit, Homes, Us};
use files::{Found, Record};
use selfsame_daemon::Failure;
use serde::Serialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// What became of one program, or would become of it.
#[derive(Debug, Serialize)]
pub(crate) struct Outcome {
    /// By its name.
    pub(crate) client: &'static str,
    #[serde(skip)]
    pub(crate) title: &'static str,
    /// Its files.
    pub(crate) files: Vec<FileOutcome>,
    /// What to do there now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) then: Option<&'static str>,
    /// Why nothing was done.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trouble: Option<String>,
}

/// What became of one file.
#[derive(Debug, Serialize)]
pub(crate) struct FileOutcome {
    pub(crate) path: PathBuf,
    /// `made`, `changed`, `unchanged`, `restored`, `cleaned` or `removed`
    pub(crate) outcome: &'static str,
    /// How it was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) copy: Option<PathBuf>,
    #[serde(skip)]
    pub(crate) before: String,
    #[serde(skip)]
    pub(crate) after: String,
}

/// How a program stands.
#[derive(Debug, Serialize)]
pub(crate) struct Standing {
    pub(crate) client: &'static str,
    pub(crate) title: &'static str,
    /// It is on this machine, as far as its files tell.
    pub(crate) found: bool,
    /// It is connected to this mind.
    pub(crate) connected: bool,
    /// What is wrong with its files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) trouble: Option<String>,
}

/// The programs of this user, and the mind that they are connected to.
pub(crate) struct Wiring {
    pub(crate) homes: Homes,
    pub(crate) us: Us,
    /// The data folder.
    pub(crate) data: PathBuf,
}

impl Wiring {
    /// How each program stands.
    pub(crate) fn standings(&self) -> Vec<Standing> {
        let standing = |client: Client| {
            let plan = self.plan(client);
            Standing {
                client: client.name(),
                title: client.title(),
                found: self.is_found(client),
                connected: plan.as_ref().is_ok_and(|plan| plan.iter().all(Planned::is_done)),
                trouble: plan.err().map(|failure| failure.detail),
            }
        };
        Client::ALL.into_iter().map(standing).collect()
    }

    /// The names of the programs that are on this machine.
    pub(crate) fn found(&self) -> Vec<&'static str> {
        Client::ALL.into_iter().filter(|client| self.is_found(*client)).map(Client::name).collect()
    }

    /// The names of the programs that are connected to this mind.
    pub(crate) fn connected(&self) -> Vec<&'static str> {
        let connected = self.standings().into_iter().filter(|standing| standing.connected);
        connected.map(|standing| standing.client).collect()
    }

    /// The names of the programs that are on record as connected.
    pub(crate) fn on_record(&self) -> Result<Vec<&'static str>, Failure> {
        let record = Record::read(&self.data)?;
        let is_there = |client: &Client| record.files.values().any(|done| done.client == client.name());
        Ok(Client::ALL.into_iter().filter(is_there).map(Client::name).collect())
    }

    /// Connects programs, or says what it would do.
    pub(crate) fn connect(&self, names: &[String], dry: bool) -> Result<Vec<Outcome>, Failure> {
        let clients = parse(names)?;
        if !dry {
            let folder = selfsame::DataFolder::existing(&self.data).map_err(selfsame::Error::from)?;
            files::require_mind(&folder)?;
        }
        let one = |client: Client| {
            let outcome = told(client, self.connect_one(client, dry))?;
            let is_news = outcome.files.iter().any(FileOutcome::is_news);
            Ok(Outcome { then: is_news.then(|| client.afterwards()), ..outcome })
        };
        clients.into_iter().map(one).collect()
    }

    /// Takes out of programs what was written, or says what it would do.
    pub(crate) fn undo(&self, names: &[String], dry: bool) -> Result<Vec<Outcome>, Failure> {
        let clients = parse(names)?;
        clients.into_iter().map(|client| told(client, self.undo_one(client, dry))).collect()
    }

    fn is_found(&self, client: Client) -> bool {
        client.traces(&self.homes).iter().any(|trace| trace.exists())
    }

    fn connect_one(&self, client: Client, dry: bool) -> Result<Vec<FileOutcome>, Failure> {
        let plan = self.plan(client)?;
        let mut record = Record::read(&self.data)?;
        let mut outcomes = Vec::new();
        for planned in plan {
            let outcome = match (planned.is_done(), &planned.found.text) {
                (true, _) => "unchanged",
                (false, None) => "made",
                (false, Some(_)) => "changed",
            };
            if !dry && !planned.is_done() {
                planned.write(client, &mut record)?;
                record.write(&self.data)?;
            }
            outcomes.push(planned.outcome(outcome, record.files.get(&planned.found.path)));
        }
        Ok(outcomes)
    }

    fn undo_one(&self, client: Client, dry: bool) -> Result<Vec<FileOutcome>, Failure> {
        let mut record = Record::read(&self.data)?;
        let mut outcomes = Vec::new();
        for planned in self.plan(client)? {
            let path = planned.found.path.clone();
            let done = record.files.get(&path).cloned();
            let is_as_left = done.as_ref().is_some_and(|done| done.after == planned.found.hash());
            let (outcome, after) = match (&planned.found.text, &done) {
                (None, _) => ("unchanged", String::new()),
                (Some(_), Some(done)) if is_as_left => match &done.copy {
                    None => ("removed", String::new()),
                    Some(copy) => ("restored", Found::read(copy)?.text.unwrap_or_default()),
                },
                (Some(text), _) if *text == planned.pristine => ("unchanged", text.clone()),
                (Some(_), _) => ("cleaned", planned.pristine.clone()),
            };
            if !dry {
                match (&done, outcome) {
                    (Some(done), "removed" | "restored") => files::put_back(&path, done)?,
                    (_, "cleaned") => files::overwrite(&path, &after)?,
                    _ => {}
                }
                if let Some(done) = record.files.remove(&path) {
                    files::tidy(&done);
                    record.write(&self.data)?;
                }
            }
            let before = planned.found.text.clone().unwrap_or_default();
            outcomes.push(FileOutcome { path, outcome, copy: None, before, after });
        }
        Ok(outcomes)
    }

    /// What each file of a program is, and would be.
    fn plan(&self, client: Client) -> Result<Vec<Planned>, Failure> {
        let mut plan: Vec<Planned> = Vec::new();
        for edit in client.edits(&self.homes, &self.us) {
            if !plan.iter().any(|planned| planned.found.path == edit.file) {
                let found = Found::read(&edit.file)?;
                let text = found.text.clone().unwrap_or_default();
                plan.push(Planned { found, after: text.clone(), pristine: text });
            }
            let planned = plan.iter_mut().find(|planned| planned.found.path == edit.file);
            if let Some(planned) = planned {
                let broken = |problem: String| not_understood(&edit.file, &problem);
                planned.after = apply(&planned.after, &edit).map_err(broken)?;
                planned.pristine = take_out(&planned.pristine, &edit).map_err(broken)?;
            }
        }
        Ok(plan)
    }
}

/// One program's trouble is no reason to leave the others.
fn told(client: Client, done: Result<Vec<FileOutcome>, Failure>) -> Result<Outcome, Failure> {
    let (files, trouble) = match done {
        Ok(files) => (files, None),
        Err(failure) if failure.code == "bad_client_file" => (Vec::new(), Some(failure.detail)),
        Err(failure) => return Err(failure),
    };
    Ok(Outcome { client: client.name(), title: client.title(), files, then: None, trouble })
}

/// A file as it is, as it would be with us, and as it would be without.
struct Planned {
    found: Found,
    after: String,
    pristine: String,
}

impl Planned {
    fn is_done(&self) -> bool {
        self.found.text.as_ref() == Some(&self.after)
    }

    fn write(&self, client: Client, record: &mut Record) -> Result<(), Failure> {
        let path = &self.found.path;
        let known = record.files.get(path).filter(|done| done.after == self.found.hash()).cloned();
        let done = match known {
            // Nobody but us touched it: the copy is of how it was before us.
            Some(done) => {
                files::overwrite(path, &self.after)?;
                files::Done { after: files::hash(&self.after), ..done }
            }
            None => files::change(&self.found, &self.after, &self.pristine)?,
        };
        record.files.insert(path.clone(), files::Done { client: client.name().to_owned(), ..done });
        Ok(())
    }

    fn outcome(&self, outcome: &'static str, done: Option<&files::Done>) -> FileOutcome {
        FileOutcome {
            path: self.found.path.clone(),
            outcome,
            copy: done.and_then(|done| done.copy.clone()),
            before: self.found.text.clone().unwrap_or_default(),
            after: self.after.clone(),
        }
    }
}

impl FileOutcome {
    pub(crate) fn is_news(&self) -> bool {
        self.outcome != "unchanged"
    }
}

fn parse(names: &[String]) -> Result<Vec<Client>, Failure> {
    let known = || Client::ALL.into_iter().map(Client::name);
    let client = |name: &String| {
        Client::ALL.into_iter().find(|client| client.name() == name.as_str()).ok_or_else(|| {
            let near = selfsame::nearest::nearest(name, known());
            let hint = near.map(|near| format!("did you mean {near}? ")).unwrap_or_default();
            let all = known().collect::<Vec<_>>().join(", ");
            Failure::bad_request(
                "no_such_client",
                format!("there is no client {name:?}: {hint}Known are {all}"),
            )
        })
    };
    names.iter().map(client).collect()
}

fn not_understood(path: &Path, problem: &str) -> Failure {
    let detail = format!("{} is left as it is: {problem}. Mend it, then try again", path.display());
    Failure::bad_request("bad_client_file", detail)
}

fn apply(text: &str, edit: &Edit) -> Result<String, String> {
    let said = |problem: json::Problem| problem.to_string();
    match &edit.change {
        Change::Set(path, item) => json::set(text, &placed(text, path), item).map_err(said),
        Change::SetUnless(path, item) => match json::get_or_none(text, path).map_err(said)? {
            Some(_) => Ok(text.to_owned()),
            None => json::set(text, path, item).map_err(said),
        },
        Change::InList(path, item) => {
            let list = json::get_or_none(text, path).map_err(said)?;
            let has = |value: &Value| *value == item.value();
            if list.as_ref().and_then(Value::as_array).is_some_and(|list| list.iter().any(has)) {
                return Ok(text.to_owned());
            }
            let without =
                if list.is_some() { json::prune(text, path, is_ours).map_err(said)? } else { text.into() };
            json::push(&without, path, item).map_err(said)
        }
        Change::Table(path, command, arguments) => toml::set(text, path, command, arguments),
    }
}

fn take_out(text: &str, edit: &Edit) -> Result<String, String> {
    if text.trim().is_empty() {
        return Ok(text.to_owned());
    }
    let said = |problem: json::Problem| problem.to_string();
    match &edit.change {
        Change::Set(path, _) => json::remove(text, &placed(text, path)).map_err(said),
        Change::SetUnless(..) => Ok(text.to_owned()),
        Change::InList(path, _) => json::prune(text, path, is_ours).map_err(said),
        Change::Table(path, ..) => toml::remove(text, path),
    }
}

/// A newer opencode keeps its servers one step further in; whoever has that already gets ours there.
fn placed<'p>(text: &str, path: &[&'p str]) -> Vec<&'p str> {
    let is_server = |value: &Value| value.get("type").is_some() || value.get("command").is_some();
    match path {
        ["mcp", name] => match json::get_or_none(text, &["mcp", "servers"]) {
            Ok(Some(servers)) if servers.is_object() && !is_server(&servers) => vec!["mcp", "servers", name],
            _ => path.to_vec(),
        },
        _ => path.to_vec(),
    }
}

/// Whether an entry of a list of hooks runs us, and nobody else.
fn is_ours(entry: &Value) -> bool {
    let runs_us = |value: &Value| {
        let command = value.get("command").and_then(Value::as_str).unwrap_or_default();
        command.contains(clients::NAME) && command.contains(" hook ")
    };
    match entry.get("hooks").and_then(Value::as_array) {
        Some(hooks) => !hooks.is_empty() && hooks.iter().all(runs_us),
        None => runs_us(entry),
    }
}
