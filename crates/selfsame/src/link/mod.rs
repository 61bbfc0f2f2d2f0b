//! The verbs of the *neural link*: an agent asks another for its memory, and the other gives it, declines, or takes it back.
//!
//! What is given is copied batch by batch (`copy.rs`) onto a shelf that nobody sees; one statement shows it. Taken back, one
//! statement hides it, and it is taken away batch by batch with all that was made of it (`fall.rs`). Killed anywhere, the
//! duty goes on.

mod copy;
pub(crate) mod fall;
mod job;
pub(crate) mod summaries;

pub use job::Neural;
pub use selfsame_core::link::{LinkState, Side};
pub use selfsame_store::links::Link;

use crate::error::{Error, Result, StoreResult, check_limit};
use crate::mind::{Access, Mind};
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, LinkId};
use selfsame_core::time::Time;
use selfsame_core::trust::{Author, Caller};
use selfsame_store::agents::{self, Agent};
use selfsame_store::links;
use selfsame_store::{Idempotency, Replay, StoreError, Writer, events, memory};
use std::collections::BTreeMap;

/// Links that are listed, at most.
const MAX_LISTED: usize = 1000;

/// A link, as one of its sides sees it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkCard {
    /// The link.
    pub link: Link,
    /// The name of the agent on the other side.
    pub other: String,
}

/// What is answered to a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// All that may travel is given.
    Share {
        /// The other may give it on.
        onward: bool,
    },
    /// Nothing is given.
    Decline,
}

