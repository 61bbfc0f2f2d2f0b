//! export, import and audit: a mind leaves in a file, things come from elsewhere, and the junk meter.

use super::agent::NoRequest;
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use selfsame::archive::{self, Limits};
use selfsame::audit::Audit;
use selfsame::import::{self, Cargo, Format, Imported, Run};
use selfsame::key::Scope;
use selfsame::{DataFolder, Error};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Cursor;
use std::path::{Component, Path};

/// The operation.
pub struct ExportMind;

/// What to export.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportRequest {
    /// Which agents, by name or id; none: all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<String>,
    /// `archive` (the default), `markdown` or `journal`
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<String>,
    /// Where to write it, on the daemon's machine: a file for an archive, a folder otherwise. For the command line; without
    /// it the archive is in the reply.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
}

/// What was exported.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExportReply {
    /// Agents in it.
    pub agents: Vec<ExportedAgent>,
    /// Files that were written, or would be.
    pub files: u64,
    /// Bytes of them.
    pub bytes: u64,
    /// SHA-256 of the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// Where it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What an archive does not carry, or pages do not show, and why.
    pub left_out: Vec<LeftOut>,
    /// The archive itself, as base64, where no path was named. With `Accept: application/zip` the answer is the file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archive: Option<String>,
}

/// An agent that was exported.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExportedAgent {
    /// Its name.
    pub name: String,
    /// Its memories.
    pub memories: u64,
    /// All its rows.
    pub rows: u64,
}

/// What stays behind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct LeftOut {
    /// The table.
    pub table: String,
    /// The reason.
    pub why: String,
}

impl From<(&str, &str)> for LeftOut {
    fn from((table, why): (&str, &str)) -> LeftOut {
        LeftOut { table: table.to_owned(), why: why.to_owned() }
    }
}

impl Operation for ExportMind {
    const NAME: &'static str = "export";
    const SUMMARY: &'static str = "Pack one agent or all of them into one archive (zip of JSON Lines with checksums) that any house reads in, or as Markdown.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/export" };
    const TOOL: Option<Tool> = None;
    type Request = ExportRequest;
    type Reply = ExportReply;

    fn run(context: &Context<'_>, request: ExportRequest) -> Result<ExportReply, Failure> {
        if let Some(place) = &request.to {
            context.guest.require_at_home()?;
            must_be_elsewhere(context, Path::new(place))?;
        }
        match (request.form.as_deref().unwrap_or("archive"), &request.to) {
            ("archive", _) => export_archive(context, &request),
            ("markdown" | "journal", Some(folder)) => export_pages(context, &request, folder),
            ("markdown" | "journal", None) => Err(Failure::bad_request(
                "bad_request",
                "a folder is needed for many files: use the command line, or take the archive",
            )),
            (other, _) => Err(Failure::bad_request(
                "unknown_word",
                format!(
                    "{:?} is no form: archive, markdown, journal",
                    other.chars().take(40).collect::<String>()
                ),
            )),
        }
    }

    fn tell(reply: &ExportReply) -> String {
        format!("exported {} agents: {} files, {} bytes", reply.agents.len(), reply.files, reply.bytes)
    }
}

/// What is forgotten goes from every file of the data folder: a copy of everything is none of them.
fn must_be_elsewhere(context: &Context<'_>, place: &Path) -> Result<(), Failure> {
    let Some(home) = context.mind.home().and_then(|home| home.canonicalize().ok()) else { return Ok(()) };
    // The part of the way that is there already says where it leads.
    let there =
        place.ancestors().find_map(|part| Some((part.canonicalize().ok()?, place.strip_prefix(part).ok()?)));
    let goes_back = |rest: &Path| rest.components().any(|part| part == Component::ParentDir);
    if there.as_ref().is_some_and(|(_, rest)| goes_back(rest)) {
        return Err(Failure::bad_request(
            "bad_path",
            format!("{} goes back out of a folder that is not there: name the place itself", place.display()),
        ));
    }
    match there.is_some_and(|(there, _)| there.starts_with(&home)) {
        false => Ok(()),
        true => Err(Failure::bad_request(
            "bad_path",
            format!(
                "{} is in the data folder, where what is forgotten must be nowhere: name a place outside of it",
                place.display()
            ),
        )),
    }
}

