//! Conversations: opened, spoken in, closed, read; and two agents that talk to each other.
//!
//! A message is filed with everything that follows from it in one transaction: its number, its place in the index, whom
//! it mentions, who took part, and how the agent stands to them.

use crate::entity::mentioned_in;
use crate::error::{Error, Result, StoreResult, check_field, check_limit};
use crate::heartbeat::told;
use crate::indexing;
use crate::meaning::Meaning;
use crate::mind::{Access, Mind};
use crate::relationship::{Meeting, meet, recount};
use selfsame_core::conversation::{
    MAX_ACTIVE, MAX_CHANNEL_BYTES, MAX_TITLE_BYTES, RoleProblem, agents_channel, said_at, voice,
};
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, ConversationId, EntityId, MessageId};
use selfsame_core::inbox::Candidate;
use selfsame_core::kept::Kept;
use selfsame_core::recall::indexed::{Indexed, indexed};
use selfsame_core::recall::thread::SITTING_PAUSE;
use selfsame_core::time::civil::Date;
use selfsame_core::time::{Time, Zone};
use selfsame_core::tokens::count;
use selfsame_core::trust::{Author, Caller, Lineage, Privacy, Provenance};
use selfsame_store::agents::Agent;
use selfsame_store::entities::Entity;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{
    Idempotency, Reader, Replay, StoreError, Writer, conversations, entities, events, inbox, mentions,
    messages,
};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::time::Duration;

pub use selfsame_core::conversation::{Message, Role};
pub use selfsame_store::conversations::{Conversation, Participant};

/// Conversations or messages in one answer, at most.
const MAX_LIMIT: usize = 1000;
/// Bytes in the name of a source, at most.
const MAX_SOURCE_BYTES: usize = 512;

/// Which conversation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Place {
    /// By its id.
    Conversation(ConversationId),
    /// By the host's own name for it.
    Channel(String),
}

/// A conversation to be opened, or opened again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OpenRequest {
    /// Which; a new one without a channel if not given.
    pub place: Option<Place>,
    /// What it is about.
    pub title: Option<String>,
    /// With whom: a principal or an entity, by id or name.
    pub with: Option<String>,
    /// The host says that a run is on for so long.
    pub active_for: Option<Duration>,
    /// If it is closed, it is open again.
    pub reopen: bool,
}

/// What became of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Opened {
    /// The conversation.
    pub id: ConversationId,
    /// `opened`, `there`, `reopened`, or `closed` if it is closed and was not to be reopened.
    pub outcome: &'static str,
}

const OUTCOMES: [&str; 4] = ["opened", "there", "reopened", "closed"];

/// Something to be said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Saying {
    /// Where. A channel that is not there yet is opened.
    pub place: Place,
    /// As what; whoever speaks for itself need not say.
    pub role: Option<Role>,
    /// Who speaks, for `peer`: an entity by id or name.
    pub speaker: Option<String>,
    /// The words.
    pub content: String,
    /// When it was said, if a host files it late.
    pub at: Option<Time>,
    /// Who may see it.
    pub privacy: Privacy,
    /// The host's own name for the message.
    pub source: Option<String>,
}

impl Saying {
    /// Something that the caller itself says.
    pub fn new(place: Place, content: impl Into<String>) -> Saying {
        Saying {
            place,
            role: None,
            speaker: None,
            content: content.into(),
            at: None,
            privacy: Privacy::Shared,
            source: None,
        }
    }
}

/// A message that was filed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Said {
    /// The message.
    pub message: MessageId,
    /// Where.
    pub conversation: ConversationId,
    /// Its number there.
    pub seq: i64,
}

/// A message from one agent to another, as both have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Exchanged {
    /// In the mind of who spoke.
    pub said: Said,
    /// In the mind of who was spoken to.
    pub heard: Said,
}

/// Conversations, and whether there are so many words in them that archiving is advised.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The newest first.
    pub conversations: Vec<Conversation>,
    /// Messages of the agent that are not archived.
    pub unarchived: u64,
    /// Archiving is advised.
    pub needs_self_care: bool,
}

