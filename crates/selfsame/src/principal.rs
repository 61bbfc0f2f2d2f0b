//! Whom an agent serves: principals are added and changed by the operator.

use crate::agent::Agent;
use crate::entity::check_name;
use crate::error::{Error, Result};
use crate::heartbeat::due;
use crate::mind::{Access, Mind};
use selfsame_core::event::Act;
use selfsame_core::id::{EntityId, PrincipalId};
use selfsame_core::time::Zone;
use selfsame_core::trust::Caller;
use selfsame_store::heartbeat::beats;
use selfsame_store::{Idempotency, Replay, StoreError, entities, events, principals};

pub use selfsame_store::principals::Principal;

/// A principal that was added or changed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PrincipalRef {
    /// The principal.
    pub id: PrincipalId,
}

impl Access<'_> {
    /// Adds somebody whom the agent serves, with the person that it is. Its days are those of the agent, if no zone is
    /// given.
    pub fn principal_add(
        &self,
        name: &str,
        zone: Option<&str>,
        key: Option<&Idempotency>,
    ) -> Result<PrincipalRef> {
        self.require_operator()?;
        check_principal_name(name)?;
        let zone = Zone::parse(zone.unwrap_or(&self.agent.zone))?.name().to_owned();
        let now = self.mind.now();
        let principal = Principal {
            id: PrincipalId::of(self.mind.mint.id(now)),
            entity: EntityId::of(self.mind.mint.id(now)),
            name: name.to_owned(),
            operator: false,
            zone,
            created_at: now,
        };
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            entities::insert(writer, self.agent.id, principal.entity, "person", name, now)?;
            principals::insert(writer, self.agent.id, &principal)?;
            beats::ensure(writer, self.agent.id, principal.id, due::first_beat(now))?;
            let act = Act { act: "added", subject_kind: "principal", subject: principal.id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(PrincipalRef { id: principal.id })
        })?)
    }

    /// Everybody whom the agent serves, by name.
    pub fn principal_list(&self) -> Result<Vec<Principal>> {
        self.mind.principals_of(&self.agent)
    }

    /// Gives a principal another name, another zone or both. The old name goes on as an alias of the person.
    pub fn principal_set(
        &self,
        principal: &str,
        name: Option<&str>,
        zone: Option<&str>,
        key: Option<&Idempotency>,
    ) -> Result<PrincipalRef> {
        self.require_operator()?;
        if name.is_none() && zone.is_none() {
            return Err(Error::Unfit("nothing to change: give a name, a zone or both".into()));
        }
        let old = self.mind.principal_called(&self.agent, principal)?;
        let new_name = name.unwrap_or(&old.name);
        if name.is_some() {
            check_principal_name(new_name)?;
        }
        let zone = Zone::parse(zone.unwrap_or(&old.zone))?;
        let now = self.mind.now();
        Ok(self.mind.store.write(&self.caller, &[self.agent.id], key, |writer| {
            principals::change(writer, self.agent.id, old.id, new_name, zone.name())?;
            if zone.name() != old.zone {
                due::rezone(writer, self.agent.id, old.id, &zone, now)?;
            }
            if let (Some(name), Some(person)) = (name, entities::survivor(writer, self.agent.id, old.entity)?)
            {
                entities::rename(writer, self.agent.id, person.id, name, now)?;
            }
            let act = Act { act: "changed", subject_kind: "principal", subject: old.id.id() };
            events::record(writer, self.agent.id, now, &[act])?;
            Ok(PrincipalRef { id: old.id })
        })?)
    }

    fn require_operator(&self) -> Result<()> {
        match self.caller.is_operator() {
            true => Ok(()),
            false => Err(Error::Forbidden("only the operator says whom the agent serves".into())),
        }
    }
}

impl Mind {
    /// The principal of that id or name.
    pub fn principal_called(&self, agent: &Agent, text: &str) -> Result<Principal> {
        let id = text.parse::<PrincipalId>().ok();
        let fits = |principal: &Principal| id.map_or(principal.name == text, |id| principal.id == id);
        let found = self.principals_of(agent)?.into_iter().find(fits);
        found.ok_or_else(|| Error::NoSuch { what: "principal", id: text.chars().take(64).collect() })
    }

    fn principals_of(&self, agent: &Agent) -> Result<Vec<Principal>> {
        let caller = Caller::operator(agent.operator);
        Ok(self.store.read(&caller, &[agent.id], |reader| principals::all(reader, agent.id))?)
    }
}

fn check_principal_name(name: &str) -> Result<()> {
    check_name("name", name)?;
    match name.parse::<PrincipalId>() {
        Ok(_) => Err(Error::Unfit(format!("name: {name:?} has the form of an id; give a name"))),
        Err(_) => Ok(()),
    }
}

impl Replay for PrincipalRef {
    fn encode(&self) -> String {
        format!("\"{}\"", self.id)
    }

    fn decode(stored: &str) -> std::result::Result<PrincipalRef, StoreError> {
        let damaged = StoreError::unreadable_reply;
        let id: String = serde_json::from_str(stored).map_err(|_| damaged())?;
        Ok(PrincipalRef { id: id.parse().map_err(|_| damaged())? })
    }
}
