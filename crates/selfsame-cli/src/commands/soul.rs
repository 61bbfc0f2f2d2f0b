//! selfsame soul

use crate::output::{Output, Tone, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::soul::{
    AddToSoul, AddToSoulRequest, ListSoul, ListSoulReply, ListSoulRequest, RemoveFromSoul,
    RemoveFromSoulRequest, SoulReply, SoulView,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add a truth: a belief, value, fear or conviction
    Add {
        /// In the first person; not a fact
        content: String,
        /// Why it is part of the agent now
        #[arg(long, value_name = "REASON")]
        because: String,
        /// belief, value, fear or conviction [default: belief]
        #[arg(long)]
        kind: Option<String>,
    },
    /// Remove an entry; it stays in the history
    Remove {
        /// The entry: sou_...
        id: String,
        /// Why it is no longer part of the agent
        #[arg(long, value_name = "REASON")]
        because: String,
    },
    /// List what the agent is at heart
    List {
        /// Also what was removed, with when, why and by whom
        #[arg(long)]
        history: bool,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Add { content, because, kind } => {
            let request = AddToSoulRequest { content, kind, reason: because };
            say(&backend.call::<AddToSoul>(agent, &request)?, output);
        }
        Command::Remove { id, because } => {
            let request = RemoveFromSoulRequest { id, reason: because };
            say(&backend.call::<RemoveFromSoul>(agent, &request)?, output);
        }
        Command::List { history } => {
            let reply = backend.call::<ListSoul>(agent, &ListSoulRequest { history })?;
            output.reply(&reply, |output| words(&reply, output));
        }
    }
    Ok(())
}

fn say(reply: &SoulReply, output: &Output) {
    let outcome = reply.outcome.replace('_', " ");
    output.reply(reply, |output| format!("{}  {}\n", output.paint(Tone::Good, &outcome), reply.id));
}

fn words(reply: &ListSoulReply, output: &Output) -> String {
    if reply.entries.is_empty() {
        return "the soul has no entries yet\n".into();
    }
    reply.entries.iter().map(|entry| entry_words(entry, output)).collect()
}

fn entry_words(entry: &SoulView, output: &Output) -> String {
    let tone = if entry.removed.is_some() { Tone::Faint } else { Tone::Strong };
    let mut text = format!("{:10}  {}\n", entry.kind, output.paint(tone, &harmless(&entry.content)));
    let about = format!("{}  {}  because {}", entry.id, date(&entry.created_at), harmless(&entry.reason));
    text += &format!("            {}\n", output.paint(Tone::Faint, &about));
    if let Some(end) = &entry.removed {
        let about = format!("removed {} by {} because {}", date(&end.at), end.by, harmless(&end.reason));
        text += &format!("            {}\n", output.paint(Tone::Faint, &about));
    }
    text
}
