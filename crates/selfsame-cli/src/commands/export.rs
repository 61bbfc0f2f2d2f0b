//! selfsame export

use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::moving::{ExportMind, ExportReply, ExportRequest};
use std::path::{Path, PathBuf};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to write the archive; a folder for --markdown and --journal
    to: PathBuf,
    /// Every agent of the house, not only the one that is meant
    #[arg(long)]
    all: bool,
    /// A folder of Markdown to read, instead of an archive
    #[arg(long, conflicts_with = "journal")]
    markdown: bool,
    /// The journal of times of thinking, a file of JSON Lines a day
    #[arg(long)]
    journal: bool,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let form = match (args.markdown, args.journal) {
        (true, _) => Some("markdown".to_owned()),
        (_, true) => Some("journal".to_owned()),
        _ => None,
    };
    let agents = if args.all { Vec::new() } else { vec![resolution.agent.clone()] };
    let to = absolute(&args.to)?.display().to_string();
    let request = ExportRequest { agents, form, to: Some(to) };
    let reply = output.watching("writing everything down", |watch| {
        resolution.backend().watched(watch.clone()).call::<ExportMind>("", &request)
    })?;
    output.reply(&reply, |output| told(&reply, output));
    Ok(())
}

/// The daemon may have been started elsewhere.
pub(crate) fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path)
        .map_err(|cause| Failure::bad_request("bad_path", format!("{}: {cause}", path.display())))
}

fn told(reply: &ExportReply, output: &Output) -> String {
    let mut text = format!(
        "{}  {}\n{}, {} bytes\n",
        output.paint(Tone::Good, "exported to"),
        reply.path.as_deref().unwrap_or_default(),
        counted(reply.files, "file", "files"),
        reply.bytes
    );
    for agent in &reply.agents {
        text += &match &reply.sha256 {
            Some(_) => format!(
                "  {}: {}, {} in all\n",
                agent.name,
                counted(agent.memories, "memory", "memories"),
                counted(agent.rows, "row", "rows")
            ),
            None => format!("  {}\n", agent.name),
        };
    }
    if reply.sha256.is_none() && !reply.left_out.is_empty() {
        text += "README.md of each says what there is, and what is left out\n";
    }
    if let Some(sha256) = &reply.sha256 {
        text += &format!("sha256 {sha256}\nleft out:\n");
        let mut last = "";
        for left in &reply.left_out {
            match left.why == last {
                true => text += &format!("  {}: as before\n", left.table),
                false => text += &format!("  {}: {}\n", left.table, left.why),
            }
            last = &left.why;
        }
    }
    text
}
