//! Making and listing agents.

use crate::config::DEFAULTS;
use crate::error::{Error, Result, check_field};
use crate::heartbeat::due::first_beat;
use crate::mind::{Access, Mind};
use selfsame_core::event::Act;
use selfsame_core::id::{AgentId, EntityId, PrincipalId};
use selfsame_core::time::Zone;
use selfsame_core::trust::{Author, Caller};
use selfsame_store::heartbeat::beats;
use selfsame_store::principals::{self, Principal};
use selfsame_store::{Idempotency, Replay, StoreError, agents, entities, events, memory, summaries};

pub use selfsame_store::agents::Agent;

/// Bytes in an agent's name, at most.
const MAX_NAME_BYTES: usize = 64;
/// Bytes in the name of a place, at most.
const MAX_PLACE_BYTES: usize = 128;

/// An agent with what it has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AgentCard {
    /// The agent.
    pub agent: Agent,
    /// Whom it serves.
    pub principals: Vec<Principal>,
    /// How many memories it has.
    pub memories: u64,
    /// How many summaries stand for what was folded.
    pub summaries: u64,
    /// It has come to where self-care is advised.
    pub needs_self_care: bool,
}

/// What became of an agent that was to be of the family, or elsewhere, or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FamilySet {
    /// Whether it was otherwise before.
    pub changed: bool,
}

/// What became of a move.
pub type Moved = FamilySet;

impl Mind {
    /// Makes an agent, with an operator to serve, in the zone given or the one of the settings.
    pub fn create_agent(&self, name: &str, zone: Option<&str>) -> Result<Agent> {
        self.make_agent(name, zone, false)
    }

    /// Makes one of the family: an agent that thinks as often as `contemplation.family_every` says.
    pub fn create_family_agent(&self, name: &str, zone: Option<&str>) -> Result<Agent> {
        self.make_agent(name, zone, true)
    }

    fn make_agent(&self, name: &str, zone: Option<&str>, family: bool) -> Result<Agent> {
        check_name(name)?;
        let zone = Zone::parse(zone.unwrap_or(&self.settings.agent.zone))?.name().to_owned();
        let now = self.now();
        let operator = Principal {
            id: PrincipalId::of(self.mint.id(now)),
            entity: EntityId::of(self.mint.id(now)),
            name: "operator".into(),
            operator: true,
            zone: zone.clone(),
            created_at: now,
        };
        let agent = Agent {
            id: AgentId::of(self.mint.id(now)),
            name: name.to_owned(),
            zone,
            operator: operator.id,
            created_at: now,
            family,
            home: None,
            location: None,
        };
        self.store.write(&Caller::operator(operator.id), &[agent.id], None, |writer| {
            agents::insert(writer, &agent)?;
            entities::insert(writer, agent.id, operator.entity, "person", &operator.name, now)?;
            principals::insert(writer, agent.id, &operator)?;
            beats::ensure(writer, agent.id, operator.id, first_beat(now))?;
            let act = Act { act: "created", subject_kind: "agent", subject: agent.id.id() };
            events::record(writer, agent.id, now, &[act]).map(drop)
        })?;
        Ok(agent)
    }

    /// The agent of that name, made if it is missing.
    pub fn ensure_agent(&self, name: &str) -> Result<Agent> {
        if let Some(agent) = self.store.system(|reader| agents::by_name(reader, name))? {
            return Ok(agent);
        }
        match self.create_agent(name, None) {
            // Another process was a moment earlier.
            Err(Error::Store(StoreError::Taken { .. })) => self.require_agent(name),
            made => made,
        }
    }

    /// Every agent, by name.
    pub fn agents(&self) -> Result<Vec<Agent>> {
        Ok(self.store.system(agents::all)?)
    }

    /// An agent with what it has.
    pub fn agent_card(&self, name: &str) -> Result<AgentCard> {
        let agent = self.require_agent(name)?;
        let caller = Caller::operator(agent.operator);
        let (principals, memories, summaries, burden) = self.store.read(&caller, &[agent.id], |reader| {
            let principals = principals::all(reader, agent.id)?;
            let (memories, summaries) =
                (memory::count(reader, agent.id)?, summaries::count(reader, agent.id)?);
            Ok((principals, memories, summaries, self.burden(reader, agent.id)?))
        })?;
        let needs_self_care = self.advises_self_care(&burden);
        Ok(AgentCard { agent, principals, memories, summaries, needs_self_care })
    }
}