/// A conversation with who took part and a page of what was said.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    /// The conversation.
    pub conversation: Conversation,
    /// Who takes part, besides the agent.
    pub participants: Vec<(Entity, Participant)>,
    /// In their order.
    pub messages: Vec<Kept<Message>>,
    /// Messages that were left out because they are damaged.
    pub damaged: Vec<MessageId>,
    /// Where the next page begins, if there may be one.
    pub next_after_seq: Option<i64>,
}

impl Access<'_> {
    /// Opens a conversation. The same channel again is the same conversation.
    pub fn conversation_open(&self, request: &OpenRequest, key: Option<&Idempotency>) -> Result<Opened> {
        let request = &self.without_secrets(request.clone());
        if let Some(Place::Channel(channel)) = &request.place {
            check_field("channel", channel, MAX_CHANNEL_BYTES)?;
        }
        if let Some(title) = &request.title {
            check_field("title", title, MAX_TITLE_BYTES)?;
        }
        let now = self.mind.now();
        let active_until = request.active_for.map(|length| until(now, length)).transpose()?;
        let with = request.with.as_deref().map(|with| self.partner(with)).transpose()?;
        let fresh = self.fresh_conversation(&request.place, with, now)?;
        let known = matches!(request.place, Some(Place::Conversation(_)));
        if let Some(Place::Conversation(id)) = request.place {
            self.require_conversation(id)?;
        }
        let agent = self.agent.id;
        Ok(self.mind.store.write(&self.caller, &[agent], key, |writer| {
            let found = match &request.place {
                Some(place) => at_place(writer, agent, place)?,
                None => None,
            };
            if found.is_none() && known {
                return Err(StoreError::Refused("the conversation is gone".into()));
            }
            let is_new = found.is_none();
            let mut conversation = found.unwrap_or_else(|| fresh.row.clone());
            let was_closed = conversation.closed_at.is_some();
            conversation.title = request.title.clone().or(conversation.title);
            conversation.active_until = active_until.or(conversation.active_until);
            if request.reopen {
                conversation.closed_at = None;
            }
            if is_new {
                fresh.insert(writer, agent, &conversation)?;
            } else {
                conversations::change(writer, agent, &conversation)?;
            }
            if let Some((entity, _)) = with {
                conversations::join_in(writer, agent, conversation.id, entity, now)?;
            }
            let outcome = match (is_new, was_closed, request.reopen) {
                (true, ..) => "opened",
                (false, true, true) => "reopened",
                (false, true, false) => "closed",
                (false, false, _) => "there",
            };
            record(writer, agent, now, outcome, conversation.id)?;
            Ok(Opened { id: conversation.id, outcome })
        })?)
    }

    /// Files a message. When this returns, it is on disk with everything that follows from it.
    pub fn conversation_say(&self, saying: &Saying, key: Option<&Idempotency>) -> Result<Said> {
        let saying = &self.without_secrets(saying.clone());
        check_field("content", &saying.content, self.mind.settings.memory.max_content_bytes)?;
        if let Some(source) = &saying.source {
            check_field("source", source, MAX_SOURCE_BYTES)?;
        }
        match &saying.place {
            Place::Channel(channel) => check_field("channel", channel, MAX_CHANNEL_BYTES)?,
            Place::Conversation(id) => drop(self.require_conversation(*id)?),
        }
        let (role, author) = voice(saying.role, &self.caller, self.is_host).map_err(role_error)?;
        let speaker = self.speaker(role, &author, saying.speaker.as_deref())?;
        let now = self.mind.now();
        let provenance = Provenance::stated(&author, saying.source.clone(), saying.privacy);
        let turn = Turn::new(self.mind, &self.agent, role, provenance, &saying.content, (saying.at, now))?;
        let turn = Turn { speaker, ..turn };
        let yields = self.candidates_of(&saying.content, &turn.provenance, None, Some(turn.message), now);
        let mut filed = Vec::new();
        let fresh = self.fresh_conversation(&Some(saying.place.clone()), None, now)?;
        let said = self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let conversation = match at_place(writer, self.agent.id, &saying.place)? {
                Some(found) => found,
                None => fresh.insert_as_is(writer, self.agent.id)?,
            };
            let said = turn.file(writer, conversation, "said")?;
            let rows = in_conversation(&yields, said.conversation);
            let most = self.mind.settings.inbox.max_pending;
            filed = inbox::file(writer, self.agent.id, &rows, most, now)?;
            Ok(said)
        })?;
        // After a crash here the hourly sweep promotes what was asked for.
        let asked = filed.iter().zip(&yields).filter(|(_, row)| row.is_explicit()).map(|(filed, _)| filed.id);
        self.promote_asked_for(&asked.collect::<Vec<_>>())?;
        Ok(said)
    }

    /// What a message yielded for the inbox, as far as the caller may see it.
    pub fn captured(&self, message: MessageId) -> Result<Vec<Kept<Candidate>>> {
        let agent = self.agent.id;
        let found = self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| inbox::of_message(reader, agent, message))?;
        let is_seen = |candidate: &Kept<Candidate>| candidate.provenance.is_visible_to(&self.caller);
        Ok(found.into_iter().filter(is_seen).collect())
    }

    /// Says something to another agent of this house: one row in each mind, in one transaction.
    pub fn exchange(&self, to: &str, content: &str, key: Option<&Idempotency>) -> Result<Exchanged> {
        if self.caller.author() != Author::Agent {
            return Err(Error::Forbidden(
                "agents talk for themselves: speak as the agent (`selfsame --as agent`, or a key that speaks as agent)"
                    .into(),
            ));
        }
        let content = &*self.masked(content);
        check_field("content", content, self.mind.settings.memory.max_content_bytes)?;
        let other = self.mind.require_agent(to)?;
        if other.id == self.agent.id {
            return Err(Error::Unfit(format!("{:?} cannot talk to itself: name another agent", other.name)));
        }
        let now = self.mind.now();
        let own = Provenance::stated(&Caller::agent(None), None, Privacy::Shared);
        let said = Turn::new(self.mind, &self.agent, Role::Assistant, own.clone(), content, (None, now))?;
        let heard_from = Provenance::linked(&own, said.message.to_string())
            .map_err(|private| Error::Unfit(private.to_string()))?;
        let heard = Turn::new(self.mind, &other, Role::Peer, heard_from, content, (None, now))?;
        let channel = Place::Channel(agents_channel(self.agent.id, other.id));
        let here = Contact::new(self, &channel, &other.name, other.id, now)?;
        let there = Contact::new(self, &channel, &self.agent.name, self.agent.id, now)?;
        Ok(self.mind.store.write(&self.caller, &[self.agent.id, other.id], key, |writer| {
            let (conversation, _) = here.ensure(writer, self.agent.id, now)?;
            let said = said.file(writer, conversation, "said")?;
            let (conversation, speaker) = there.ensure(writer, other.id, now)?;
            let heard =
                Turn { speaker: Some(speaker), ..heard.clone() }.file(writer, conversation, "heard")?;
            Ok(Exchanged { said, heard })
        })?)
    }

    /// Closes a conversation; says whether it was open.
    pub fn conversation_close(&self, id: ConversationId) -> Result<bool> {
        let now = self.mind.now();
        self.change_conversation(id, "closed", |conversation| {
            let open = conversation.closed_at.is_none();
            conversation.closed_at = conversation.closed_at.or(Some(now));
            conversation.active_until = None;
            open
        })
    }

    /// The host says until when a run is on, or that it is over; says whether that is news.
    pub fn conversation_active(&self, id: ConversationId, until: Option<Time>) -> Result<bool> {
        let now = self.mind.now();
        if let Some(until) = until {
            check_run(now, until)?;
        }
        self.change_conversation(id, "active", |conversation| {
            let news = conversation.active_until != until;
            conversation.active_until = until;
            news
        })
    }

    /// The conversations that began before another one, the newest first.
    pub fn conversation_list(&self, before: Option<ConversationId>, limit: usize) -> Result<Listed> {
        check_limit(limit, MAX_LIMIT)?;
        let agent = self.agent.id;
        let (conversations, unarchived) = self.mind.store.read(&self.caller, &[agent], |reader| {
            let page = conversations::page(reader, agent, before, limit as i64)?;
            Ok((page, messages::unarchived(reader, agent)?))
        })?;
        let needs_self_care = self.mind.advises_archival(unarchived);
        let conversations = conversations.into_iter().map(|one| self.titled(one)).collect();
        Ok(Listed { conversations, unarchived, needs_self_care })
    }

    /// A conversation, and what was said in it after a number.
    pub fn conversation_show(&self, id: ConversationId, after_seq: i64, limit: usize) -> Result<Shown> {
        check_limit(limit, MAX_LIMIT)?;
        let conversation = self.require_conversation(id)?;
        let agent = self.agent.id;
        Ok(self.mind.store.read(&self.caller, &[agent], |reader| {
            let participants = conversations::participants(reader, agent, id)?;
            let mut participants = with_entities(reader, agent, participants)?;
            for (entity, _) in &mut participants {
                *entity = self.as_seen(reader, entity.clone())?;
            }
            let page = messages::after(reader, agent, id, after_seq, limit as i64)?;
            let is_full = page.len() == limit;
            let (mut shown, mut damaged, mut last) = (Vec::new(), Vec::new(), None);
            for read in page {
                match read {
                    Ok(message) => {
                        last = Some(message.seq);
                        shown.push(message);
                    }
                    Err(StoreError::Spoiled(spoiled)) => damaged.push(MessageId::of(spoiled.id)),
                    Err(error) => return Err(error),
                }
            }
            shown.retain(|message| message.provenance.is_visible_to(&self.caller));
            Ok(Shown {
                conversation: self.titled(conversation.clone()),
                participants,
                messages: shown,
                damaged,
                // A page of nothing but damaged messages is passed over as well.
                next_after_seq: is_full.then(|| last.unwrap_or(after_seq + limit as i64)),
            })
        })?)
    }

    /// A conversation as the caller may be told of it. Hosts name conversations by whatever they have at hand, a letter's
    /// subject perhaps: where nobody watches, it is known by its id.
    fn titled(&self, conversation: Conversation) -> Conversation {
        match self.caller.is_unattended() {
            true => Conversation { title: None, channel: None, ..conversation },
            false => conversation,
        }
    }

    fn change_conversation(
        &self,
        id: ConversationId,
        act: &'static str,
        mut change: impl FnMut(&mut Conversation) -> bool,
    ) -> Result<bool> {
        self.require_conversation(id)?;
        let (now, agent) = (self.mind.now(), self.agent.id);
        let mut changed = false;
        let written = self.mind.store.write(&self.caller, &[agent], None, |writer| {
            let found = conversations::by_id(writer, agent, id)?;
            let mut conversation =
                found.ok_or_else(|| StoreError::Refused("the conversation is gone".into()))?;
            changed = change(&mut conversation);
            if changed {
                conversations::change(writer, agent, &conversation)?;
                record(writer, agent, now, act, id)?;
            }
            Ok(())
        });
        written?;
        Ok(changed)
    }

    fn require_conversation(&self, id: ConversationId) -> Result<Conversation> {
        let agent = self.agent.id;
        let found =
            self.mind.store.read(&self.caller, &[agent], |reader| conversations::by_id(reader, agent, id))?;
        found.ok_or_else(|| Error::NoSuch { what: "conversation", id: id.to_string() })
    }

    /// Who it is that a conversation is with: the entity, and the principal if it is one.
    fn partner(&self, with: &str) -> Result<Partner> {
        let principals = self.principal_list()?;
        if let Ok(principal) = self.mind.principal_called(&self.agent, with) {
            return Ok((principal.entity, Some(principal.id)));
        }
        let entity = self.find_entity(with)?.id;
        let principal = principals.iter().find(|principal| principal.entity == entity);
        Ok((entity, principal.map(|principal| principal.id)))
    }

    /// A row for a conversation that may have to be made: with the one named, else with whoever's voice it is.
    fn fresh_conversation(&self, place: &Option<Place>, with: Option<Partner>, now: Time) -> Result<Fresh> {
        let channel = match place {
            Some(Place::Channel(channel)) => Some(channel.clone()),
            _ => None,
        };
        let caller = self.caller.principal_id();
        let partner = match (with, caller) {
            (Some(with), _) => Some(with),
            (None, Some(principal)) => Some(self.partner(&principal.to_string())?),
            (None, None) => None,
        };
        let row = Conversation {
            id: ConversationId::of(self.mind.mint.id(now)),
            channel,
            title: None,
            principal: partner.and_then(|(_, principal)| principal),
            started_at: now,
            last_message_at: None,
            active_until: None,
            closed_at: None,
            last_seq: 0,
            own_messages: 0,
            awaiting: false,
            sitting_at: None,
            wrote_at: None,
            summarized_until: 0,
        };
        Ok(Fresh { row, partner: partner.map(|(entity, _)| entity) })
    }

    /// Who speaks: the principal's person, or for a peer whoever was named.
    fn speaker(&self, role: Role, author: &Caller, named: Option<&str>) -> Result<Option<EntityId>> {
        match (role, named) {
            (Role::Peer, Some(named)) => Ok(Some(self.find_entity(named)?.id)),
            (Role::Peer, None) => {
                Err(Error::Unfit("a peer's message needs its speaker: name an entity".into()))
            }
            (_, Some(_)) => {
                Err(Error::Unfit("only a peer's speaker is named; leave it out for the other roles".into()))
            }
            (Role::User, None) => match author.principal_id() {
                Some(principal) => {
                    Ok(Some(self.mind.principal_called(&self.agent, &principal.to_string())?.entity))
                }
                None => Ok(None),
            },
            (_, None) => Ok(None),
        }
    }
}

