//! What the engine asks of the outside: meaning, thought and delivery. No vendor's name stands above this line.
//!
//! Each port is synchronous and is called from a lane that may wait. Adapters live in the daemon, the in-process
//! embedder beside it; tests bring scripted ones. An engine without any of them works, by rules and words alone.

use std::time::Duration;

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
    /// What it is, for the record.
    fn name(&self) -> &str;
    /// Answers a prompt within its limits.
    fn think(&self, prompt: &Prompt) -> Result<Thought, PortError>;
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
    /// Tokens spent, as far as they are known.
    pub tokens: u32,
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
