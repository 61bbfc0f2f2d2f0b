//! The inbox: what a conversation yields before anybody has decided that it shall be remembered.
//!
//! [`capture`] finds candidates in a principal's words by rules; [`review`] is what the rules decide when no one else
//! does. Filing them, and doing what was decided, is the engine's matter.

mod capture;
mod explicit;
mod machine;
pub mod review;
mod rules;

pub use capture::{Found, capture};

use crate::id::{AgentId, CandidateId, ConversationId, EntityId, Id, MemoryId, MessageId, PrincipalId};
use crate::kept::{Words, row};
use crate::memory::MemoryKind;
use crate::seal::{Sealer, sha256};
use crate::time::Time;
use crate::trust::Provenance;
use crate::word::words;

words! {
    /// What a candidate seems to be.
    CandidateKind, "candidate type":
    /// What somebody likes better.
    Preference = "preference",
    /// What the agent shall always or never do.
    Directive = "directive",
    /// It was otherwise.
    Correction = "correction",
    /// How people stand to each other.
    Relationship = "relationship",
    /// What was settled.
    Decision = "decision",
    /// What somebody will do.
    Commitment = "commitment",
    /// How somebody feels.
    Emotion = "emotion",
    /// Who somebody is.
    Identity = "identity",
    /// What is to be found out.
    Question = "question",
    /// Anything else that is so.
    Fact = "fact",
}

impl CandidateKind {
    /// The type of memory that it becomes.
    pub const fn memory_kind(self) -> MemoryKind {
        match self {
            CandidateKind::Preference | CandidateKind::Directive => MemoryKind::Preference,
            CandidateKind::Correction | CandidateKind::Fact => MemoryKind::Knowledge,
            CandidateKind::Relationship => MemoryKind::Relationship,
            CandidateKind::Decision => MemoryKind::Event,
            CandidateKind::Commitment => MemoryKind::Plan,
            // A mood is no lasting fact: if somebody promotes it all the same, it stays for a few days.
            CandidateKind::Emotion => MemoryKind::Ephemeral,
            CandidateKind::Identity => MemoryKind::Identity,
            CandidateKind::Question => MemoryKind::Question,
        }
    }

    /// The labels that the memory gets.
    pub fn tags(self) -> Vec<String> {
        match self {
            CandidateKind::Commitment => vec!["promise".into()],
            _ => Vec::new(),
        }
    }

    /// How much the memory will matter, if nobody says otherwise.
    pub const fn importance(self) -> f64 {
        match self {
            CandidateKind::Identity | CandidateKind::Directive | CandidateKind::Correction => 0.7,
            CandidateKind::Preference
            | CandidateKind::Relationship
            | CandidateKind::Decision
            | CandidateKind::Commitment => 0.6,
            CandidateKind::Fact | CandidateKind::Question => 0.5,
            CandidateKind::Emotion => 0.3,
        }
    }
}

words! {
    /// What has become of a candidate.
    Status, "candidate status":
    /// Nobody has decided yet.
    Pending = "pending",
    /// It is a memory.
    Promoted = "promoted",
    /// A memory said it already.
    Merged = "merged",
    /// It is not worth remembering.
    Rejected = "rejected",
    /// Nobody decided in time.
    Expired = "expired",
}

words! {
    /// What a reviewer can decide.
    Verdict, "decision":
    /// Make it a memory.
    Promote = "promote",
    /// A memory says it already.
    Merge = "merge",
    /// Leave it.
    Reject = "reject",
}

impl Verdict {
    /// What the candidate is then.
    pub const fn status(self) -> Status {
        match self {
            Verdict::Promote => Status::Promoted,
            Verdict::Merge => Status::Merged,
            Verdict::Reject => Status::Rejected,
        }
    }
}

/// Something that was said and may be worth remembering.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// Its name.
    pub id: CandidateId,
    /// The mind it belongs to.
    pub agent: AgentId,
    /// What it seems to be.
    pub kind: CandidateKind,
    /// The words, as they were said.
    pub content: String,
    /// How sure the rule is, 0 to 1.
    pub confidence: f64,
    /// The rule that found it.
    pub cue: String,
    /// Where it was said.
    pub conversation: Option<ConversationId>,
    /// In which message.
    pub message: Option<MessageId>,
    /// The type of memory it would be.
    pub memory_kind: MemoryKind,
    /// How much that would matter.
    pub importance: f64,
    /// Whom it is about.
    pub entity: Option<EntityId>,
    /// When it was filed.
    pub created_at: Time,
    /// When it is gone if nobody decides.
    pub expires_at: Time,
    /// What has become of it.
    pub status: Status,
    /// When that was decided.
    pub decided_at: Option<Time>,
    /// By whom.
    pub decided_by: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// The memory that it became, or that said it already.
    pub memory: Option<MemoryId>,
}

impl Candidate {
    /// Equal words of the same person have equal hashes, case and spacing aside. What somebody says in private is not
    /// what another says openly.
    pub fn text_hash(&self, provenance: &Provenance) -> [u8; 32] {
        let words: Vec<String> = self.content.split_whitespace().map(str::to_lowercase).collect();
        let who = provenance.principal_id().map_or(Id::NIL, PrincipalId::id).bytes();
        sha256(&[&who, &[u8::from(provenance.is_private())], words.join(" ").as_bytes()])
    }

    /// Whether the writer asked for it to be remembered.
    pub fn is_explicit(&self) -> bool {
        self.cue.starts_with(explicit::CUE_PREFIX)
    }
}

impl Words for Candidate {
    row!("inbox_candidates", "candidate");

    fn seal_into(&self, sealer: Sealer) -> Sealer {
        sealer
            .text("candidate_type", self.kind.as_str())
            .text("content", &self.content)
            .real("confidence", self.confidence)
            .text("cue", &self.cue)
            .opt_id("conversation_id", self.conversation.map(ConversationId::id))
            .opt_id("message_id", self.message.map(MessageId::id))
            .text("memory_type", self.memory_kind.as_str())
            .real("importance", self.importance)
            .opt_id("entity_id", self.entity.map(EntityId::id))
            .time("created_at", self.created_at)
    }
}