impl Mind {
    /// Whether so many messages that are not archived are reason to advise self-care.
    pub(crate) fn advises_archival(&self, unarchived: u64) -> bool {
        unarchived >= self.settings.conversation.advise_archival_at as u64
    }
}

/// An entity, and the principal that it is.
type Partner = (EntityId, Option<selfsame_core::id::PrincipalId>);

/// A conversation that may have to be made.
struct Fresh {
    row: Conversation,
    partner: Option<EntityId>,
}

impl Fresh {
    fn insert_as_is(&self, writer: &mut Writer, agent: AgentId) -> StoreResult<Conversation> {
        self.insert(writer, agent, &self.row)?;
        record(writer, agent, self.row.started_at, "opened", self.row.id)?;
        Ok(self.row.clone())
    }

    fn insert(&self, writer: &mut Writer, agent: AgentId, row: &Conversation) -> StoreResult<()> {
        conversations::insert(writer, agent, row)?;
        match self.partner {
            Some(partner) => conversations::join_in(writer, agent, row.id, partner, row.started_at),
            None => Ok(()),
        }
    }
}

/// What two agents need of each other in one of their minds: a conversation, and an entity for the other.
struct Contact<'c> {
    fresh: Fresh,
    channel: &'c Place,
    entity: EntityId,
    name: &'c str,
    other: AgentId,
}

