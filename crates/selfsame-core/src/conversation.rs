//! Conversations: what a message is, who may say what, and which times it may have.
//!
//! Numbering and counting are done in the transaction that stores a message; here is what can be judged without one.

use crate::id::{AgentId, ConversationId, EntityId, MessageId};
use crate::kept::{Words, row};
use crate::seal::Sealer;
use crate::time::Time;
use crate::trust::{Author, Caller};
use crate::word::words;
use std::time::Duration;

/// Bytes in a host's name for a conversation, at most.
pub const MAX_CHANNEL_BYTES: usize = 256;
/// Bytes in a title, at most.
pub const MAX_TITLE_BYTES: usize = 256;
/// How far ahead a run may be announced. A host that is still busy then says so again.
pub const MAX_ACTIVE: Duration = Duration::from_secs(24 * 60 * 60);

words! {
    /// As what a message stands in its conversation.
    Role, "role of a message":
    /// A principal's words.
    User = "user",
    /// The agent's own.
    Assistant = "assistant",
    /// Somebody else's: another agent, or a person whom nobody vouches for.
    Peer = "peer",
    /// What a tool returned.
    Tool = "tool",
    /// The operator's framing; nobody's turn.
    System = "system",
}

/// One message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Its id.
    pub id: MessageId,
    /// In whose mind.
    pub agent: AgentId,
    /// In which conversation.
    pub conversation: ConversationId,
    /// Its number there: the first is 1, and none is left out.
    pub seq: i64,
    /// As what.
    pub role: Role,
    /// Who spoke; none for the agent itself, tools and the system.
    pub speaker: Option<EntityId>,
    /// The words.
    pub content: String,
    /// When it was said.
    pub created_at: Time,
    /// When self-care moved it to the archive.
    pub archived_at: Option<Time>,
}

impl Words for Message {
    row!("messages", "message");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .id("conversation_id", self.conversation.id())
            .text("seq", &self.seq.to_string())
            .text("role", self.role.as_str())
            .opt_id("speaker_id", self.speaker.map(EntityId::id))
            .text("content", &self.content)
            .time("created_at", self.created_at)
    }
}

/// Why a message cannot be filed as what was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum RoleProblem {
    /// A host speaks for several and has to say for whom.
    #[error("a host names the role of each message: give user, assistant, peer or tool")]
    Unnamed,
    /// A host without a principal has no user.
    #[error("this host's key names no principal: make one with `selfsame key create --speaks-as host`")]
    NoPrincipal,
    /// Only a host speaks for others.
    #[error("you may not file a message as {}: {}", .asked.as_str(), .instead)]
    NotYours {
        /// What was asked.
        asked: Role,
        /// What can be done.
        instead: &'static str,
    },
}

/// As what a message is filed, and whose words it then holds.
///
/// Whoever speaks for itself has one role: a principal is the user, the agent the assistant. Only a host, which carries
/// everybody's words, names roles; what it brings is never more than a principal's word, even if the principal is the
/// operator. The words of a peer are vouched for by nobody, like a tool's. `system` is the operator's alone: whatever
/// else claims to be the system is somebody's text.
pub fn voice(asked: Option<Role>, filer: &Caller, is_host: bool) -> Result<(Role, Caller), RoleProblem> {
    let principal = filer.principal_id();
    if !is_host {
        return own_voice(asked, filer);
    }
    match asked.ok_or(RoleProblem::Unnamed)? {
        Role::User => Ok((Role::User, Caller::principal(principal.ok_or(RoleProblem::NoPrincipal)?))),
        Role::Assistant => Ok((Role::Assistant, Caller::agent(principal))),
        role @ (Role::Peer | Role::Tool) => Ok((role, Caller::tool(principal))),
        asked @ Role::System => {
            Err(RoleProblem::NotYours { asked, instead: "only the operator speaks as system" })
        }
    }
}

fn own_voice(asked: Option<Role>, filer: &Caller) -> Result<(Role, Caller), RoleProblem> {
    let own = match filer.author() {
        Author::Agent => Role::Assistant,
        _ => Role::User,
    };
    match asked.unwrap_or(own) {
        asked if asked == own => Ok((own, *filer)),
        Role::System if filer.is_operator() => Ok((Role::System, *filer)),
        asked => {
            let instead = match own {
                Role::Assistant => "you speak as the agent, so leave the role out (assistant)",
                _ => "you speak for yourself, so leave the role out (user); only a host's key names roles",
            };
            Err(RoleProblem::NotYours { asked, instead })
        }
    }
}

/// Why a message cannot have been said then.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TimeProblem {
    /// Not yet.
    #[error("at: {0} lies in the future; leave it out for a message of this moment")]
    Future(Time),
    /// The numbers of a conversation follow its times.
    #[error("at: {at} is before the last message of the conversation ({last}); file messages in their order")]
    Earlier {
        /// As given.
        at: Time,
        /// The last message's.
        last: Time,
    },
}

/// When a message was said: now, or in the past if a host files it late, but never before the message it follows.
pub fn said_at(asked: Option<Time>, last: Option<Time>, now: Time) -> Result<Time, TimeProblem> {
    match (asked, last) {
        (Some(at), _) if at > now => Err(TimeProblem::Future(at)),
        (Some(at), Some(last)) if at < last => Err(TimeProblem::Earlier { at, last }),
        (Some(at), _) => Ok(at),
        // Another machine's clock may have been ahead.
        (None, last) => Ok(last.map_or(now, |last| last.max(now))),
    }
}

/// The name of the conversation that two agents share: the same in both minds, whoever speaks first.
pub fn agents_channel(one: AgentId, other: AgentId) -> String {
    let (first, second) = if one < other { (one, other) } else { (other, one) };
    format!("agent:{first}:{second}")
}