impl Access<'_> {
    /// Asks another agent for its memory. While a request is open, asking again is the same request.
    pub fn link_request(&self, target: &str, key: Option<&Idempotency>) -> Result<LinkCard> {
        self.may_link("another agent is asked for its memory")?;
        let other = self.mind.require_agent(target)?;
        if other.id == self.agent.id {
            return Err(Error::Unfit(format!(
                "{target:?} is the agent itself: name another, `agent list` shows them"
            )));
        }
        let now = self.mind.now();
        let expires_at = now.saturating_add(self.mind.settings.link.open_for);
        let new = |side, other| Link {
            id: LinkId::of(self.mind.mint.id(now)),
            side,
            other,
            state: LinkState::Requested,
            onward: false,
            requested_at: now,
            expires_at,
            answered_at: None,
            accepted_at: None,
            ended_at: None,
            until: None,
            copied_until: None,
            summaries_until: None,
            told_until: None,
            copied: 0,
            merged: 0,
            unfinished: true,
        };
        let asking = new(Side::Receives, other.id);
        let asked = Link { id: asking.id, ..new(Side::Gives, self.agent.id) };
        let both = Both { mine: self.agent.id, other: other.id };
        let id = self.mind.store.write(&self.caller, &both.agents(), key, |writer| {
            for open in links::open_between(writer, self.agent.id, Side::Receives, other.id)? {
                if now < open.expires_at {
                    return Ok(Asked(open.id));
                }
                both.move_on(writer, open.id, LinkState::Expired, false, now)?;
            }
            links::insert(writer, self.agent.id, &asking)?;
            links::insert(writer, other.id, &asked)?;
            both.record(writer, "link_requested", asking.id, now)?;
            Ok(Asked(asking.id))
        })?;
        self.link(id.0)
    }

    /// Answers a request: once, in time, and only who was asked. When this returns all of it is there, unless the process is
    /// told to end: then whoever runs next goes on.
    pub fn link_answer(&self, id: LinkId, answer: Answer, key: Option<&Idempotency>) -> Result<LinkCard> {
        self.may_link("memory is given away")?;
        let link = self.link(id)?.link;
        if link.side != Side::Gives {
            return Err(Error::Forbidden(format!("only who was asked answers {id}: this agent asked")));
        }
        let now = self.mind.now();
        let both = Both { mine: self.agent.id, other: link.other };
        let answered = self.mind.store.write(&self.caller, &both.agents(), key, |writer| {
            let state =
                links::by_id(writer, self.agent.id, id)?.map_or(LinkState::Expired, |link| link.state);
            if state != LinkState::Requested {
                return Ok(Answered::Before(state));
            }
            if now >= link.expires_at {
                both.move_on(writer, id, LinkState::Expired, false, now)?;
                return Ok(Answered::TooLate);
            }
            match answer {
                Answer::Decline => both.move_on(writer, id, LinkState::Declined, false, now)?,
                Answer::Share { onward } => {
                    let until = memory::last_id(writer, self.agent.id)?;
                    for agent in both.agents() {
                        links::begin_copy(writer, agent, id, onward, until)?;
                    }
                    both.move_on(writer, id, LinkState::Copying, true, now)?;
                }
            }
            Ok(Answered::Now)
        })?;
        let refused = |why: String| Err(Error::Store(StoreError::Conflict(why)));
        match answered {
            Answered::Before(state) => {
                refused(format!("{id} is {} already: a request is answered once", state.as_str()))
            }
            Answered::TooLate => refused(format!(
                "{id} ran out at {}: the other may ask again with `link request`",
                link.expires_at
            )),
            Answered::Now => {
                self.mind.carry_on_link(link.other, id)?;
                self.link(id)
            }
        }
    }

    /// Takes back what was given: all of it disappears from the other at once, with whatever was made of it or given on.
    pub fn link_revoke(&self, id: LinkId, key: Option<&Idempotency>) -> Result<LinkCard> {
        self.may_link("what was given is taken back")?;
        let link = self.link(id)?.link;
        if link.side != Side::Gives {
            return Err(Error::Forbidden(format!("only who gave takes {id} back: this agent received")));
        }
        let now = self.mind.now();
        let both = Both { mine: self.agent.id, other: link.other };
        let revoked = self.mind.store.write(&self.caller, &both.agents(), key, |writer| {
            let state =
                links::by_id(writer, self.agent.id, id)?.map_or(LinkState::Revoked, |link| link.state);
            let is_given = matches!(state, LinkState::Copying | LinkState::Accepted);
            if is_given {
                both.move_on(writer, id, LinkState::Falling, true, now)?;
            }
            Ok(if is_given { Answered::Now } else { Answered::Before(state) })
        })?;
        if let Answered::Before(state) = revoked {
            let why = format!("{id} is {}: there is nothing to take back", state.as_str());
            return Err(Error::Store(StoreError::Conflict(why)));
        }
        self.mind.carry_on_link(link.other, id)?;
        self.link(id)
    }

    /// One link of this agent.
    pub fn link(&self, id: LinkId) -> Result<LinkCard> {
        let found =
            self.read_links(|reader, agent| Ok(links::by_id(reader, agent, id)?.into_iter().collect()))?;
        found.into_iter().next().ok_or_else(|| Error::NoSuch { what: "neural link", id: id.to_string() })
    }

    /// The links of this agent, the newest first.
    pub fn links(&self, before: Option<LinkId>, limit: usize) -> Result<Vec<LinkCard>> {
        check_limit(limit, MAX_LISTED)?;
        let before = before.unwrap_or(links::NEWEST);
        self.read_links(|reader, agent| links::before(reader, agent, before, limit as i64))
    }

    /// Requests that this agent can answer now.
    pub fn link_requests(&self) -> Result<Vec<LinkCard>> {
        let now = self.mind.now();
        self.read_links(|reader, agent| links::requested(reader, agent, now))
    }

    fn read_links(
        &self,
        read: impl Fn(&mut selfsame_store::Reader, AgentId) -> StoreResult<Vec<Link>>,
    ) -> Result<Vec<LinkCard>> {
        let found =
            self.mind.store.read(&self.caller, &[self.agent.id], |reader| read(reader, self.agent.id))?;
        let names: BTreeMap<AgentId, String> = match found.is_empty() {
            true => BTreeMap::new(),
            false => self.mind.agents()?.into_iter().map(|agent| (agent.id, agent.name)).collect(),
        };
        let now = self.mind.now();
        let card = |mut link: Link| {
            // Nobody may have come by since it ran out.
            if link.state == LinkState::Requested && now >= link.expires_at {
                link.state = LinkState::Expired;
            }
            let other = names.get(&link.other).cloned().unwrap_or_else(|| link.other.to_string());
            LinkCard { link, other }
        };
        Ok(found.into_iter().map(card).collect())
    }

    /// Whether the caller is one whom requests wait for.
    pub(crate) fn decides_on_links(&self) -> bool {
        let is_one_of_them = self.caller.is_operator() || self.caller.author() == Author::Agent;
        is_one_of_them && !self.caller.is_unattended()
    }

    /// An agent's memory is its own: it and its operator decide, and nobody where nobody watches.
    fn may_link(&self, what: &str) -> Result<()> {
        self.must_be_watched(what)?;
        match self.decides_on_links() {
            true => Ok(()),
            false => Err(Error::Forbidden(
                "a neural link is the agent's and its operator's matter: use one of their keys".into(),
            )),
        }
    }
}

impl Mind {
    /// Does all that is left to be done about a link, as long as it is not told to end.
    pub(crate) fn carry_on_link(&self, receiver: AgentId, id: LinkId) -> Result<()> {
        let receiver = self.known_agent(receiver)?;
        while !self.is_closing() && self.link_step(&receiver, id)? {}
        Ok(())
    }