impl<'c> Contact<'c> {
    fn new(
        access: &Access<'_>,
        channel: &'c Place,
        name: &'c str,
        other: AgentId,
        now: Time,
    ) -> Result<Contact<'c>> {
        let mut fresh = access.fresh_conversation(&Some(channel.clone()), None, now)?;
        // It is a conversation of the agents, whoever runs them.
        (fresh.row.principal, fresh.partner) = (None, None);
        let entity = EntityId::of(access.mind.mint.id(now));
        Ok(Contact { fresh, channel, entity, name, other })
    }

    /// The conversation, open, and the entity that stands for the other; made at first contact.
    fn ensure(
        &self,
        writer: &mut Writer,
        agent: AgentId,
        now: Time,
    ) -> StoreResult<(Conversation, EntityId)> {
        let entity = match entities::of_agent(writer, agent, self.other)? {
            Some(known) => known.id,
            None => {
                entities::insert_agent(writer, agent, self.entity, self.other, self.name, now)?;
                self.entity
            }
        };
        let mut conversation = match at_place(writer, agent, self.channel)? {
            Some(found) => found,
            None => self.fresh.insert_as_is(writer, agent)?,
        };
        if conversation.closed_at.take().is_some() {
            conversations::change(writer, agent, &conversation)?;
        }
        conversations::join_in(writer, agent, conversation.id, entity, now)?;
        Ok((conversation, entity))
    }
}

