//! selfsame nudge

use crate::output::{Output, Tone, harmless, harmless_lines, local_minute, wrapped};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::heartbeat::{
    AnswerNudge, AnswerNudgeRequest, DismissNudge, DismissNudgeRequest, FetchNudges, FetchNudgesRequest,
    ListNudges, ListNudgesRequest, NudgeView, NudgesReply,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Fetch what is to be said to you, and list it: with that it is delivered
    List {
        /// For whom: a name or pri_...; somebody else's are looked at, not fetched [default: the operator]
        #[arg(long, value_name = "NAME")]
        principal: Option<String>,
        /// Look without fetching
        #[arg(long, conflicts_with = "fetch")]
        peek: bool,
        /// Fetch somebody else's: you tell them
        #[arg(long)]
        fetch: bool,
        /// Also what is over
        #[arg(long)]
        all: bool,
        /// How many, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Say that a nudge was answered
    Answer {
        /// nud_...
        id: String,
        /// What was said, in a few words
        answer: Option<String>,
    },
    /// Wave a nudge away; it counts as no answer
    Dismiss {
        /// nud_...
        id: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::List { principal, peek, fetch, all, limit } => {
            // Whoever looks at what waits for another has not told them.
            let fetches = fetch || (principal.is_none() && !peek);
            let to_fetch = FetchNudgesRequest { principal: principal.clone(), limit };
            let to_list = ListNudgesRequest { principal, all, before: None, limit };
            let fetched = fetches.then(|| backend.call::<FetchNudges>(agent, &to_fetch)).transpose()?;
            let reply = match fetched.filter(|_| !all) {
                Some(fetched) => fetched,
                None => backend.call::<ListNudges>(agent, &to_list)?,
            };
            let others = !fetches && !peek;
            output.reply(&reply, |output| listed(&reply, output) + &hint(&reply, others, output));
        }
        Command::Answer { id, answer } => {
            let reply = backend.call::<AnswerNudge>(agent, &AnswerNudgeRequest { id, answer })?;
            closed(&reply, output);
        }
        Command::Dismiss { id } => {
            closed(&backend.call::<DismissNudge>(agent, &DismissNudgeRequest { id })?, output);
        }
    }
    Ok(())
}

fn closed(nudge: &NudgeView, output: &Output) {
    output.reply(nudge, |output| format!("{}  {}\n", output.paint(Tone::Good, &nudge.state), nudge.id));
}

fn listed(reply: &NudgesReply, output: &Output) -> String {
    if reply.nudges.is_empty() {
        return "nothing to say\n".into();
    }
    reply.nudges.iter().map(|one| shown(one, &reply.principal.zone, output)).collect()
}

/// What to do where somebody else's wait.
fn hint(reply: &NudgesReply, others: bool, output: &Output) -> String {
    let waits = others && reply.nudges.iter().any(|nudge| nudge.delivered_at.is_none());
    let name = harmless(&reply.principal.name);
    let words = format!("not delivered by looking: --fetch when you tell {name}");
    if waits { output.paint(Tone::Faint, &words) + "\n" } else { String::new() }
}

/// What is said, why, what could be done, and where it stands.
pub(crate) fn shown(nudge: &NudgeView, zone: &str, output: &Output) -> String {
    let mut text = output.paint(Tone::Strong, &wrapped(&harmless_lines(&nudge.what), 0)) + "\n";
    for reason in &nudge.why {
        let words = format!("because {}", harmless(&reason.words));
        text += &format!("{}\n", output.paint(Tone::Faint, &wrapped(&words, 2)));
    }
    if !nudge.actions.is_empty() && nudge.closed_at.is_none() {
        let actions: Vec<String> = nudge.actions.iter().map(|action| harmless(action)).collect();
        text += &format!("{}\n", wrapped(&format!("you could: {}", actions.join(", ")), 2));
    }
    if let Some(answer) = &nudge.answer {
        let how = if nudge.state == "vetoed" { "held back by a thinker" } else { "answered" };
        text += &format!("{}\n", wrapped(&format!("{how}: {}", harmless(answer)), 2));
    }
    let at = local_minute(&nudge.created_at, zone);
    let whose = if nudge.template.is_some() { ", in a thinker's words" } else { "" };
    let stands = format!("{}  {at}, {}, {}{whose}", nudge.id, nudge.kind, nudge.state);
    text + &format!("{}\n", output.paint(Tone::Faint, &wrapped(&stands, 2)))
}
