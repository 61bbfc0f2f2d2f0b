//! conversation open, say, close, list, show, active, exchange: what was said, to whom and by whom.

use super::inbox::CandidateView;
use super::{Context, Method, Operation, Profile, Route, Tool};
use crate::failure::Failure;
use crate::wire::ProvenanceView;
use schemars::JsonSchema;
use selfsame::Error;
use selfsame::conversation::{Conversation, Message, OpenRequest, Place, Role, Said, Saying, Shown};
use selfsame::id::ConversationId;
use selfsame::kept::Kept;
use selfsame::key::Scope;
use selfsame::time::parse_duration;
use selfsame::trust::Privacy;
use serde::{Deserialize, Serialize};

const fn writes(idempotent: bool) -> Option<Tool> {
    Some(Tool { profile: Profile::Mind, read_only: false, destructive: false, idempotent })
}

const READS: Option<Tool> =
    Some(Tool { profile: Profile::Mind, read_only: true, destructive: false, idempotent: true });

/// A conversation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConversationView {
    /// `cnv_...`
    pub id: String,
    /// The host's own name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// With which principal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub principal: Option<String>,
    /// When it began.
    pub started_at: String,
    /// When something was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_message_at: Option<String>,
    /// A run is on until then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_until: Option<String>,
    /// When it was closed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed_at: Option<String>,
    /// How many messages it has: the number of the last one.
    pub messages: i64,
}

impl From<&Conversation> for ConversationView {
    fn from(conversation: &Conversation) -> ConversationView {
        ConversationView {
            id: conversation.id.to_string(),
            channel: conversation.channel.clone(),
            title: conversation.title.clone(),
            principal: conversation.principal.map(|id| id.to_string()),
            started_at: conversation.started_at.to_string(),
            last_message_at: conversation.last_message_at.map(|time| time.to_string()),
            active_until: conversation.active_until.map(|time| time.to_string()),
            closed_at: conversation.closed_at.map(|time| time.to_string()),
            messages: conversation.last_seq,
        }
    }
}

/// What became of a conversation.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ConversationReply {
    /// `cnv_...`
    pub id: String,
    /// `opened`, `there`, `reopened`, `closed`, `already_closed`, `active`, `over` or `unchanged`
    pub outcome: String,
}

fn told(reply: &ConversationReply) -> String {
    format!("{} {}", reply.outcome.replace('_', " "), reply.id)
}

fn outcome(id: ConversationId, outcome: &str) -> ConversationReply {
    ConversationReply { id: id.to_string(), outcome: outcome.into() }
}

/// Opens a conversation.
pub struct OpenConversation;

/// A conversation to be. The same channel again is the same conversation.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenConversationRequest {
    /// One that is there: `cnv_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// The host's own name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// With whom: a principal or an entity, by id or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub with: Option<String>,
    /// A run is on for so long: 15m, 2h; at most 24h.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_for: Option<String>,
    /// If it is closed, it is open again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reopen: bool,
}

impl Operation for OpenConversation {
    const NAME: &'static str = "conversation_open";
    const SUMMARY: &'static str = "Open a conversation, or find the one of that channel.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/conversations" };
    const TOOL: Option<Tool> = writes(false);
    type Request = OpenConversationRequest;
    type Reply = ConversationReply;

    fn run(context: &Context<'_>, request: OpenConversationRequest) -> Result<ConversationReply, Failure> {
        let active_for = request.active_for.as_deref().map(parse_duration).transpose();
        let active_for = active_for.map_err(|bad| Error::Unfit(format!("active_for: {bad}")))?;
        let open = OpenRequest {
            place: place(request.conversation.as_deref(), request.channel)?,
            title: request.title,
            with: request.with,
            active_for,
            reopen: request.reopen,
        };
        let opened = context.access()?.conversation_open(&open, context.idempotency()?.as_ref())?;
        Ok(outcome(opened.id, opened.outcome))
    }

    fn tell(reply: &ConversationReply) -> String {
        told(reply)
    }
}

