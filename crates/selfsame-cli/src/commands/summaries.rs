//! selfsame summaries

use crate::output::{Output, Tone, date, harmless, harmless_lines};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::summary::{
    ListSummaries, ListSummariesRequest, ShowSummary, SummaryRequest, SummaryView,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List summaries of memories and of conversations, the newest first
    List {
        /// Also those that are in a later one
        #[arg(long)]
        all: bool,
        /// Summaries, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one summary with all that it was made from
    Show {
        /// The summary: sum_...
        id: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::List { all, limit } => {
            let reply = backend.call::<ListSummaries>(agent, &ListSummariesRequest { all, limit })?;
            output.left_out(&reply.damaged);
            output.reply(&reply, |output| match reply.summaries.is_empty() {
                true => "no summaries yet: `selfsame --as agent selfcare` makes some\n".into(),
                false => reply.summaries.iter().map(|summary| shown(summary, output)).collect(),
            });
        }
        Command::Show { id } => {
            let reply = backend.call::<ShowSummary>(agent, &SummaryRequest { id })?;
            output.reply(&reply, |output| {
                let sources = reply.sources.iter().map(|source| format!("  from {source}\n"));
                shown(&reply.summary, output) + &sources.collect::<String>()
            });
        }
    }
    Ok(())
}

fn shown(summary: &SummaryView, output: &Output) -> String {
    let with = summary.counterpart.as_ref().map(|who| format!(" with {}", harmless(who))).unwrap_or_default();
    let what = if summary.of == "memories" { "memories" } else { "messages" };
    let head = format!("{} {what}{with}", summary.rows);
    let mut text = format!("{}\n", output.paint(Tone::Strong, &head));
    if !summary.themes.is_empty() {
        text += &format!("  themes: {}\n", harmless(&summary.themes.join(", ")));
    }
    text += &format!("{}\n", harmless_lines(&summary.content));
    text.extend(summary.facts.iter().map(|fact| format!("  = {}\n", harmless(fact))));
    let by = if summary.written_by == "extract" { "extractive" } else { &summary.written_by };
    let folded = summary.folded_into.as_ref().map(|id| format!("  now in {id}")).unwrap_or_default();
    let below = format!(
        "{}  {} to {}  by {by}  trust {}{folded}",
        summary.id,
        date(&summary.from),
        date(&summary.until),
        summary.provenance.trust
    );
    format!("{text}  {}\n", output.paint(Tone::Faint, &below))
}