fn export_archive(context: &Context<'_>, request: &ExportRequest) -> Result<ExportReply, Failure> {
    let names: Vec<&str> = request.agents.iter().map(String::as_str).collect();
    let exported = context.mind.export(&names)?;
    if let Some(path) = &request.to {
        write_new(Path::new(path), &exported.bytes)?;
    }
    let agent = |agent: &archive::Packed| ExportedAgent {
        name: agent.name.clone(),
        memories: agent.rows("memory_items"),
        rows: agent.parts.iter().map(|part| part.rows).sum(),
    };
    Ok(ExportReply {
        agents: exported.manifest.agents.iter().map(agent).collect(),
        files: 1,
        bytes: exported.bytes.len() as u64,
        sha256: Some(exported.sha256),
        path: request.to.clone(),
        left_out: archive::left_out().map(LeftOut::from).collect(),
        archive: request.to.is_none().then(|| STANDARD.encode(&exported.bytes)),
    })
}

fn export_pages(
    context: &Context<'_>,
    request: &ExportRequest,
    folder: &str,
) -> Result<ExportReply, Failure> {
    let agents = match request.agents.as_slice() {
        [] => context.mind.agents()?.into_iter().map(|agent| agent.name).collect(),
        named => named.to_vec(),
    };
    let (mut exported, mut files, mut bytes) = (Vec::new(), 0, 0);
    for name in agents {
        let access = context.guest.access(context.mind, &name)?;
        let pages = match request.form.as_deref() {
            Some("journal") => access.journal()?,
            _ => access.export_markdown()?,
        };
        let of_agent = Path::new(folder).join(&access.agent().name);
        for (place, text) in &pages {
            write_new(&of_agent.join(place), text.as_bytes())?;
            files += 1;
            bytes += text.len() as u64;
        }
        exported.push(ExportedAgent {
            name: access.agent().name.clone(),
            memories: 0,
            rows: pages.len() as u64,
        });
    }
    let left_out = match request.form.as_deref() {
        Some("journal") => Vec::new(),
        _ => archive::left_out_of_pages().map(LeftOut::from).collect(),
    };
    Ok(ExportReply {
        agents: exported,
        files,
        bytes,
        sha256: None,
        path: Some(folder.to_owned()),
        left_out,
        archive: None,
    })
}

/// Writes a file that only its owner can read; what is there is not written over.
fn write_new(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let failed = |cause: std::io::Error| match cause.kind() {
        std::io::ErrorKind::AlreadyExists => Failure::new(
            409,
            "conflict",
            format!("{} is there already and was left as it is: name another place", path.display()),
        ),
        _ => Failure::new(400, "bad_path", format!("{} cannot be written: {cause}", path.display())),
    };
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(failed)?;
    }
    if path.exists() {
        return Err(failed(std::io::ErrorKind::AlreadyExists.into()));
    }
    DataFolder::write_secret_bytes(path, bytes).map_err(|error| Error::from(error).into())
}

/// The operation.
pub struct ImportMind;

/// What to import.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportRequest {
    /// Whose inbox it is for; an archive brings its own agents.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The name of the file that is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Its text, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Its bytes as base64: an archive, or a zip of another system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// Or where it is on the daemon's machine; for the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// What wrote it: memory-md, notes, chatgpt, claude, server-memory, mem0; found out if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Another name for the one agent of an archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rename: Option<String>,
    /// Only say what would come.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// What came, or would come.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImportReply {
    /// `imported`, `would_import` or `nothing_new`
    pub outcome: String,
    /// `archive`, or what wrote it.
    pub format: String,
    /// The agents of an archive.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub agents: Vec<ExportedAgent>,
    /// The run, by which it can be undone: `run_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<String>,
    /// What was looked at.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub seen: BTreeMap<String, u64>,
    /// What is new, by what it seems to be.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub kinds: BTreeMap<String, u64>,
    /// Candidates for the inbox.
    pub filed: u64,
    /// What was here already.
    pub known: u64,
    /// What could not be read.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unread: Vec<String>,
    /// Acts of forgetting that came after the archive was packed: what they took away does not come back.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub forgotten_since: u64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "as serde asks")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Operation for ImportMind {
    const NAME: &'static str = "import";
    const SUMMARY: &'static str =
        "Read in an archive of Selfsame, whole; or what another system wrote, as candidates for the inbox.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/import" };
    const TOOL: Option<Tool> = None;
    type Request = ImportRequest;
    type Reply = ImportReply;

    fn run(context: &Context<'_>, request: ImportRequest) -> Result<ImportReply, Failure> {
        let format = request.format.as_deref().map(Format::parse).transpose().map_err(Error::from)?;
        let (name, cargo, bytes) = sent(context, &request)?;
        match cargo {
            Cargo::Archive => import_archive(context, &request, bytes),
            Cargo::Foreign(files) => {
                if request.rename.is_some() {
                    return Err(Failure::bad_request(
                        "bad_request",
                        "another name is for the agent of an archive: this is none",
                    ));
                }
                let agent = request.agent.as_deref().ok_or_else(|| {
                    Failure::bad_request("bad_request", "say for which agent: what is sent is no archive")
                })?;
                let access = context.guest.access(context.mind, agent)?;
                let imported = access.import(&name, &files, format, request.dry_run)?;
                Ok(told(&imported, request.dry_run))
            }
        }
    }

    fn tell(reply: &ImportReply) -> String {
        match reply.agents.is_empty() {
            true => format!("{}: {} candidates, {} known already", reply.outcome, reply.filed, reply.known),
            false => format!("{}: {} agents", reply.outcome, reply.agents.len()),
        }
    }
}