/// A message that is ready to be filed: everything that can be known before the transaction.
#[derive(Clone)]
struct Turn {
    agent: AgentId,
    message: MessageId,
    role: Role,
    speaker: Option<EntityId>,
    provenance: Provenance,
    content: String,
    zone: Zone,
    /// As of the day it is likely said on.
    indexed: (Date, Indexed),
    tokens: usize,
    meaning: Meaning,
    at: Option<Time>,
    now: Time,
    /// What was said to the principal so shortly before is answered by it.
    answer_within: Duration,
}

impl Turn {
    fn new(
        mind: &Mind,
        agent: &Agent,
        role: Role,
        provenance: Provenance,
        content: &str,
        (at, now): (Option<Time>, Time),
    ) -> Result<Turn> {
        let zone = Zone::parse(&agent.zone)?;
        let said_on = zone.date(at.unwrap_or(now));
        Ok(Turn {
            agent: agent.id,
            message: MessageId::of(mind.mint.id(now)),
            role,
            speaker: None,
            provenance,
            content: content.to_owned(),
            indexed: (said_on, indexed(content, said_on)),
            zone,
            tokens: count(content),
            meaning: mind.meaning_of(agent.id, content)?,
            at,
            now,
            answer_within: mind.settings.heartbeat.rules.responses.answer_within,
        })
    }

