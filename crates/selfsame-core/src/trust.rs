//! Who said it, and how far that is believed.
//!
//! Trust is set at the boundary from the author and the key, never from text, and it only ever falls: what is derived
//! carries the lowest trust of what it was made from. The types hold this rule, not good intentions: [`Trust`] has no
//! public constructor, and a [`Provenance`] is either stated by a [`Caller`], derived from a [`Lineage`], copied
//! through a link, or restored from a row whose seal was just checked.

use crate::id::PrincipalId;
use crate::seal::{Intact, Sealer};
use std::fmt;

/// Whose words a row holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Author {
    /// A person (or program) whom the agent serves.
    Principal,
    /// The agent itself, by a deliberate call.
    Agent,
    /// What a tool returned.
    Tool,
    /// A file or export of another system.
    Import,
    /// Another agent's memory, shared by a neural link.
    Link,
    /// Selfsame: summaries and other derived rows.
    System,
}

impl Author {
    /// Every author.
    pub const ALL: [Author; 6] =
        [Author::Principal, Author::Agent, Author::Tool, Author::Import, Author::Link, Author::System];

    /// As stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Author::Principal => "principal",
            Author::Agent => "agent",
            Author::Tool => "tool",
            Author::Import => "import",
            Author::Link => "link",
            Author::System => "system",
        }
    }

    /// How far what this author says is usually believed: for a source of which no more is kept.
    pub const fn usual_trust(self, is_operator: bool) -> Trust {
        match self {
            Author::Principal if is_operator => Trust::OPERATOR,
            Author::Principal => Trust::PRINCIPAL,
            Author::Agent => Trust::AGENT,
            Author::Tool | Author::Import | Author::Link | Author::System => Trust::UNVOUCHED,
        }
    }

    /// From its stored name.
    pub fn parse(name: &str) -> Option<Author> {
        Author::ALL.into_iter().find(|author| author.as_str() == name)
    }
}

/// How far a row is believed, from 0 to 1.
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
pub struct Trust(f64);

impl Trust {
    /// The operator's word.
    const OPERATOR: Trust = Trust(1.0);
    /// Another principal's word.
    const PRINCIPAL: Trust = Trust(0.8);
    /// The agent's own, and the most that another agent's memory can have here.
    const AGENT: Trust = Trust(0.5);
    /// What nobody vouches for.
    const UNVOUCHED: Trust = Trust(0.4);

    /// As a number.
    pub const fn value(self) -> f64 {
        self.0
    }

    fn lower_of(self, other: Trust) -> Trust {
        if other.0 < self.0 { other } else { self }
    }
}

/// In whose name a call is made. Built at the doors from a key or a socket, never from a request's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caller {
    voice: Voice,
    principal: Option<PrincipalId>,
    /// Nobody is there to notice what a text talks it into.
    unattended: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Voice {
    Operator,
    Principal,
    Agent,
    Tool,
    Import,
}

impl Caller {
    /// The operator: the principal whose word outranks evidence.
    pub const fn operator(principal: PrincipalId) -> Caller {
        Caller { voice: Voice::Operator, principal: Some(principal), unattended: false }
    }

    /// Another principal.
    pub const fn principal(principal: PrincipalId) -> Caller {
        Caller { voice: Voice::Principal, principal: Some(principal), unattended: false }
    }

    /// The agent, for itself or in a principal's conversation.
    pub const fn agent(principal: Option<PrincipalId>) -> Caller {
        Caller { voice: Voice::Agent, principal, unattended: false }
    }

    /// A tool's output, filed by a host in a principal's conversation.
    pub const fn tool(principal: Option<PrincipalId>) -> Caller {
        Caller { voice: Voice::Tool, principal, unattended: false }
    }

    /// An import, run by a principal.
    pub const fn import(principal: Option<PrincipalId>) -> Caller {
        Caller { voice: Voice::Import, principal, unattended: false }
    }

    /// The same at work that nobody watches: it sees nothing that nobody vouches for, as a text could talk it into
    /// anything.
    pub const fn unattended(self) -> Caller {
        Caller { unattended: true, ..self }
    }

