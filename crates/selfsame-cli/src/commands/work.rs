//! selfsame work

use crate::output::{Output, Tone, columns, harmless, harmless_lines};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::reflection::LimitRequest;
use selfsame_daemon::operations::work::{
    DoWork, DoWorkReply, DoWorkRequest, ListWork, ShowWork, WorkRecordReply, WorkRequest, WorkView,
};
use std::io::Read as _;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Take the next piece of work that waits for the agent itself
    Next,
    /// Give the answer to a piece of work, from a file or standard input
    Complete {
        /// The work: wrk_...
        id: String,
        /// The token that came with it
        #[arg(long)]
        token: i64,
        /// Where the answer is; - is standard input
        #[arg(long, value_name = "FILE", default_value = "-")]
        file: String,
    },
    /// Give a piece of work back undone
    Release {
        /// The work: wrk_...
        id: String,
        /// The token that came with it
        #[arg(long)]
        token: i64,
    },
    /// List the work of the agent's thinkers, the newest first
    List {
        /// Pieces of work, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one piece of work: every attempt, every tool
    Show {
        /// The work: wrk_...
        id: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    let asked = |action: &str| DoWorkRequest { action: action.into(), ..DoWorkRequest::default() };
    match command {
        Command::Next => {
            let reply = backend.call::<DoWork>(agent, &asked("next"))?;
            output.reply(&reply, |output| handed(&reply, output));
        }
        Command::Complete { id, token, file } => {
            let answer = answer(&file)?;
            let request =
                DoWorkRequest { id: Some(id), token: Some(token), reply: Some(answer), ..asked("complete") };
            let reply = backend.call::<DoWork>(agent, &request)?;
            output.reply(&reply, |output| completed(&reply, output));
        }
        Command::Release { id, token } => {
            let request = DoWorkRequest { id: Some(id), token: Some(token), ..asked("release") };
            let reply = backend.call::<DoWork>(agent, &request)?;
            output.reply(&reply, |output| completed(&reply, output));
        }
        Command::List { limit } => {
            let reply = backend.call::<ListWork>(agent, &LimitRequest { limit })?;
            output.reply(&reply, |_| match reply.work.is_empty() {
                true => "no work yet\n".into(),
                false => columns(&reply.work.iter().map(row).collect::<Vec<_>>()),
            });
        }
        Command::Show { id } => {
            let reply = backend.call::<ShowWork>(agent, &WorkRequest { id })?;
            output.reply(&reply, |output| record(&reply, output));
        }
    }
    Ok(())
}

fn answer(file: &str) -> Result<String, Failure> {
    let mut text = String::new();
    let read = match file {
        "-" => std::io::stdin().read_to_string(&mut text).map(|_| text),
        path => std::fs::read_to_string(path),
    };
    read.map_err(|error| {
        Failure::bad_request("unreadable", format!("the answer cannot be read from {file:?}: {error}"))
    })
}

fn handed(reply: &DoWorkReply, output: &Output) -> String {
    let Some(work) = &reply.work else { return "nothing to do\n".into() };
    let head = format!("{}  {}  until {}", work.id, work.kind, work.until);
    let back = format!("selfsame work complete {} --token {} --file ANSWER", work.id, work.token);
    format!(
        "{}\n{}\n\n{}\n\n{}\n",
        output.paint(Tone::Strong, &head),
        output.paint(Tone::Faint, &back),
        harmless_lines(&work.instructions),
        harmless_lines(&work.material)
    )
}

fn completed(reply: &DoWorkReply, output: &Output) -> String {
    let tone = if reply.outcome == "again" { Tone::Bad } else { Tone::Good };
    let more = reply.episode.as_deref().or(reply.reason.as_deref()).map(harmless).unwrap_or_default();
    format!("{}  {more}\n", output.paint(tone, &reply.outcome)).replace("  \n", "\n")
}

fn row(item: &WorkView) -> Vec<String> {
    let reason = item.reason.as_deref().map(harmless).unwrap_or_default();
    vec![item.id.clone(), item.kind.clone(), item.thinker.clone(), item.state.clone(), reason]
}

fn record(reply: &WorkRecordReply, output: &Output) -> String {
    let mut text = format!("{}\n", row(&reply.work).join("  ").trim_end());
    for one in &reply.attempts {
        let came = one.outcome.as_deref().unwrap_or("nobody came back");
        let model = one.model.as_deref().map(|model| format!(" {}", harmless(model))).unwrap_or_default();
        text +=
            &format!("  attempt {} by {}{model}: {came}, {} tokens\n", one.attempt, one.thinker, one.tokens);
        if let Some(reason) = &one.reason {
            text += &format!("    {}\n", output.paint(Tone::Faint, &harmless(reason)));
        }
    }
    for call in &reply.calls {
        let why = call.reason.as_deref().map(|why| format!(": {}", harmless(why))).unwrap_or_default();
        text += &format!("  {} {}{why}\n", harmless(&call.tool), call.outcome);
    }
    text
}
