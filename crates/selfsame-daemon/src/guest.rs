//! Who is at the door: built from a key or from the socket, never from a request's text.

use crate::failure::Failure;
use selfsame::id::{AgentId, PrincipalId};
use selfsame::key::{Presented, Scope, SpeaksAs};
use selfsame::{Access, Mind, Speaker};

/// Who asks, and what they may.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Guest {
    speaks_as: SpeaksAs,
    principal: Option<PrincipalId>,
    agent: Option<AgentId>,
    scopes: Vec<Scope>,
    /// Nobody watches what it does.
    unattended: bool,
    /// It has the data folder's own rights: what it names by a path it could read or write itself.
    at_home: bool,
}

impl Guest {
    /// The owner of the data folder, by its own socket or command line: may do everything.
    pub fn owner() -> Guest {
        Guest {
            speaks_as: SpeaksAs::Operator,
            principal: None,
            agent: None,
            scopes: vec![Scope::Read, Scope::Write, Scope::Admin],
            unattended: false,
            at_home: true,
        }
    }

    /// The agent itself, by a stdio process that its owner started.
    pub fn agent() -> Guest {
        Guest { speaks_as: SpeaksAs::Agent, scopes: vec![Scope::Read, Scope::Write], ..Guest::owner() }
    }

    /// The program that the agent runs in, by a process that its owner started: it carries the words of the agent's operator
    /// and of the agent, and says whose they are.
    pub fn host() -> Guest {
        Guest { speaks_as: SpeaksAs::Host, ..Guest::agent() }
    }

    /// In whose name it speaks, as a key spells it.
    pub(crate) fn voice(&self) -> &'static str {
        self.speaks_as.as_str()
    }

    /// One agent itself at work that nobody watches; it is no other's guest.
    pub(crate) fn unattended(agent: AgentId) -> Guest {
        Guest { agent: Some(agent), unattended: true, ..Guest::agent() }
    }

    /// The holder of a key.
    pub fn with_key(key: Presented) -> Guest {
        Guest {
            speaks_as: key.speaks_as,
            principal: key.principal,
            agent: key.agent,
            scopes: key.scopes,
            unattended: false,
            at_home: false,
        }
    }

    /// The agent that the guest is bound to, if to one.
    pub(crate) fn own_agent(&self) -> Option<String> {
        self.agent.map(|agent| agent.to_string())
    }

    /// Refuses what the guest's scopes do not cover.
    pub(crate) fn require(&self, scope: Scope) -> Result<(), Failure> {
        // Whoever is bound to one agent has no say over the others, whatever the scopes.
        let bound = scope == Scope::Admin && self.agent.is_some();
        if self.scopes.contains(&scope) && !bound {
            return Ok(());
        }
        Err(Failure::new(
            403,
            "missing_scope",
            format!("this needs a key with scope {}: `selfsame key create --scope {0}`", scope.as_str()),
        ))
    }

    /// Refuses paths of this machine to whoever came by the network.
    pub(crate) fn require_at_home(&self) -> Result<(), Failure> {
        match self.at_home {
            true => Ok(()),
            false => Err(Failure::new(
                403,
                "not_at_home",
                "paths of the daemon's machine are for its command line: send or fetch the bytes",
            )),
        }
    }

    /// Refuses who may not look at the house as a whole.
    pub(crate) fn require_whole_house(&self) -> Result<(), Failure> {
        self.require(Scope::Read)?;
        match self.agent {
            None => Ok(()),
            Some(_) => Err(Failure::new(403, "missing_scope", "this needs a key that is bound to no agent")),
        }
    }

    /// One agent as this guest sees it. Another's agent and a missing one are the same answer.
    pub(crate) fn access<'m>(&self, mind: &'m Mind, agent: &str) -> Result<Access<'m>, Failure> {
        let speaker = match self.speaks_as {
            SpeaksAs::Operator => Speaker::Operator,
            SpeaksAs::Principal => Speaker::Principal(self.principal.ok_or_else(Failure::unauthenticated)?),
            SpeaksAs::Agent => Speaker::Agent(None),
            // A key names whose conversation it is in. The owner of the folder is the operator.
            SpeaksAs::Host if self.principal.is_none() => Speaker::Host(operator_of(mind, agent)?),
            SpeaksAs::Host => Speaker::Host(self.principal),
        };
        let hidden = || Failure::new(404, "no_such_agent", format!("there is no agent {agent:?}"));
        match mind.access(agent, speaker) {
            Ok(access) if self.agent.is_none_or(|own| own == access.agent().id) => {
                Ok(if self.unattended { access.unattended() } else { access })
            }
            Ok(_) => Err(hidden()),
            Err(selfsame::Error::NoSuchAgent { .. }) if self.agent.is_some() => Err(hidden()),
            Err(error) => Err(error.into()),
        }
    }
}

/// Whom an agent serves first; nothing is said about one that is not there.
fn operator_of(mind: &Mind, agent: &str) -> Result<Option<PrincipalId>, Failure> {
    match mind.require_agent(agent) {
        Ok(agent) => Ok(Some(agent.operator)),
        Err(selfsame::Error::NoSuchAgent { .. }) => Ok(None),
        Err(error) => Err(error.into()),
    }
}
