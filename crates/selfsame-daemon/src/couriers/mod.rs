//! Channels that carry nudges: a webhook, a program, a file. Which there are is said by the settings.
//!
//! A channel is given a message and time, and says whether it took it. What the other side says beyond that is not read:
//! the words about a failure are ours, because they are stored.

mod command;
mod file;
mod webhook;

use self::command::Program;
use self::file::Lines;
use self::webhook::Webhook;
use selfsame::clock::SystemClock;
use selfsame::config::HeartbeatSettings;
use selfsame::ports::{Delivery, PortError};
use selfsame::time::Clock;
use std::path::Path;
use std::sync::Arc;

/// The channels that the settings set up; relative paths are of the data folder.
pub fn couriers(settings: &HeartbeatSettings, folder: &Path) -> Vec<Arc<dyn Delivery>> {
    couriers_with_clock(settings, folder, Arc::new(SystemClock::default()))
}

/// The same, by another clock.
pub fn couriers_with_clock(
    settings: &HeartbeatSettings,
    folder: &Path,
    clock: Arc<dyn Clock>,
) -> Vec<Arc<dyn Delivery>> {
    let timeout = settings.delivery_timeout;
    let mut couriers: Vec<Arc<dyn Delivery>> = Vec::new();
    if let Some(url) = &settings.webhook_url {
        couriers.push(Arc::new(Webhook::new(url.clone(), settings.webhook_secret.clone(), timeout, clock)));
    }
    if let [program, arguments @ ..] = &settings.command[..] {
        couriers.push(Arc::new(Program::new(program, arguments, timeout)));
    }
    if let Some(file) = &settings.file {
        couriers.push(Arc::new(Lines::at(folder.join(file))));
    }
    couriers
}

/// What is said about a webhook that goes out unsigned.
pub(crate) const UNSIGNED: &str = "the webhook is not signed: set heartbeat.webhook_secret, so that its receiver can tell our nudges from others";

/// Whether a webhook is set up and nobody can tell that it is ours.
pub(crate) fn is_unsigned(settings: &HeartbeatSettings) -> bool {
    settings.webhook_url.is_some() && settings.webhook_secret.is_none()
}

fn passing(words: impl Into<String>) -> PortError {
    PortError::Passing(words.into())
}

fn lasting(words: impl Into<String>) -> PortError {
    PortError::Lasting(words.into())
}
