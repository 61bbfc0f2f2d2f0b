//! Those who write when text must be written: a model that is asked over HTTP, a program, a webhook; and what they have
//! at hand.
//!
//! A thinker is believed in nothing: how long it may take, how much it may say and what it says are all bounded and
//! checked, it is never followed to another address, and its words are in no message of ours, as they may repeat what it
//! was asked. What goes wrong is told in `trouble`, with what to do about it.

mod command;
mod foreign;
mod gate;
mod model;
mod over_http;
mod provider;
mod seasoner;
mod toolbox;
mod trouble;
mod webhook;

use self::command::Program;
use self::model::Model;
pub use self::provider::Provider;
pub use self::seasoner::OllamaSeasoner;
pub use self::toolbox::HouseTools;
pub(crate) use self::toolbox::class_at_the_door;
use self::webhook::Webhook;
use crate::pause::Breaker;
use selfsame::clock::SystemClock;
use selfsame::config::{Secret, ToolServer};
use selfsame::ports::{Desk, PortError, Prompt, Thinker};
use selfsame::time::Clock;
use selfsame::tokens;
use std::sync::Arc;
use std::time::Duration;

/// What a thinker may say at most, unless it is set otherwise.
pub const MAX_BYTES: u64 = 4 << 20;
/// How many tools it may use for one prompt, unless it is set otherwise.
pub const MAX_CALLS: usize = 30;
/// How long it may take, unless it is set otherwise.
pub const TIMEOUT: Duration = Duration::from_secs(600);
/// How long it may fall silent once it began to answer.
pub const IDLE: Duration = Duration::from_secs(60);

/// Which sort of thinker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// A model that is asked over HTTP.
    Model(Provider),
    /// A program that reads the prompt and prints its answer.
    Command,
    /// A host that is sent the prompt and replies.
    Webhook,
}

/// A thinker as it is set up.
#[derive(Clone, PartialEq, Debug)]
pub struct ThinkerSpec {
    /// Which sort.
    pub kind: Kind,
    /// What the provider calls the model.
    pub model: Option<String>,
    /// Where the provider is; the usual place if none.
    pub url: Option<String>,
    /// The provider's key.
    pub key: Option<Secret>,
    /// The program.
    pub command: Option<String>,
    /// Its arguments; no shell reads them.
    pub args: Vec<String>,
    /// Where the webhook is. It may have a token in it.
    pub webhook_url: Option<Secret>,
    /// What its requests are signed with.
    pub webhook_secret: Option<Secret>,
    /// How long it may take.
    pub timeout: Duration,
    /// How long it may fall silent once it began to answer.
    pub idle: Duration,
    /// How much it may say at once.
    pub max_bytes: u64,
    /// How many tools it may use for one prompt.
    pub max_calls: usize,
}

/// A server of tools.
#[derive(Clone, PartialEq, Debug)]
struct McpServer {
    /// Put before the names of its tools.
    name: String,
    /// The program that it is, or where it is.
    server: ToolServer,
}

impl ThinkerSpec {
    /// One of a sort, with everything else as it is if nobody says otherwise.
    pub fn of(kind: Kind) -> ThinkerSpec {
        ThinkerSpec {
            kind,
            model: None,
            url: None,
            key: None,
            command: None,
            args: Vec::new(),
            webhook_url: None,
            webhook_secret: None,
            timeout: TIMEOUT,
            idle: IDLE,
            max_bytes: MAX_BYTES,
            max_calls: MAX_CALLS,
        }
    }

    /// Where it is, in a way that tells one server or program from another: what fails there fails for all who ask there.
    pub(crate) fn address(&self) -> String {
        match self.kind {
            Kind::Model(provider) => {
                self.url.as_deref().unwrap_or(provider.usual_url()).trim_end_matches('/').to_owned()
            }
            Kind::Command => self.command.clone().unwrap_or_default(),
            Kind::Webhook => self.webhook_url.as_ref().map(Secret::reveal).unwrap_or_default().to_owned(),
        }
    }
}

/// The thinker that is set up so.
pub fn thinker(spec: &ThinkerSpec) -> Result<Arc<dyn Thinker>, PortError> {
    thinker_with_clock(spec, Arc::new(SystemClock::default()))
}

/// The same, by another clock.
pub fn thinker_with_clock(spec: &ThinkerSpec, clock: Arc<dyn Clock>) -> Result<Arc<dyn Thinker>, PortError> {
    thinker_with_breaker(spec, clock, Arc::default())
}

/// The same, with what is remembered of others' failures at the same address.
pub(crate) fn thinker_with_breaker(
    spec: &ThinkerSpec,
    clock: Arc<dyn Clock>,
    breaker: Arc<Breaker>,
) -> Result<Arc<dyn Thinker>, PortError> {
    match spec.kind {
        Kind::Model(provider) => Ok(Arc::new(Model::new(provider, spec, clock, breaker)?)),
        Kind::Command => Ok(Arc::new(Program::new(spec, clock, breaker)?)),
        Kind::Webhook => Ok(Arc::new(Webhook::new(spec, clock, breaker)?)),
    }
}

/// How long a thinker has for a prompt: all who have a say agree.
fn time_for(prompt: &Prompt, desk: &dyn Desk, timeout: Duration) -> Duration {
    prompt.timeout.min(timeout).min(desk.time_left())
}

/// What a prompt and its answer cost, where nobody else counts.
fn counted(asked: &str, answered: &str) -> u64 {
    (tokens::count(asked) + tokens::count(answered)) as u64
}