impl Access<'_> {
    /// The agent goes to a place; says whether it was elsewhere. For the agent itself and its operator.
    pub fn move_to(&self, place: &str, key: Option<&Idempotency>) -> Result<Moved> {
        if self.caller.author() != Author::Agent && !self.caller.is_operator() {
            return Err(Error::Forbidden("only the agent itself or its operator says where it is".into()));
        }
        let place = &*self.masked(place);
        check_field("place", place, MAX_PLACE_BYTES)?;
        self.change_places(key, |agent| agent.location = Some(place.trim().to_owned()))
    }

    /// Says where the agent lives; an empty place: nowhere. For the operator; the same again changes nothing.
    pub fn set_home(&self, place: &str, key: Option<&Idempotency>) -> Result<Moved> {
        if !self.caller.is_operator() {
            return Err(Error::Forbidden("only the operator says where an agent lives".into()));
        }
        let home = Some(self.masked(place).trim().to_owned()).filter(|home| !home.is_empty());
        if let Some(home) = &home {
            check_field("home", home, MAX_PLACE_BYTES)?;
        }
        self.change_places(key, |agent| agent.home.clone_from(&home))
    }

    fn change_places(&self, key: Option<&Idempotency>, change: impl Fn(&mut Agent)) -> Result<Moved> {
        let (id, now) = (self.agent.id, self.mind.now());
        Ok(self.mind.store.write(&self.caller, &[id], key, |writer| {
            let Some(known) = agents::by_id(writer, id)? else { return Ok(Moved { changed: false }) };
            let mut after = known.clone();
            change(&mut after);
            let changed = after != known;
            if changed {
                agents::set_places(writer, id, after.home.as_deref(), after.location.as_deref())?;
                let act = Act { act: "moved", subject_kind: "agent", subject: id.id() };
                events::record(writer, id, now, &[act])?;
            }
            Ok(Moved { changed })
        })?)
    }

    /// Says whether the agent is one of the family. For the operator; the same again changes nothing.
    pub fn set_family(&self, family: bool, key: Option<&Idempotency>) -> Result<FamilySet> {
        if !self.caller.is_operator() {
            return Err(Error::Forbidden("only the operator says whether an agent is of the family".into()));
        }
        let now = self.mind.now();
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            let known = agents::by_id(writer, self.agent.id)?;
            let changed = known.is_some_and(|agent| agent.family != family);
            if changed {
                agents::set_family(writer, self.agent.id, family)?;
                let act = Act { act: "changed", subject_kind: "agent", subject: self.agent.id.id() };
                events::record(writer, self.agent.id, now, &[act])?;
            }
            Ok(FamilySet { changed })
        })?)
    }
}

impl Replay for FamilySet {
    fn encode(&self) -> String {
        self.changed.to_string()
    }

    fn decode(stored: &str) -> std::result::Result<FamilySet, StoreError> {
        Ok(FamilySet { changed: stored.parse().map_err(|_| StoreError::unreadable_reply())? })
    }
}

/// A name that can stand in a path and in a shell: letters, digits, `-`, `_`, `.`, and not the form of an id.
pub(crate) fn check_name(name: &str) -> Result<()> {
    check_field("name", name, MAX_NAME_BYTES)?;
    let plain = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let id_like = name.parse::<AgentId>().is_ok();
    if !plain || id_like || name.starts_with(['-', '.']) {
        return Err(Error::Unfit(format!(
            "{name:?} cannot be an agent's name: use letters, digits, -, _ and ., beginning with a letter or digit"
        )));
    }
    if name == DEFAULTS {
        return Err(Error::Unfit(format!(
            "{name:?} cannot be an agent's name: in the settings it means all agents (agents.{DEFAULTS}); choose another"
        )));
    }
    Ok(())
}