    /// What the index is told of it, if it is said then: another machine's clock may have been ahead by a day.
    fn indexed_at(&self, at: Time) -> Cow<'_, Indexed> {
        let (expected, indexed_then) = &self.indexed;
        match self.zone.date(at) {
            day if day == *expected => Cow::Borrowed(indexed_then),
            day => Cow::Owned(indexed(&self.content, day)),
        }
    }

    /// Files it as the next message of the conversation, with all that follows from it.
    fn file(
        &self,
        writer: &mut Writer,
        mut conversation: Conversation,
        act: &'static str,
    ) -> StoreResult<Said> {
        if conversation.closed_at.is_some() {
            return Err(StoreError::BadValue(format!(
                "conversation {} is closed: open it again first (`selfsame conversation open --reopen`)",
                conversation.id
            )));
        }
        let at = said_at(self.at, conversation.last_message_at, self.now)
            .map_err(|problem| StoreError::BadValue(problem.to_string()))?;
        conversation.last_seq += 1;
        conversation.own_messages += i64::from(self.role == Role::Assistant);
        self.leave(&mut conversation, at);
        let speaker = match self.speaker {
            Some(speaker) => entities::survivor(writer, self.agent, speaker)?.map(|entity| entity.id),
            None => None,
        };
        self.insert(writer, &conversation, speaker, at)?;
        conversations::advance(writer, self.agent, &conversation)?;
        self.meet(writer, &conversation, speaker, at)?;
        let done = Act { act, subject_kind: "message", subject: self.message.id() };
        events::record(writer, self.agent, self.now, &[done])?;
        self.answer(writer)?;
        Ok(Said { message: self.message, conversation: conversation.id, seq: conversation.last_seq })
    }

    /// How the conversation stands after it: whose turn it is, and since when they sit together.
    fn leave(&self, conversation: &mut Conversation, at: Time) {
        let goes_on = conversation.last_message_at.is_some_and(|last| at.since(last) <= SITTING_PAUSE);
        conversation.sitting_at = conversation.sitting_at.filter(|_| goes_on).or(Some(at));
        conversation.last_message_at = Some(at);
        match self.role {
            Role::User => (conversation.awaiting, conversation.wrote_at) = (true, Some(at)),
            Role::Assistant => conversation.awaiting = false,
            Role::Peer | Role::Tool | Role::System => {}
        }
    }

    /// Who writes has answered what was just said to them, however short the message.
    fn answer(&self, writer: &mut Writer) -> StoreResult<()> {
        match (self.provenance.author(), self.provenance.principal_id()) {
            (Author::Principal, Some(principal)) => told::answered_by_writing(
                writer,
                self.agent,
                principal,
                self.message,
                self.answer_within,
                self.now,
            ),
            _ => Ok(()),
        }
    }

    fn insert(
        &self,
        writer: &mut Writer,
        conversation: &Conversation,
        speaker: Option<EntityId>,
        at: Time,
    ) -> StoreResult<()> {
        let message = Message {
            id: self.message,
            agent: self.agent,
            conversation: conversation.id,
            seq: conversation.last_seq,
            role: self.role,
            speaker,
            content: self.content.clone(),
            created_at: at,
            archived_at: None,
        };
        let message = Kept::new(message, self.provenance.clone()).counted(self.tokens);
        let indexed = self.indexed_at(at);
        postings::insert(writer, self.agent, Kind::Message, &indexing::of_message(&message, &indexed))?;
        self.meaning.keep(writer, self.agent, Kind::Message, self.message.id())?;
        messages::insert(writer, &message)?;
        let named = mentioned_in(writer, self.agent, &self.content)?;
        mentions::insert(writer, self.agent, "message", self.message.id(), &named)?;
        match self.role {
            // What a tool or the house names is not spoken of.
            Role::Tool | Role::System => Ok(()),
            Role::User | Role::Assistant | Role::Peer => entities::heard(writer, self.agent, &named, at),
        }
    }

    /// Who took part, and how the agent stands to them.
    fn meet(
        &self,
        writer: &mut Writer,
        conversation: &Conversation,
        speaker: Option<EntityId>,
        at: Time,
    ) -> StoreResult<()> {
        let agent = self.agent;
        if let Some(speaker) = speaker {
            conversations::join_in(writer, agent, conversation.id, speaker, at)?;
            conversations::spoke(writer, agent, conversation.id, speaker, at)?;
            entities::seen(writer, agent, speaker, at)?;
        }
        let participants = conversations::participants(writer, agent, conversation.id)?;
        let today = survivors(writer, agent, &participants)?;
        let provenance = self.noted();
        let meeting = Meeting { agent, message: self.message, at, provenance: &provenance };
        let met: Vec<EntityId> = match self.role {
            Role::Assistant => today.values().copied().collect(),
            _ => speaker.into_iter().collect(),
        };
        for entity in met {
            meet(writer, &meeting, entity)?;
        }
        if conversation.own_messages == 0 {
            return Ok(());
        }
        for participant in participants.iter().filter(|one| one.messages > 0 && !one.counted) {
            conversations::count_in(writer, agent, conversation.id, participant.entity)?;
            if let Some(entity) = today.get(&participant.entity) {
                recount(writer, agent, *entity)?;
            }
        }
        Ok(())
    }

    /// What the system may note because of this message. That somebody spoke is no secret, even where the words are.
    fn noted(&self) -> Provenance {
        let source = Some(self.message.to_string());
        match Lineage::of(&self.provenance) {
            Ok(lineage) => Provenance::derived(&lineage, source),
            Err(_) => {
                let stated = self.provenance.principal_id().map(Caller::principal);
                let spoken =
                    Provenance::stated(&stated.unwrap_or(Caller::agent(None)), None, Privacy::Shared);
                Lineage::of(&spoken).map_or(spoken, |lineage| Provenance::derived(&lineage, source))
            }
        }
    }
}

