//! selfsame conversation

use super::remember::content;
use crate::output::{Output, Tone, columns, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::conversation::{
    CloseConversation, CloseConversationRequest, ConversationReply, ConversationView, Exchange,
    ExchangeRequest, ListConversations, ListConversationsReply, ListConversationsRequest, MessageView,
    OpenConversation, OpenConversationRequest, Say, SayReply, SayRequest, SetActive, SetActiveRequest,
    ShowConversation, ShowConversationReply, ShowConversationRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Open a conversation, or find the one of that channel
    Open {
        /// Your own name for it
        #[arg(long)]
        channel: Option<String>,
        /// One that is there: cnv_...
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// What it is about
        #[arg(long)]
        title: Option<String>,
        /// With whom: a principal or an entity, by id or name
        #[arg(long, value_name = "WHO")]
        with: Option<String>,
        /// A run is on for so long: 15m, 2h; at most 24h
        #[arg(long, value_name = "DURATION")]
        active_for: Option<String>,
        /// If it is closed, open it again
        #[arg(long)]
        reopen: bool,
    },
    /// Say something
    Say {
        /// The words; `-` reads them from standard input
        content: String,
        /// Where: cnv_...
        #[arg(long, value_name = "ID")]
        conversation: Option<String>,
        /// Where, by your own name for it; a new one is opened
        #[arg(long)]
        channel: Option<String>,
        /// system, for the operator; others follow from who speaks
        #[arg(long)]
        role: Option<String>,
        /// When it was said, if that was earlier
        #[arg(long, value_name = "TIME")]
        at: Option<String>,
        /// Only you may see it
        #[arg(long)]
        private: bool,
    },
    /// List conversations, the newest first
    List {
        /// Those that began before this one: cnv_...
        #[arg(long, value_name = "ID")]
        before: Option<String>,
        /// Conversations, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show what was said
    Show {
        /// The conversation: cnv_...
        id: String,
        /// Begin after the message with this number
        #[arg(long, value_name = "SEQ")]
        after_seq: Option<u32>,
        /// Messages, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Say that a run is on, or over
    Active {
        /// The conversation: cnv_...
        id: String,
        /// Until when; if not given, the run is over
        #[arg(long, value_name = "TIME")]
        until: Option<String>,
    },
    /// Close a conversation
    Close {
        /// The conversation: cnv_...
        id: String,
    },
    /// Say something to another agent; only the agent itself may (--as agent)
    Exchange {
        /// The other agent, by name or id
        to: String,
        /// The words; `-` reads them from standard input
        content: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Open { channel, conversation, title, with, active_for, reopen } => {
            let request = OpenConversationRequest { conversation, channel, title, with, active_for, reopen };
            say(&backend.call::<OpenConversation>(agent, &request)?, output);
        }
        Command::Say { content: words, conversation, channel, role, at, private } => {
            let content = content(words)?;
            let request =
                SayRequest { conversation, channel, role, content, at, private, ..SayRequest::default() };
            let reply = backend.call::<Say>(agent, &request)?;
            output.reply(&reply, |output| said("said", &reply, output));
        }
        Command::List { before, limit } => {
            let request = ListConversationsRequest { before, limit };
            let reply = backend.call::<ListConversations>(agent, &request)?;
            output.reply(&reply, |_| listed(&reply));
        }
        Command::Show { id, after_seq, limit } => {
            let request = ShowConversationRequest { id, after_seq, limit };
            let reply = backend.call::<ShowConversation>(agent, &request)?;
            output.reply(&reply, |_| shown(&reply));
        }
        Command::Active { id, until } => {
            say(&backend.call::<SetActive>(agent, &SetActiveRequest { id, until })?, output);
        }
        Command::Close { id } => {
            say(&backend.call::<CloseConversation>(agent, &CloseConversationRequest { id })?, output);
        }
        Command::Exchange { to, content: words } => {
            let request = ExchangeRequest { to, content: content(words)? };
            let reply = backend.call::<Exchange>(agent, &request)?;
            output.reply(&reply, |output| {
                said("said", &reply.said, output) + &said("heard", &reply.heard, output)
            });
        }
    }
    Ok(())
}

fn say(reply: &ConversationReply, output: &Output) {
    let words = reply.outcome.replace('_', " ");
    output.reply(reply, |output| format!("{}  {}\n", output.paint(Tone::Good, &words), reply.id));
}

fn said(word: &str, reply: &SayReply, output: &Output) -> String {
    let word = output.paint(Tone::Good, word);
    let mut text = format!("{word}  {}  number {} of {}\n", reply.id, reply.seq, reply.conversation);
    for candidate in &reply.captured {
        let about = format!("{} {}  {}", candidate.status, candidate.candidate_type, candidate.id);
        text += &format!("  {}\n  {}\n", harmless(&candidate.content), output.paint(Tone::Faint, &about));
    }
    text
}

fn listed(reply: &ListConversationsReply) -> String {
    let mut text = columns(&reply.conversations.iter().map(row).collect::<Vec<_>>());
    if reply.needs_self_care {
        let count = reply.unarchived_messages;
        text += &format!("{count} messages are not archived: the agent should take care of itself\n");
    }
    text
}

fn row(conversation: &ConversationView) -> Vec<String> {
    let state = match (&conversation.closed_at, &conversation.active_until) {
        (Some(_), _) => "closed",
        (None, Some(_)) => "active",
        (None, None) => "open",
    };
    let name = conversation.title.as_ref().or(conversation.channel.as_ref());
    let at = conversation.last_message_at.as_ref().unwrap_or(&conversation.started_at);
    vec![
        conversation.id.clone(),
        state.into(),
        format!("{} messages", conversation.messages),
        at.get(..16).unwrap_or(at).replace('T', " "),
        name.map(|name| harmless(name)).unwrap_or_default(),
    ]
}

fn shown(reply: &ShowConversationReply) -> String {
    let mut text = columns(&reply.messages.iter().map(|message| line(message, reply)).collect::<Vec<_>>());
    if let Some(next) = reply.next_after_seq {
        text += &format!("more: --after-seq {next}\n");
    }
    text
}

/// Who spoke by name, or by role where there is none.
fn line(message: &MessageView, reply: &ShowConversationReply) -> Vec<String> {
    let named = reply.participants.iter().find(|one| message.speaker.as_ref() == Some(&one.entity));
    let who = named.map_or_else(|| message.role.clone(), |one| harmless(&one.name));
    vec![message.seq.to_string(), who, harmless(&message.content)]
}