/// What was sent: its name, what it is, and the bytes of an archive.
fn sent(context: &Context<'_>, request: &ImportRequest) -> Result<(String, Cargo, Vec<u8>), Failure> {
    let one = "send one of text, base64 and path";
    match (&request.text, &request.base64, &request.path) {
        (Some(text), None, None) => {
            let name = request.name.clone().unwrap_or_else(|| "MEMORY.md".into());
            let cargo = import::unpack_bytes(&name, text.clone().into_bytes())?;
            Ok((name, cargo, Vec::new()))
        }
        (None, Some(encoded), None) => {
            let bytes = STANDARD
                .decode(encoded)
                .map_err(|_| Failure::bad_request("bad_request", "base64: it is not"))?;
            let name = request.name.clone().unwrap_or_else(|| "upload".into());
            Ok((name.clone(), import::unpack_bytes(&name, bytes.clone())?, bytes))
        }
        (None, None, Some(path)) => {
            context.guest.require_at_home()?;
            let name = Path::new(path)
                .file_name()
                .map_or_else(|| path.clone(), |name| name.to_string_lossy().into_owned());
            Ok((name, import::unpack(Path::new(path))?, Vec::new()))
        }
        _ => Err(Failure::bad_request("bad_request", one)),
    }
}

fn import_archive(
    context: &Context<'_>,
    request: &ImportRequest,
    bytes: Vec<u8>,
) -> Result<ImportReply, Failure> {
    let rename = request.rename.as_deref();
    let limits = Limits::default();
    let arrived = match &request.path {
        Some(path) => {
            let file = File::open(path).map_err(|cause| {
                Failure::bad_request("bad_path", format!("{path} cannot be read: {cause}"))
            })?;
            context.mind.import_archive(file, rename, request.dry_run, limits)?
        }
        None => context.mind.import_archive(Cursor::new(bytes), rename, request.dry_run, limits)?,
    };
    let agent = |agent: &archive::ArrivedAgent| ExportedAgent {
        name: agent.name.clone(),
        memories: agent.memories,
        rows: agent.rows,
    };
    Ok(ImportReply {
        outcome: outcome(request.dry_run, true),
        format: "archive".into(),
        agents: arrived.agents.iter().map(agent).collect(),
        run: None,
        seen: BTreeMap::new(),
        kinds: BTreeMap::new(),
        filed: 0,
        known: 0,
        unread: Vec::new(),
        forgotten_since: arrived.forgotten,
    })
}

fn outcome(dry_run: bool, is_new: bool) -> String {
    match (is_new, dry_run) {
        (false, _) => "nothing_new",
        (true, true) => "would_import",
        (true, false) => "imported",
    }
    .into()
}

fn told(imported: &Imported, dry_run: bool) -> ImportReply {
    ImportReply {
        outcome: outcome(dry_run, imported.filed > 0),
        format: imported.format.as_str().into(),
        agents: Vec::new(),
        run: imported.run.map(|run| run.to_string()),
        seen: imported.seen.iter().map(|(what, count)| ((*what).to_owned(), *count)).collect(),
        kinds: imported.kinds.iter().map(|(kind, count)| (kind.as_str().to_owned(), *count)).collect(),
        filed: imported.filed,
        known: imported.known,
        unread: imported.unread.clone(),
        forgotten_since: 0,
    }
}

/// The operation.
pub struct ListImports;

/// The runs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ImportsReply {
    /// The oldest first.
    pub runs: Vec<RunView>,
}

/// One run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunView {
    /// Its id: `run_...`
    pub id: String,
    /// What wrote it.
    pub format: String,
    /// The file's or folder's name.
    pub source: String,
    /// Candidates that it filed.
    pub filed: u64,
    /// What was here already.
    pub known: u64,
    /// When.
    pub at: String,
    /// When it was undone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub undone_at: Option<String>,
}

impl From<&Run> for RunView {
    fn from(run: &Run) -> RunView {
        RunView {
            id: run.id.to_string(),
            format: run.format.clone(),
            source: run.source.clone(),
            filed: run.filed,
            known: run.known,
            at: run.at.to_string(),
            undone_at: run.undone_at.map(|at| at.to_string()),
        }
    }
}