    /// Whether nobody watches what it does.
    pub const fn is_unattended(&self) -> bool {
        self.unattended
    }

    /// Whose words a row written by this caller holds.
    pub const fn author(&self) -> Author {
        match self.voice {
            Voice::Operator | Voice::Principal => Author::Principal,
            Voice::Agent => Author::Agent,
            Voice::Tool => Author::Tool,
            Voice::Import => Author::Import,
        }
    }

    /// The principal in whose name or conversation the call is made.
    pub const fn principal_id(&self) -> Option<PrincipalId> {
        self.principal
    }

    /// Whether this is the operator speaking.
    pub const fn is_operator(&self) -> bool {
        matches!(self.voice, Voice::Operator)
    }

    /// Which private rows it may see: the operator all, a principal those in their own name. Whoever else speaks in a
    /// principal's name sees none.
    pub const fn sight(&self) -> Sight {
        match (self.voice, self.principal) {
            (Voice::Operator, _) => Sight::All,
            (Voice::Principal, Some(principal)) => Sight::Of(principal),
            _ => Sight::None,
        }
    }

    const fn trust(&self) -> Trust {
        match self.voice {
            Voice::Operator => Trust::OPERATOR,
            Voice::Principal => Trust::PRINCIPAL,
            Voice::Agent => Trust::AGENT,
            Voice::Tool | Voice::Import => Trust::UNVOUCHED,
        }
    }
}

impl fmt::Display for Caller {
    /// One word per voice and principal: what idempotency keys are scoped by.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let voice = match self.voice {
            Voice::Operator => "operator",
            Voice::Principal => "principal",
            Voice::Agent => "agent",
            Voice::Tool => "tool",
            Voice::Import => "import",
        };
        match self.principal {
            Some(principal) => write!(f, "{voice}:{principal}"),
            None => f.write_str(voice),
        }
    }
}

/// Which private rows somebody may see.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sight {
    /// Everybody's.
    All,
    /// Those in the name of this principal.
    Of(PrincipalId),
    /// Nobody's.
    None,
}

/// Where a row comes from: on every row, set by code.
#[derive(Clone, PartialEq, Debug)]
pub struct Provenance {
    author: Author,
    source: Option<String>,
    principal: Option<PrincipalId>,
    private: bool,
    trust: Trust,
}

impl Provenance {
    /// What a caller says, as it says it.
    pub fn stated(caller: &Caller, source: Option<String>, privacy: Privacy) -> Provenance {
        Provenance {
            author: caller.author(),
            source,
            principal: caller.principal,
            private: privacy == Privacy::Private,
            trust: caller.trust(),
        }
    }

    /// What Selfsame made from other rows: as trusted as the least of them.
    pub fn derived(lineage: &Lineage, source: Option<String>) -> Provenance {
        Provenance {
            author: Author::System,
            source,
            principal: lineage.principal,
            private: false,
            trust: lineage.trust,
        }
    }

    /// Another agent's memory, copied through a link: never above an agent's own word, nor above the original's.
    pub fn linked(original: &Provenance, link: String) -> Result<Provenance, PrivateSource> {
        if original.private {
            return Err(PrivateSource);
        }
        Ok(Provenance {
            author: Author::Link,
            source: Some(link),
            principal: None,
            private: false,
            trust: original.trust.lower_of(Trust::AGENT),
        })
    }

    /// What a stored row says of itself; only for a row whose seal was just checked.
    pub fn restored(stored: StoredProvenance, _checked: &Intact) -> Provenance {
        let StoredProvenance { author, source, principal, private, trust } = stored;
        Provenance { author, source, principal, private, trust: Trust(trust) }
    }

    /// Whose words these are.
    pub const fn author(&self) -> Author {
        self.author
    }

    /// Message, tool call, file or link it came by.
    pub fn source(&self) -> Option<&str> {
        self.source.as_deref()
    }

    /// In whose conversation or with whose key it was stored; none means the agent's own.
    pub const fn principal_id(&self) -> Option<PrincipalId> {
        self.principal
    }

