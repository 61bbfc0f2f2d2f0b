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
        }
    }

    /// The agent itself, by a stdio process that its owner started.
    pub fn agent() -> Guest {
        Guest { speaks_as: SpeaksAs::Agent, scopes: vec![Scope::Read, Scope::Write], ..Guest::owner() }
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
        }
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