impl Operation for ListImports {
    const NAME: &'static str = "import_list";
    const SUMMARY: &'static str = "The runs by which things came from other systems.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/imports" };
    const TOOL: Option<Tool> = None;
    type Request = NoRequest;
    type Reply = ImportsReply;

    fn run(context: &Context<'_>, _request: NoRequest) -> Result<ImportsReply, Failure> {
        let runs = context.access()?.import_runs()?;
        Ok(ImportsReply { runs: runs.iter().map(RunView::from).collect() })
    }

    fn tell(reply: &ImportsReply) -> String {
        reply.runs.iter().map(|run| format!("{} {} {}\n", run.id, run.format, run.source)).collect()
    }
}

/// The operation.
pub struct UndoImport;

/// Which run.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UndoRequest {
    /// The run: `run_...`
    pub id: String,
    /// Only say what would go.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// What went, or would go.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct UndoReply {
    /// `undone` or `would_undo`
    pub outcome: String,
    /// Candidates.
    pub candidates: u64,
    /// Memories that came of them and of nothing else.
    pub memories: u64,
    /// Memories that stay, since something else supports them.
    pub kept: u64,
}

impl Operation for UndoImport {
    const NAME: &'static str = "import_undo";
    const SUMMARY: &'static str = "Take back what a run brought: its candidates, and the memories that came of them unless something else supports them.";
    const SCOPE: Scope = Scope::Admin;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/imports/{id}/undo" };
    const TOOL: Option<Tool> = None;
    type Request = UndoRequest;
    type Reply = UndoReply;

    fn run(context: &Context<'_>, request: UndoRequest) -> Result<UndoReply, Failure> {
        let id = request.id.parse().map_err(Error::from)?;
        let undone = context.access()?.undo_import(id, request.dry_run)?;
        Ok(UndoReply {
            outcome: if request.dry_run { "would_undo" } else { "undone" }.into(),
            candidates: undone.candidates,
            memories: undone.memories,
            kept: undone.kept,
        })
    }

    fn tell(reply: &UndoReply) -> String {
        format!("{}: {} candidates, {} memories", reply.outcome, reply.candidates, reply.memories)
    }
}

/// The operation.
pub struct AuditMind;

/// How much to show.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AuditRequest {
    /// So many ids of each figure, at most 1,000; 5 if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub list: Option<usize>,
}

/// The figures.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct AuditReply {
    /// Memories that were looked at.
    pub memories: u64,
    /// Texts that were looked at in all.
    pub texts: u64,
    /// What was counted.
    pub figures: Vec<FigureView>,
}

/// One figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct FigureView {
    /// Of what.
    pub name: String,
    /// How many.
    pub count: u64,
    /// Out of how many.
    pub of: u64,
    /// What that means.
    pub meaning: String,
    /// Which, the oldest first.
    pub ids: Vec<String>,
    /// What to do about it.
    pub advice: String,
}

/// Ids of a figure, if nobody says how many.
const USUAL_IDS: usize = 5;
/// And at most.
const MOST_IDS: usize = 1000;

impl Operation for AuditMind {
    const NAME: &'static str = "audit";
    const SUMMARY: &'static str = "The junk meter: duplicates, never recalled, stale, unsupported beliefs, secrets, loops; each with ids to look at.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/audit" };
    const TOOL: Option<Tool> =
        Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });
    type Request = AuditRequest;
    type Reply = AuditReply;

    fn run(context: &Context<'_>, request: AuditRequest) -> Result<AuditReply, Failure> {
        let list = request.list.unwrap_or(USUAL_IDS);
        if list > MOST_IDS {
            return Err(Failure::bad_request("out_of_range", format!("list: at most {MOST_IDS}")));
        }
        let Audit { memories, texts, figures } = context.access()?.audit()?;
        let view = |figure: selfsame::audit::Figure| FigureView {
            name: figure.sort.as_str().into(),
            count: figure.count,
            of: figure.of,
            meaning: figure.sort.meaning().into(),
            ids: figure.ids.into_iter().take(list).collect(),
            advice: figure.sort.advice().into(),
        };
        Ok(AuditReply { memories, texts, figures: figures.into_iter().map(view).collect() })
    }

    fn tell(reply: &AuditReply) -> String {
        reply
            .figures
            .iter()
            .map(|figure| {
                format!("{}: {} of {} ({})\n", figure.name, figure.count, figure.of, figure.meaning)
            })
            .collect()
    }
}

/// The bytes of an archive in a reply, for who wants the file and not JSON.
pub(crate) fn file_of(reply: &serde_json::Value) -> Option<Vec<u8>> {
    STANDARD.decode(reply["archive"].as_str()?).ok()
}