/// Who the participants are today.
fn survivors(
    reader: &mut Reader,
    agent: AgentId,
    participants: &[Participant],
) -> StoreResult<BTreeMap<EntityId, EntityId>> {
    let ids: Vec<EntityId> = participants.iter().map(|participant| participant.entity).collect();
    let found = entities::by_ids(reader, agent, &ids)?;
    Ok(found.into_iter().map(|entity| (entity.id, entity.merged_into.unwrap_or(entity.id))).collect())
}

fn with_entities(
    reader: &mut Reader,
    agent: AgentId,
    participants: Vec<Participant>,
) -> StoreResult<Vec<(Entity, Participant)>> {
    let mut with = Vec::new();
    for participant in participants {
        if let Some(entity) = entities::survivor(reader, agent, participant.entity)? {
            with.push((entity, participant));
        }
    }
    Ok(with)
}

fn at_place(reader: &mut Reader, agent: AgentId, place: &Place) -> StoreResult<Option<Conversation>> {
    match place {
        Place::Conversation(id) => conversations::by_id(reader, agent, *id),
        Place::Channel(channel) => conversations::by_channel(reader, agent, channel),
    }
}

fn record(
    writer: &mut Writer,
    agent: AgentId,
    now: Time,
    act: &'static str,
    id: ConversationId,
) -> StoreResult<()> {
    let act = Act { act, subject_kind: "conversation", subject: id.id() };
    events::record(writer, agent, now, &[act]).map(drop)
}

