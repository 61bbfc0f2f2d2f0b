//! Keys to the daemon: made, shown once, checked, revoked.

use crate::error::{Error, Result};
use crate::mind::Mind;
use selfsame_core::id::{AgentId, Id, KeyId, PrincipalId};
use selfsame_core::seal::sha256;
use selfsame_core::text::check_text;
use selfsame_core::word::UnknownWord;
use selfsame_store::keys;
use subtle::ConstantTimeEq as _;

pub use selfsame_store::keys::Key;

/// What every key begins with.
pub const PREFIX: &str = "ssk";
/// Bytes in a key's name, at most.
const MAX_NAME_BYTES: usize = 128;

/// In whose name a key speaks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SpeaksAs {
    /// The operator of the agent.
    Operator,
    /// One principal.
    Principal,
    /// The agent itself.
    Agent,
    /// A host that runs the agent for a principal: messages by role, tool calls as the agent.
    Host,
}

/// What a key may do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// Look.
    Read,
    /// Change a mind.
    Write,
    /// Make agents and keys.
    Admin,
}

macro_rules! named {
    ($type:ident, $what:literal: $($variant:ident = $word:literal),*) => {
        impl $type {
            /// As stored and shown.
            pub const fn as_str(self) -> &'static str {
                match self { $($type::$variant => $word),* }
            }

            /// From its word.
            pub fn parse(word: &str) -> std::result::Result<$type, UnknownWord> {
                match word {
                    $($word => Ok($type::$variant),)*
                    other => Err(UnknownWord {
                        given: other.chars().take(40).collect(),
                        what: $what,
                        known: vec![$($word),*],
                    }),
                }
            }
        }
    };
}

named!(SpeaksAs, "voice of a key": Operator = "operator", Principal = "principal", Agent = "agent", Host = "host");
named!(Scope, "scope of a key": Read = "read", Write = "write", Admin = "admin");

/// A key to be.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyRequest {
    /// What it is for.
    pub name: String,
    /// The agent it opens, by name; none opens all.
    pub agent: Option<String>,
    /// In whose name it speaks.
    pub speaks_as: SpeaksAs,
    /// Which principal, for `principal` and `host`.
    pub principal: Option<PrincipalId>,
    /// What it may do.
    pub scopes: Vec<Scope>,
}

/// A key, with the secret that is shown once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewKey {
    /// As stored.
    pub key: Key,
    /// The whole key: `ssk_<id>_<secret>`.
    pub secret: String,
}

/// A key that was presented and is good.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Presented {
    /// Which.
    pub id: KeyId,
    /// The agent it opens; none opens all.
    pub agent: Option<AgentId>,
    /// In whose name or conversation.
    pub principal: Option<PrincipalId>,
    /// In whose name it speaks.
    pub speaks_as: SpeaksAs,
    /// What it may do.
    pub scopes: Vec<Scope>,
}

impl Mind {
    /// Makes a key.
    pub fn create_key(&self, request: &KeyRequest) -> Result<NewKey> {
        check_text(&request.name, MAX_NAME_BYTES)
            .map_err(|problem| Error::Text { field: "name", problem })?;
        if request.scopes.is_empty() {
            return Err(Error::Unfit("a key needs a scope: give read, write or admin".into()));
        }
        let agent = match &request.agent {
            Some(name) => Some(self.require_agent(name)?),
            None => None,
        };
        let principal = match request.speaks_as {
            SpeaksAs::Operator | SpeaksAs::Agent => None,
            SpeaksAs::Principal | SpeaksAs::Host => {
                let agent = agent.as_ref().ok_or_else(|| {
                    Error::Unfit("a principal's or host's key opens one agent: name it with --agent".into())
                })?;
                Some(self.principal_of(agent, request.principal)?)
            }
        };
        let now = self.now();
        let secret = base32(&self.mint.draw());
        let id = KeyId::of(self.mint.id(now));
        let key = Key {
            id,
            name: request.name.clone(),
            agent: agent.map(|agent| agent.id),
            principal,
            speaks_as: request.speaks_as.as_str().to_owned(),
            scopes: scope_words(&request.scopes),
            secret_hash: hash(id, &secret).to_vec(),
            created_at: now,
            revoked_at: None,
        };
        self.store.system_write(|writer| keys::insert(writer, &key))?;
        Ok(NewKey { secret: format!("{PREFIX}_{}_{secret}", &id.to_string()["key_".len()..]), key })
    }

    /// Every key, oldest first.
    pub fn keys(&self) -> Result<Vec<Key>> {
        Ok(self.store.system(keys::all)?)
    }

    /// Revokes a key at once; says whether there was one to revoke.
    pub fn revoke_key(&self, id: KeyId) -> Result<bool> {
        let now = self.now();
        Ok(self.store.system_write(|writer| keys::revoke(writer, id, now))?)
    }

    /// Whose key this is, if it is a good one. The same answer, after the same work, for every bad one.
    pub fn authenticate(&self, text: &str) -> Result<Option<Presented>> {
        let (id, secret) = split(text).unwrap_or((KeyId::of(Id::NIL), ""));
        let stored = self.store.system(|reader| keys::by_id(reader, id))?;
        let offered = hash(id, secret);
        let expected = stored.as_ref().map_or([0; 32].as_slice(), |key| key.secret_hash.as_slice());
        let fits = bool::from(offered.as_slice().ct_eq(expected));
        Ok(match stored {
            Some(key) if fits && key.revoked_at.is_none() => Some(presented(&key)?),
            _ => None,
        })
    }

    fn principal_of(&self, agent: &crate::agent::Agent, asked: Option<PrincipalId>) -> Result<PrincipalId> {
        let asked = asked.unwrap_or(agent.operator);
        let card = self.agent_card(&agent.id.to_string())?;
        match card.principals.iter().find(|principal| principal.id == asked) {
            Some(principal) => Ok(principal.id),
            None => Err(Error::NoSuch { what: "principal", id: asked.to_string() }),
        }
    }
}

fn presented(key: &Key) -> Result<Presented> {
    let scopes = key.scopes.split(',').map(Scope::parse).collect::<std::result::Result<_, _>>()?;
    Ok(Presented {
        id: key.id,
        agent: key.agent,
        principal: key.principal,
        speaks_as: SpeaksAs::parse(&key.speaks_as)?,
        scopes,
    })
}

/// `ssk_<id>_<secret>` in its two parts.
fn split(text: &str) -> Option<(KeyId, &str)> {
    let (id, secret) = text.strip_prefix(PREFIX)?.strip_prefix('_')?.split_once('_')?;
    Some((format!("key_{id}").parse().ok()?, secret))
}

/// The secret has 256 bits of chance, so one hash is enough: there is nothing to guess.
fn hash(id: KeyId, secret: &str) -> [u8; 32] {
    sha256(&[b"selfsame key", &id.id().bytes(), secret.as_bytes()])
}

fn scope_words(scopes: &[Scope]) -> String {
    let mut scopes = scopes.to_vec();
    scopes.sort();
    scopes.dedup();
    scopes.iter().map(|scope| scope.as_str()).collect::<Vec<_>>().join(",")
}

fn base32(bytes: &[u8; 32]) -> String {
    let (left, right) = bytes.split_at(16);
    let half = |bytes: &[u8]| {
        let id = Id::from_bytes(bytes.try_into().unwrap_or_default());
        format!("{id:?}")
    };
    half(left) + &half(right)
}
