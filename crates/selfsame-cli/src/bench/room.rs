//! A mind to measure in: a temporary folder of its own, and a clock that is set by hand.

use selfsame::clock::ManualClock;
use selfsame::config::Settings;
use selfsame::ports::Embedder;
use selfsame::time::Time;
use selfsame::{DataFolder, Error, Mind, Opening};
use selfsame_daemon::Failure;
use std::sync::Arc;
use tempfile::TempDir;

/// The agent that is measured.
pub(super) const AGENT: &str = "bench";

/// A mind with nothing in it yet but the agent.
pub(super) struct Room {
    // Closed before its folder goes.
    pub(super) mind: Mind,
    pub(super) clock: Arc<ManualClock>,
    _folder: TempDir,
}

impl Room {
    /// As the settings have it, but always in a file of its own.
    pub(super) fn new(
        settings: &Settings,
        begin: Time,
        embedder: Option<Arc<dyn Embedder>>,
    ) -> Result<Room, Failure> {
        let folder = tempfile::tempdir().map_err(|error| {
            Failure::new(500, "unusable", format!("no temporary folder can be made: {error}"))
        })?;
        let mut settings = settings.clone();
        (settings.database.url, settings.database.owner_url) = (None, None);
        let clock = Arc::new(ManualClock::at(begin));
        let data = DataFolder::create(&folder.path().join("mind")).map_err(Error::from)?;
        let opening = Opening::new(settings).clock(Arc::<ManualClock>::clone(&clock));
        let mind = match embedder {
            Some(embedder) => opening.embedder(embedder).open(&data)?,
            None => opening.open(&data)?,
        };
        mind.ensure_agent(AGENT)?;
        Ok(Room { mind, clock, _folder: folder })
    }
}