    /// One step of a link: a batch, or what comes after the last one. Says whether there may be another.
    fn link_step(&self, receiver: &Agent, id: LinkId) -> Result<bool> {
        let found = self
            .store
            .read(&Caller::agent(None), &[receiver.id], |reader| links::by_id(reader, receiver.id, id))?;
        let Some(link) = found.filter(|link| link.unfinished && link.side == Side::Receives) else {
            return Ok(false);
        };
        match link.state {
            LinkState::Copying => self.copy_some(receiver, &link),
            LinkState::Accepted => self.tell_of_some(receiver, &link),
            LinkState::Falling => self.take_some_away(receiver, &link),
            LinkState::Requested => self.let_it_run_out(receiver, &link),
            LinkState::Declined | LinkState::Expired | LinkState::Revoked => Ok(false),
        }
    }

    /// Notes that nobody answered in time.
    fn let_it_run_out(&self, receiver: &Agent, link: &Link) -> Result<bool> {
        let now = self.now();
        if now < link.expires_at {
            return Ok(false);
        }
        let both = Both { mine: receiver.id, other: link.other };
        self.store.background("link", &both.agents(), |writer| {
            match links::by_id(writer, receiver.id, link.id)? {
                Some(link) if link.state == LinkState::Requested => {
                    both.move_on(writer, link.id, LinkState::Expired, false, now)
                }
                _ => Ok(()),
            }
        })?;
        Ok(false)
    }

    /// One transaction of giving. Two named points: all of it is written, and all of it is committed.
    pub(super) fn give_step<T>(
        &self,
        agents: &[AgentId],
        step: impl FnMut(&mut Writer) -> StoreResult<T>,
    ) -> Result<T> {
        self.step_between(["link.copying", "link.copied"], agents, step)
    }

    /// The same, of taking back.
    pub(super) fn fall_step<T>(
        &self,
        agents: &[AgentId],
        step: impl FnMut(&mut Writer) -> StoreResult<T>,
    ) -> Result<T> {
        self.step_between(["link.falling", "link.fallen"], agents, step)
    }

    fn step_between<T>(
        &self,
        [written, committed]: [&'static str; 2],
        agents: &[AgentId],
        mut step: impl FnMut(&mut Writer) -> StoreResult<T>,
    ) -> Result<T> {
        let done = self.store.background("link", agents, |writer| {
            let done = step(writer)?;
            self.store.reach(written)?;
            Ok(done)
        })?;
        self.store.reach(committed)?;
        Ok(done)
    }

    pub(crate) fn known_agent(&self, id: AgentId) -> Result<Agent> {
        let found = self.store.system(|reader| agents::by_id(reader, id))?;
        found.ok_or_else(|| Error::NoSuchAgent { name: id.to_string(), hint: String::new() })
    }
}

/// The two agents of a link: the one in whose name something is done, and the other.
#[derive(Clone, Copy)]
struct Both {
    mine: AgentId,
    other: AgentId,
}

impl Both {
    fn agents(self) -> [AgentId; 2] {
        [self.mine, self.other]
    }

    /// Writes on both sides how far a link is, and that it is.
    fn move_on(
        self,
        writer: &mut Writer,
        id: LinkId,
        state: LinkState,
        unfinished: bool,
        now: Time,
    ) -> StoreResult<()> {
        for agent in self.agents() {
            links::move_on(writer, agent, id, state, unfinished, now)?;
        }
        let act = match state {
            LinkState::Requested => "link_requested",
            LinkState::Declined => "link_declined",
            LinkState::Expired => "link_expired",
            LinkState::Copying => "link_answered",
            LinkState::Accepted => "link_accepted",
            LinkState::Falling => "link_revoked",
            LinkState::Revoked => "link_gone",
        };
        self.record(writer, act, id, now)
    }

    fn record(self, writer: &mut Writer, act: &'static str, id: LinkId, now: Time) -> StoreResult<()> {
        for agent in self.agents() {
            events::record(writer, agent, now, &[Act { act, subject_kind: "link", subject: id.id() }])?;
        }
        Ok(())
    }
}

/// Which request it is.
struct Asked(LinkId);

impl Replay for Asked {
    fn encode(&self) -> String {
        format!("\"{}\"", self.0)
    }

    fn decode(stored: &str) -> StoreResult<Asked> {
        let id = stored.trim_matches('"').parse().map_err(|_| StoreError::unreadable_reply())?;
        Ok(Asked(id))
    }
}

/// What became of an answer.
enum Answered {
    Now,
    TooLate,
    Before(LinkState),
}

impl Replay for Answered {
    fn encode(&self) -> String {
        match self {
            Answered::Now => "\"now\"".into(),
            Answered::TooLate => "\"late\"".into(),
            Answered::Before(state) => format!("\"{}\"", state.as_str()),
        }
    }

    fn decode(stored: &str) -> StoreResult<Answered> {
        match stored.trim_matches('"') {
            "now" => Ok(Answered::Now),
            "late" => Ok(Answered::TooLate),
            state => LinkState::parse(state).map(Answered::Before).ok_or_else(StoreError::unreadable_reply),
        }
    }
}