fn until(now: Time, length: Duration) -> Result<Time> {
    let until = now.saturating_add(length);
    check_run(now, until)?;
    Ok(until)
}

fn check_run(now: Time, until: Time) -> Result<()> {
    if until <= now {
        return Err(Error::Unfit("a run ends in the future: leave the time out if it is over".into()));
    }
    match until.since(now) > MAX_ACTIVE {
        true => Err(Error::Unfit("a run is announced for at most 24h: say it again while it goes on".into())),
        false => Ok(()),
    }
}

fn role_error(problem: RoleProblem) -> Error {
    match problem {
        RoleProblem::Unnamed => Error::Unfit(problem.to_string()),
        RoleProblem::NoPrincipal | RoleProblem::NotYours { .. } => Error::Forbidden(problem.to_string()),
    }
}

impl Replay for Opened {
    fn encode(&self) -> String {
        format!("[\"{}\",\"{}\"]", self.id, self.outcome)
    }

    fn decode(stored: &str) -> StoreResult<Opened> {
        let (id, outcome): (String, String) =
            serde_json::from_str(stored).map_err(|_| StoreError::unreadable_reply())?;
        let outcome =
            OUTCOMES.into_iter().find(|known| *known == outcome).ok_or_else(StoreError::unreadable_reply)?;
        Ok(Opened { id: id.parse().map_err(|_| StoreError::unreadable_reply())?, outcome })
    }
}

/// Candidates of a message, once it is known where it was said.
fn in_conversation(rows: &[Kept<Candidate>], conversation: ConversationId) -> Vec<Kept<Candidate>> {
    let placed = |row: &Kept<Candidate>| {
        let mut row = row.clone();
        row.conversation = Some(conversation);
        row
    };
    rows.iter().map(placed).collect()
}

impl Replay for Said {
    fn encode(&self) -> String {
        format!("[\"{}\",\"{}\",{}]", self.message, self.conversation, self.seq)
    }

    fn decode(stored: &str) -> StoreResult<Said> {
        let (message, conversation, seq): (String, String, i64) =
            serde_json::from_str(stored).map_err(|_| StoreError::unreadable_reply())?;
        let message = message.parse().map_err(|_| StoreError::unreadable_reply())?;
        Ok(Said {
            message,
            conversation: conversation.parse().map_err(|_| StoreError::unreadable_reply())?,
            seq,
        })
    }
}

impl Replay for Exchanged {
    fn encode(&self) -> String {
        format!("[{},{}]", self.said.encode(), self.heard.encode())
    }

    fn decode(stored: &str) -> StoreResult<Exchanged> {
        let (said, heard): (serde_json::Value, serde_json::Value) =
            serde_json::from_str(stored).map_err(|_| StoreError::unreadable_reply())?;
        Ok(Exchanged { said: Said::decode(&said.to_string())?, heard: Said::decode(&heard.to_string())? })
    }
}