    /// Seen by its principal and the operator only.
    pub const fn is_private(&self) -> bool {
        self.private
    }

    /// How far it is believed.
    pub const fn trust(&self) -> Trust {
        self.trust
    }

    /// Whether it may be quoted where nobody watches: somebody vouches for it, and it is not what another agent, a file or
    /// a tool says.
    pub fn is_quotable(&self) -> bool {
        let is_own = matches!(self.author, Author::Principal | Author::Agent | Author::System);
        is_own && self.trust >= Trust::AGENT
    }

    /// The same, believed no further than `most`: what was written after reading something of little trust.
    pub fn lowered_to(self, most: f64) -> Provenance {
        Provenance { trust: self.trust.lower_of(Trust(most.max(0.0))), ..self }
    }

    /// Whether `caller` may see the row.
    pub fn is_visible_to(&self, caller: &Caller) -> bool {
        if caller.unattended && !self.is_quotable() {
            return false;
        }
        let is_in_sight = match caller.sight() {
            Sight::All => true,
            Sight::Of(principal) => self.principal == Some(principal),
            Sight::None => false,
        };
        !self.private || is_in_sight
    }

    /// Whether `caller` may change the row, decide on it or have it forgotten: the agent, its operator, or who said it.
    pub fn may_be_changed_by(&self, caller: &Caller) -> bool {
        let own = self.principal == caller.principal;
        caller.is_operator() || caller.author() == Author::Agent || own
    }

    /// Binds the provenance into a row's seal.
    pub fn seal_into(&self, sealer: Sealer) -> Sealer {
        StoredProvenance {
            author: self.author,
            source: self.source.clone(),
            principal: self.principal,
            private: self.private,
            trust: self.trust.0,
        }
        .seal_into(sealer)
    }
}

/// The columns of a stored provenance, not believed until the row's seal is checked.
#[derive(Clone, PartialEq, Debug)]
pub struct StoredProvenance {
    /// Column `author`.
    pub author: Author,
    /// Column `source_ref`.
    pub source: Option<String>,
    /// Column `principal_id`.
    pub principal: Option<PrincipalId>,
    /// Column `private`.
    pub private: bool,
    /// Column `trust`.
    pub trust: f64,
}

impl StoredProvenance {
    /// Binds it into a row's seal: the one place that says how.
    pub fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("author", self.author.as_str())
            .opt_text("source_ref", self.source.as_deref())
            .opt_id("principal_id", self.principal.map(PrincipalId::id))
            .flag("private", self.private)
            .real("trust", self.trust)
    }
}

/// Who may see a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Privacy {
    /// The agent and everybody it serves.
    #[default]
    Shared,
    /// Its principal and the operator.
    Private,
}

/// What a derived row is made from: never empty, never private.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lineage {
    trust: Trust,
    principal: Option<PrincipalId>,
}

/// A private row was about to feed something derived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a private row feeds no summary, observation, lesson or link")]
pub struct PrivateSource;

impl Lineage {
    /// Begins with one source. What is made from another agent's words is no longer seen to be theirs: so it is believed
    /// like what nobody vouches for, or it would be quoted where they are not.
    pub fn of(source: &Provenance) -> Result<Lineage, PrivateSource> {
        if source.private {
            return Err(PrivateSource);
        }
        let trust = match source.author {
            Author::Link => source.trust.lower_of(Trust::UNVOUCHED),
            _ => source.trust,
        };
        Ok(Lineage { trust, principal: source.principal })
    }

    /// Adds a source: the lower trust stays; sources of several principals belong to the agent.
    pub fn and(self, source: &Provenance) -> Result<Lineage, PrivateSource> {
        let other = Lineage::of(source)?;
        Ok(Lineage {
            trust: self.trust.lower_of(other.trust),
            principal: if self.principal == other.principal { self.principal } else { None },
        })
    }

    /// The lowest trust among the sources.
    pub const fn trust(&self) -> Trust {
        self.trust
    }
}
