//! What the engine asks of the outside: meaning, thought and delivery. No vendor's name stands above this line.
//!
//! Each port is synchronous and is called from a lane that may wait. Adapters live in the daemon, the in-process
//! embedder beside it; tests bring scripted ones. An engine without any of them works, by rules and words alone.

use crate::mind::Access;
use std::sync::Arc;
use std::time::Duration;

pub use selfsame_core::contemplation::{CallOutcome, Fault, FaultKind, ToolClass, WorkKind};

/// Turns text into vectors.
pub trait Embedder: Send + Sync {
    /// The model's name with its version: vectors of different models are never compared.
    fn model(&self) -> &str;
    /// How many numbers a vector has; none if only the first answer will tell.
    fn dimensions(&self) -> Option<usize>;
    /// Whether it answers from this very process. Then what is stored is embedded before it is stored, and is found by its
    /// meaning at once; what must be asked for elsewhere is embedded by a duty, so that no write ever waits for a server.
    fn is_at_hand(&self) -> bool;
    /// One vector per text, in order. Checked by the engine: count, dimensions, finite, not zero.
    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError>;
}

/// What a vector is for: some models read a question otherwise than what may answer it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Purpose {
    /// Stored, to be found.
    Text,
    /// Asked, to find.
    Question,
}

/// Supplies thought when text must be written.
pub trait Thinker: Send + Sync {
    /// Which sort it is, for the record: `model`, `command`, `webhook`.
    fn name(&self) -> &str;
    /// Which model answers, where that is known.
    fn model(&self) -> Option<&str> {
        None
    }
    /// Answers a prompt, with what lies on the desk. It ends within the prompt's time, whatever the other side does.
    fn think(&self, prompt: &Prompt, desk: &dyn Desk) -> Result<Thought, Fault>;
}

/// Who does which work for whom, as the settings name them.
pub trait Thinkers: Send + Sync {
    /// The thinker for this kind of work of the agent of this name.
    fn thinker(&self, agent: &str, work: WorkKind) -> Result<Arc<dyn Thinker>, Fault>;
}

/// What a thinker has at hand while it thinks. The engine lays it out, and writes down every use of it.
pub trait Desk: Sync {
    /// The tools that it may use now. Fewer once something nobody vouches for was read: then none.
    fn tools(&self) -> Vec<ToolCard>;
    /// Uses a tool; `arguments` is a JSON object. What is refused or fails is an answer too.
    fn call(&self, tool: &str, arguments: &str) -> ToolAnswer;
    /// Says what an exchange with a model cost. An error means that no further one may follow.
    fn spent(&self, tokens: u64) -> Result<(), Fault>;
    /// Says what an exchange cost that none follows anyway: what is paid for is used, though it emptied the purse. Thrown away,
    /// it would be paid for again tomorrow, and with a purse that is too small for one thought every day.
    fn spent_at_last(&self, tokens: u64) -> Result<(), Fault> {
        match self.spent(tokens) {
            Err(fault) if fault.kind == FaultKind::Budget => Ok(()),
            told => told,
        }
    }
    /// How long it may still take.
    fn time_left(&self) -> Duration;
}

/// A tool, as it is shown to a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolCard {
    /// How it is called.
    pub name: String,
    /// What it does.
    pub description: String,
    /// What it takes: a JSON schema, as text.
    pub schema: String,
    /// What it can do.
    pub class: ToolClass,
}

/// What a tool answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolAnswer {
    /// The words for the model.
    pub text: String,
    /// What became of the call.
    pub outcome: CallOutcome,
}

/// The tools of the house and of others, as the engine is given them. What may be used when is not theirs to judge.
pub trait Toolbox: Send + Sync {
    /// All that there are for this agent.
    fn tools(&self, access: &Access<'_>) -> Vec<ToolCard>;
    /// Whether a tool of this name is the house's own, offered or not: then the ledger knows whether it ran.
    fn is_ours(&self, tool: &str) -> bool;
    /// Uses one in the agent's name, within `time`.
    fn call(
        &self,
        access: &Access<'_>,
        tool: &str,
        arguments: &str,
        time: Duration,
    ) -> Result<String, String>;
}

/// Writes fresh questions for a prompt. A small model nearby; without it there is a deck.
pub trait Seasoner: Send + Sync {
    /// Answers in a few lines, within `timeout`.
    fn season(&self, model: &str, prompt: &str, timeout: Duration) -> Result<String, PortError>;
}

/// Carries a nudge to a principal.
pub trait Delivery: Send + Sync {
    /// Which channel.
    fn channel(&self) -> &str;
    /// Delivers once; the outbox repeats what fails.
    fn deliver(&self, message: &Message) -> Result<(), PortError>;
}

/// What a thinker is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Prompt {
    /// Our own instructions.
    pub instructions: String,
    /// Stored text, fenced and quoted as data.
    pub material: String,
    /// Tokens it may write.
    pub max_tokens: u32,
    /// How long it may take.
    pub timeout: Duration,
}

/// What a thinker answers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Thought {
    /// The text.
    pub text: String,
    /// Which model wrote it, if it says so.
    pub model: Option<String>,
}

/// What is carried.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Message {
    /// Names the message, so that a receiver can drop a repetition.
    pub id: String,
    /// The body, as canonical JSON.
    pub body: String,
}

/// Why a port did not do it, and whether trying again makes sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PortError {
    /// It may work later.
    #[error("{0}")]
    Passing(String),
    /// It will not, until somebody changes something.
    #[error("{0}")]
    Lasting(String),
}
