//! selfsame selfcare

use crate::output::{Output, Tone, columns, harmless, harmless_lines, wrapped};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::self_care::{
    BatchView, SelfCare, SelfCareReply, SelfCareRequest, StandingView,
};
use std::io::Read as _;

#[derive(clap::Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Only the agent takes care of itself: say --as agent. Without a command everything that may be folded is folded,\nby the thinker of the settings (thinker.summarize), or of chosen sentences where there is none."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    wish: Wish,
}

/// What is to be folded.
#[derive(clap::Args, Default)]
pub(crate) struct Wish {
    /// A theme: it chooses the memories and steers the summary
    #[arg(long, value_name = "THEME")]
    focus: Option<String>,
    /// memories, conversations or both [default: both]
    #[arg(long, value_name = "WHAT")]
    what: Option<String>,
}

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Show how much is in mind, and what may be folded of it
    Status {
        #[command(flatten)]
        wish: Wish,
    },
    /// Take the next batch, to write its summary yourself
    Begin {
        #[command(flatten)]
        wish: Wish,
    },
    /// Give the summary of a batch, from a file or standard input
    Commit {
        /// The batch: bat_...
        batch: String,
        /// Where the summary is; - is standard input
        #[arg(long, value_name = "FILE", default_value = "-")]
        file: String,
    },
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let asked = |action: &str, wish: Wish| SelfCareRequest {
        action: Some(action.into()),
        focus: wish.focus,
        what: wish.what,
        ..SelfCareRequest::default()
    };
    let request = match args.command {
        None => asked("run", args.wish),
        Some(Command::Status { wish }) => asked("status", wish),
        Some(Command::Begin { wish }) => asked("begin", wish),
        Some(Command::Commit { batch, file }) => SelfCareRequest {
            batch: Some(batch),
            text: Some(text(&file)?),
            ..asked("commit", Wish::default())
        },
    };
    let reply = output.watching("looking what may be folded, and folding it", |watch| {
        resolution.backend().watched(watch.clone()).call::<SelfCare>(&resolution.agent, &request)
    })?;
    output.reply(&reply, |output| match (&reply.batch, &reply.now) {
        (Some(batch), _) => handed(batch, output),
        (None, Some(now)) if reply.outcome == "status" => standing(now),
        _ => told(&reply, output),
    });
    Ok(())
}

fn text(file: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| text),
        path => std::fs::read_to_string(path),
    };
    read.map_err(|error| {
        Failure::bad_request("unreadable", format!("the summary cannot be read from {file:?}: {error}"))
    })
}

fn handed(batch: &BatchView, output: &Output) -> String {
    let head = format!(
        "{}  {}, {} of {} rows, until {}",
        batch.id, batch.of, batch.until_row, batch.rows, batch.until
    );
    let back = format!("selfsame --as agent selfcare commit {} --file SUMMARY", batch.id);
    format!(
        "{}\n{}\n\n{}\n\n{}\n",
        output.paint(Tone::Strong, &head),
        output.paint(Tone::Faint, &back),
        harmless_lines(&batch.instructions),
        harmless_lines(&batch.material)
    )
}

fn told(reply: &SelfCareReply, output: &Output) -> String {
    let tone = if ["again", "given_up"].contains(&reply.outcome.as_str()) { Tone::Bad } else { Tone::Good };
    let mut text = output.paint(tone, &reply.outcome.replace('_', " "));
    if let Some(reason) = &reply.reason {
        text += &format!("  {}", wrapped(&harmless(reason), 0));
    }
    text.push('\n');
    if reply.memories + reply.messages > 0 {
        text +=
            &format!("  {} memories and {} messages went to the archive\n", reply.memories, reply.messages);
    }
    if reply.facts_left_out > 0 {
        text += &format!(
            "  {} facts found no place among what is carried on word by word (self_care.facts)\n",
            reply.facts_left_out
        );
    }
    text.extend(reply.summaries.iter().map(|id| format!("  {id}\n")));
    if let Some(work) = &reply.work {
        text += &format!(
            "  {work} waits for the agent: it comes for it with its tool `work`, or with\n    selfsame work next\n"
        );
    }
    if let (Some(before), Some(now)) = (&reply.before, &reply.now) {
        text += &format!("  {} tokens in mind, {} before", now.tokens, before.tokens);
        text += &match kept(now) {
            kept if kept.is_empty() => "\n".to_owned(),
            kept => format!("; not folded: {kept} ({} tokens)\n", now.held_tokens),
        };
    }
    text
}

fn standing(now: &StandingView) -> String {
    let mut rows = vec![
        vec!["in mind".into(), format!("{} tokens; advised from {} on", now.tokens, now.ceiling_tokens)],
        vec![
            "memories".into(),
            format!("{} tokens, {} may be folded", now.memory_tokens, now.eligible_memories),
        ],
        vec![
            "messages".into(),
            format!(
                "{} tokens, {} not archived, {} may be folded",
                now.message_tokens, now.unarchived_messages, now.eligible_messages
            ),
        ],
        vec!["summaries".into(), format!("{} tokens", now.summary_tokens)],
    ];
    if let Some(matching) = now.matching_memories {
        rows.push(vec!["theme".into(), format!("fits {matching} of them")]);
    }
    if !now.held.is_empty() {
        rows.push(vec!["stays".into(), format!("{} ({} tokens)", kept(now), now.held_tokens)]);
    }
    if now.needs_self_care {
        rows.push(vec!["advice".into(), "take care of yourself: `selfsame --as agent selfcare`".into()]);
    }
    columns(&rows)
}

/// What may not be folded, by the reason.
fn kept(now: &StandingView) -> String {
    now.held.iter().map(|(why, count)| format!("{count} {why}")).collect::<Vec<_>>().join(", ")
}
