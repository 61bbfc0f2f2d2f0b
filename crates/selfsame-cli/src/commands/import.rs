//! selfsame import

use super::export::absolute;
use crate::output::{Output, Tone, counted, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::moving::{
    ImportMind, ImportReply, ImportRequest, ListImports, UndoImport, UndoRequest,
};
use std::path::PathBuf;

#[derive(clap::Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// An archive of Selfsame, or what another system wrote: a file, a folder of notes, or a zip
    path: Option<PathBuf>,
    /// What wrote it: memory-md, notes, chatgpt, claude, server-memory or mem0 [default: found out]
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    /// Another name for the one agent of an archive
    #[arg(long, value_name = "NAME")]
    rename: Option<String>,
    /// Only show what would come
    #[arg(long)]
    dry_run: bool,
}

#[derive(clap::Subcommand)]
enum Command {
    /// The runs by which things came from other systems
    Runs,
    /// Take back what a run brought
    Undo {
        /// The run: run_...
        run: String,
        /// Only show what would go
        #[arg(long)]
        dry_run: bool,
    },
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    match args.command {
        Some(Command::Runs) => runs(resolution, output),
        Some(Command::Undo { run, dry_run }) => undo(run, dry_run, resolution, output),
        None => bring(args, resolution, output),
    }
}

fn bring(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let path = args.path.ok_or_else(|| {
        Failure::bad_request("bad_request", "name a file or folder: `selfsame import notes/`, or see --help")
    })?;
    let request = ImportRequest {
        agent: Some(resolution.agent.clone()),
        path: Some(absolute(&path)?.display().to_string()),
        format: args.format,
        rename: args.rename,
        dry_run: args.dry_run,
        ..ImportRequest::default()
    };
    let reply = output.watching("reading and filing what is there", |watch| {
        resolution.backend().watched(watch.clone()).call::<ImportMind>("", &request)
    })?;
    output.reply(&reply, |output| told(&reply, output));
    Ok(())
}

fn told(reply: &ImportReply, output: &Output) -> String {
    let word = output.paint(Tone::Good, &reply.outcome.replace('_', " "));
    let mut text = format!("{word}  {}\n", reply.format);
    for agent in &reply.agents {
        text += &format!(
            "  {}: {}, {} in all\n",
            agent.name,
            counted(agent.memories, "memory", "memories"),
            counted(agent.rows, "row", "rows")
        );
    }
    if reply.forgotten_since > 0 {
        let acts = counted(reply.forgotten_since, "act of forgetting", "acts of forgetting");
        text += &format!("  {acts} since it was packed: what went then does not come back\n");
    }
    if !reply.agents.is_empty() {
        return text;
    }
    let list = |counts: &std::collections::BTreeMap<String, u64>| {
        counts.iter().map(|(what, count)| format!("{count} {what}")).collect::<Vec<_>>().join(", ")
    };
    text += &format!("  looked at: {}\n", list(&reply.seen));
    text += &format!("  new: {}", counted(reply.filed, "candidate", "candidates"));
    text += &if reply.kinds.is_empty() { "\n".into() } else { format!(" ({})\n", list(&reply.kinds)) };
    text += &format!("  here already: {}\n", reply.known);
    for unread in &reply.unread {
        text += &format!("  not read: {}\n", harmless(unread));
    }
    match &reply.run {
        Some(run) => {
            text += &format!(
                "{run}: in the inbox, where they wait for a decision and do not expire (`selfsame inbox list`);\n\
                 `selfsame import undo {run}` takes them back\n"
            );
        }
        None if reply.filed > 0 => {
            text += "they would wait in the inbox beside the 1,000 that conversations may have there, and not expire\n";
        }
        None => {}
    }
    text
}

fn runs(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = resolution.backend().call::<ListImports>(&resolution.agent, &NoRequest {})?;
    output.reply(&reply, |_| {
        if reply.runs.is_empty() {
            return "nothing was imported: `selfsame import <file or folder>`\n".into();
        }
        let line = |run: &selfsame_daemon::operations::moving::RunView| {
            let undone = run.undone_at.as_ref().map_or(String::new(), |at| format!("  undone {at}"));
            let filed = counted(run.filed, "candidate", "candidates");
            format!("{}  {}  {}  {}  {filed}{undone}\n", run.id, run.at, run.format, harmless(&run.source))
        };
        reply.runs.iter().map(line).collect()
    });
    Ok(())
}

fn undo(id: String, dry_run: bool, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = UndoRequest { id, dry_run };
    let undo = || resolution.backend().call::<UndoImport>(&resolution.agent, &request);
    let reply = output.waiting("taking back what the run brought", undo)?;
    output.reply(&reply, |output| {
        let word = output.paint(Tone::Good, &reply.outcome.replace('_', " "));
        format!(
            "{word}  {}, {}; {} kept, since something else supports them\n",
            counted(reply.candidates, "candidate", "candidates"),
            counted(reply.memories, "memory", "memories"),
            counted(reply.kept, "memory", "memories")
        )
    });
    Ok(())
}