fn place(conversation: Option<&str>, channel: Option<String>) -> Result<Option<Place>, Error> {
    match (conversation, channel) {
        (Some(_), Some(_)) => Err(Error::Unfit("give a conversation or a channel, not both".into())),
        (Some(id), None) => Ok(Some(Place::Conversation(id.parse()?))),
        (None, channel) => Ok(channel.map(Place::Channel)),
    }
}

/// Files a message.
pub struct Say;

/// What was said. Whose words they are follows from the key and the role.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SayRequest {
    /// Where: `cnv_...`
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    /// Where, by the host's own name; a new one is opened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub channel: Option<String>,
    /// user, assistant, peer or tool, named by hosts; whoever speaks for itself leaves it out. system is the operator's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    /// Who speaks, for peer: an entity by id or name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The words.
    pub content: String,
    /// When it was said, for messages that are filed late; not before the message that it follows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
    /// Only the principal who said it and the operator may see it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private: bool,
    /// The host's own name for the message, or the tool call that it came by.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// The message as it was filed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct SayReply {
    /// `msg_...`
    pub id: String,
    /// `cnv_...`
    pub conversation: String,
    /// Its number there: none is left out.
    pub seq: i64,
    /// What it yielded for the inbox; what was asked to be remembered is promoted already.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub captured: Vec<CandidateView>,
}

impl From<Said> for SayReply {
    fn from(said: Said) -> SayReply {
        SayReply {
            id: said.message.to_string(),
            conversation: said.conversation.to_string(),
            seq: said.seq,
            captured: Vec::new(),
        }
    }
}

impl Operation for Say {
    const NAME: &'static str = "conversation_say";
    const SUMMARY: &'static str = "File a message of a conversation, word for word.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/messages" };
    const TOOL: Option<Tool> = writes(false);
    type Request = SayRequest;
    type Reply = SayReply;

    fn run(context: &Context<'_>, request: SayRequest) -> Result<SayReply, Failure> {
        let saying = saying(request)?;
        let access = context.access()?;
        let said = access.conversation_say(&saying, context.idempotency()?.as_ref())?;
        let captured = access.captured(said.message)?.iter().map(Into::into).collect();
        Ok(SayReply { captured, ..said.into() })
    }

    fn tell(reply: &SayReply) -> String {
        let mut told = format!("said {} as number {} of {}", reply.id, reply.seq, reply.conversation);
        for candidate in &reply.captured {
            told += &format!("\n{}: {} [{}]", candidate.status, candidate.content, candidate.id);
        }
        told
    }
}

fn saying(request: SayRequest) -> Result<Saying, Error> {
    let place = place(request.conversation.as_deref(), request.channel)?.ok_or_else(|| {
        Error::Unfit(
            "say where: give a channel by a name of your own (`--channel terminal`), or a conversation"
                .into(),
        )
    })?;
    Ok(Saying {
        place,
        role: request.role.as_deref().map(Role::parse).transpose()?,
        speaker: request.speaker,
        content: request.content,
        at: request.at.map(|time| time.parse()).transpose()?,
        privacy: if request.private { Privacy::Private } else { Privacy::Shared },
        source: request.source,
    })
}

/// Shows a conversation.
pub struct ShowConversation;

/// Which, and from where.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ShowConversationRequest {
    /// `cnv_...`
    pub id: String,
    /// Begin after the message with this number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_seq: Option<u32>,
    /// Messages, at most (1 to 1000; 100 if not given).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A conversation with what was said.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ShowConversationReply {
    /// The conversation.
    pub conversation: ConversationView,
    /// Who takes part, besides the agent.
    pub participants: Vec<ParticipantView>,
    /// In their order.
    pub messages: Vec<MessageView>,
    /// Messages that were left out because they are damaged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub damaged: Vec<String>,
    /// The `after_seq` of the next page, if there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_after_seq: Option<i64>,
}

/// Somebody who takes part.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ParticipantView {
    /// `ent_...`
    pub entity: String,
    /// Its name.
    pub name: String,
    /// How often it spoke.
    pub messages: i64,
}

/// One message.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct MessageView {
    /// `msg_...`
    pub id: String,
    /// Its number.
    pub seq: i64,
    /// user, assistant, peer, tool or system.
    pub role: String,
    /// Who spoke, if it was a user or peer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speaker: Option<String>,
    /// The words.
    pub content: String,
    /// When it was said.
    pub at: String,
    /// When it was archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub archived_at: Option<String>,
    /// Where it comes from.
    #[serde(flatten)]
    pub provenance: ProvenanceView,
}

impl From<&Kept<Message>> for MessageView {
    fn from(message: &Kept<Message>) -> MessageView {
        MessageView {
            id: message.id.to_string(),
            seq: message.seq,
            role: message.role.as_str().to_owned(),
            speaker: message.speaker.map(|id| id.to_string()),
            content: message.content.clone(),
            at: message.created_at.to_string(),
            archived_at: message.archived_at.map(|time| time.to_string()),
            provenance: (&message.provenance).into(),
        }
    }
}

impl Operation for ShowConversation {
    const NAME: &'static str = "conversation_show";
    const SUMMARY: &'static str = "Show what was said in a conversation, page by page.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/conversations/{id}" };
    const TOOL: Option<Tool> = READS;
    type Request = ShowConversationRequest;
    type Reply = ShowConversationReply;

    fn run(
        context: &Context<'_>,
        request: ShowConversationRequest,
    ) -> Result<ShowConversationReply, Failure> {
        let access = context.access()?;
        let id = request.id.parse().map_err(Error::from)?;
        let (after, limit) = (request.after_seq.unwrap_or(0), request.limit.unwrap_or(100));
        Ok(shown(&access.conversation_show(id, after.into(), limit as usize)?))
    }

    fn tell(reply: &ShowConversationReply) -> String {
        let lines = reply.messages.iter().map(|said| format!("{} {}: {}", said.seq, said.role, said.content));
        match reply.messages.is_empty() {
            true => "nothing was said".into(),
            false => lines.collect::<Vec<_>>().join("\n"),
        }
    }
}

fn shown(shown: &Shown) -> ShowConversationReply {
    let participants = shown.participants.iter().map(|(entity, participant)| ParticipantView {
        entity: entity.id.to_string(),
        name: entity.name.clone(),
        messages: participant.messages,
    });
    ShowConversationReply {
        conversation: (&shown.conversation).into(),
        participants: participants.collect(),
        messages: shown.messages.iter().map(MessageView::from).collect(),
        damaged: shown.damaged.iter().map(ToString::to_string).collect(),
        next_after_seq: shown.next_after_seq,
    }
}

/// Lists conversations.
pub struct ListConversations;

/// From where.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListConversationsRequest {
    /// Those that began before this one: the `next` of the page before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Conversations, at most (1 to 1000; 100 if not given).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
}

/// A page of conversations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ListConversationsReply {
    /// The newest first.
    pub conversations: Vec<ConversationView>,
    /// Messages of the agent that are not archived.
    pub unarchived_messages: u64,
    /// They are so many that self-care is advised.
    pub needs_self_care: bool,
    /// Where the next page begins, if there may be one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
}

impl Operation for ListConversations {
    const NAME: &'static str = "conversation_list";
    const SUMMARY: &'static str =
        "List conversations, the newest first, and say whether archiving is advised.";
    const SCOPE: Scope = Scope::Read;
    const ROUTE: Route = Route { method: Method::Get, path: "/v1/agents/{agent}/conversations" };
    const TOOL: Option<Tool> = READS;
    type Request = ListConversationsRequest;
    type Reply = ListConversationsReply;

    fn run(
        context: &Context<'_>,
        request: ListConversationsRequest,
    ) -> Result<ListConversationsReply, Failure> {
        let before = request.before.map(|id| id.parse()).transpose().map_err(Error::from)?;
        let limit = request.limit.unwrap_or(100) as usize;
        let listed = context.access()?.conversation_list(before, limit)?;
        let page = &listed.conversations;
        Ok(ListConversationsReply {
            conversations: page.iter().map(ConversationView::from).collect(),
            unarchived_messages: listed.unarchived,
            needs_self_care: listed.needs_self_care,
            next: page.last().filter(|_| page.len() == limit).map(|last| last.id.to_string()),
        })
    }

    fn tell(reply: &ListConversationsReply) -> String {
        let advice = if reply.needs_self_care { "; self-care is advised" } else { "" };
        let (count, messages) = (reply.conversations.len(), reply.unarchived_messages);
        format!("{count} conversations, {messages} messages not archived{advice}")
    }
}

/// Says that a run is on.
pub struct SetActive;

/// Which, and until when.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SetActiveRequest {
    /// `cnv_...`
    pub id: String,
    /// Until when, at most 24h from now; if not given, the run is over.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
}

impl Operation for SetActive {
    const NAME: &'static str = "conversation_active";
    const SUMMARY: &'static str =
        "Say that a run is on in a conversation until some time, or that it is over.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/conversations/{id}/active" };
    const TOOL: Option<Tool> = writes(true);
    type Request = SetActiveRequest;
    type Reply = ConversationReply;

    fn run(context: &Context<'_>, request: SetActiveRequest) -> Result<ConversationReply, Failure> {
        let access = context.access()?;
        let id = request.id.parse().map_err(Error::from)?;
        let until = request.until.map(|time| time.parse()).transpose().map_err(Error::from)?;
        let changed = access.conversation_active(id, until)?;
        let word = match (changed, until) {
            (false, _) => "unchanged",
            (true, Some(_)) => "active",
            (true, None) => "over",
        };
        Ok(outcome(id, word))
    }

    fn tell(reply: &ConversationReply) -> String {
        told(reply)
    }
}

/// Closes a conversation.
pub struct CloseConversation;

/// Which.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CloseConversationRequest {
    /// `cnv_...`
    pub id: String,
}

impl Operation for CloseConversation {
    const NAME: &'static str = "conversation_close";
    const SUMMARY: &'static str =
        "Close a conversation: nothing more is said in it until it is opened again.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/conversations/{id}/close" };
    const TOOL: Option<Tool> = writes(true);
    type Request = CloseConversationRequest;
    type Reply = ConversationReply;

    fn run(context: &Context<'_>, request: CloseConversationRequest) -> Result<ConversationReply, Failure> {
        let access = context.access()?;
        let id = request.id.parse().map_err(Error::from)?;
        let closed = access.conversation_close(id)?;
        Ok(outcome(id, if closed { "closed" } else { "already_closed" }))
    }

    fn tell(reply: &ConversationReply) -> String {
        told(reply)
    }
}

/// Says something to another agent.
pub struct Exchange;

/// To whom, and what.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExchangeRequest {
    /// The other agent, by name or id.
    pub to: String,
    /// The words.
    pub content: String,
}

/// The message as both have it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct ExchangeReply {
    /// In the mind of who spoke.
    pub said: SayReply,
    /// In the mind of who was spoken to.
    pub heard: SayReply,
}

impl Operation for Exchange {
    const NAME: &'static str = "conversation_exchange";
    const SUMMARY: &'static str =
        "Say something to another agent of this house; both have it at once. Only the agent itself may.";
    const SCOPE: Scope = Scope::Write;
    const ROUTE: Route = Route { method: Method::Post, path: "/v1/agents/{agent}/exchange" };
    const TOOL: Option<Tool> = writes(false);
    type Request = ExchangeRequest;
    type Reply = ExchangeReply;

    fn run(context: &Context<'_>, request: ExchangeRequest) -> Result<ExchangeReply, Failure> {
        let access = context.access()?;
        context.reaches(&request.to)?;
        let key = context.idempotency()?;
        let exchanged = access.exchange(&request.to, &request.content, key.as_ref())?;
        Ok(ExchangeReply { said: exchanged.said.into(), heard: exchanged.heard.into() })
    }

    fn tell(reply: &ExchangeReply) -> String {
        format!("said {}, heard as {}", reply.said.id, reply.heard.id)
    }
}
