//! Monitors: a memory that wants to be looked after, every so often. Recalling it is no check.

use crate::id::{AgentId, MemoryId};
use crate::time::{BadDuration, Time, parse_duration, show_duration};
use std::time::Duration;

/// A tag that begins so makes a memory a monitored one: `monitor:7d`.
pub const TAG: &str = "monitor:";

/// The shortest pause between two checks.
pub const SHORTEST: Duration = Duration::from_secs(60);

/// The longest.
pub const LONGEST: Duration = Duration::from_secs(366 * 24 * 3600);

/// A memory that is looked after.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Monitor {
    /// Whose.
    pub agent: AgentId,
    /// Which memory.
    pub memory: MemoryId,
    /// How often, in whole seconds.
    pub every: Duration,
    /// When somebody last looked.
    pub last_checked_at: Option<Time>,
    /// When somebody should look next.
    pub next_check_at: Time,
    /// Since when.
    pub created_at: Time,
    /// When it ended.
    pub ended_at: Option<Time>,
}

impl Monitor {
    /// A new one: the first check is due after one pause.
    pub fn new(agent: AgentId, memory: MemoryId, every: Duration, now: Time) -> Monitor {
        let next_check_at = now.saturating_add(every);
        Monitor {
            agent,
            memory,
            every,
            last_checked_at: None,
            next_check_at,
            created_at: now,
            ended_at: None,
        }
    }

    /// Whether somebody should have looked by now.
    pub fn is_overdue(&self, now: Time) -> bool {
        self.ended_at.is_none() && self.next_check_at <= now
    }
}

/// Why a monitor cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadMonitor {
    /// Not a duration.
    #[error(transparent)]
    Duration(#[from] BadDuration),
    /// Too short or too long.
    #[error("a memory can be checked every 1m at the most often and every 366d at the least, not every {}", show_duration(*.0))]
    Range(Duration),
    /// Several tags, each with a duration of its own.
    #[error("a memory has one rhythm, and the tags give {0:?} and {1:?}: leave one out")]
    Twice(String, String),
}

/// How often, as somebody wrote it.
pub fn parse_every(text: &str) -> Result<Duration, BadMonitor> {
    let every = parse_duration(text)?;
    if !(SHORTEST..=LONGEST).contains(&every) {
        return Err(BadMonitor::Range(every));
    }
    // Seconds are stored: what is finer would be lost in silence.
    Ok(Duration::from_secs(every.as_secs()))
}

/// How often the tags of a memory say that it wants to be looked after, if they say so.
pub fn from_tags(tags: &[String]) -> Result<Option<Duration>, BadMonitor> {
    let mut said: Option<(&str, Duration)> = None;
    for text in tags.iter().filter_map(|tag| tag.strip_prefix(TAG)) {
        let every = parse_every(text)?;
        match said {
            Some((other, before)) if before != every => {
                return Err(BadMonitor::Twice(other.into(), text.into()));
            }
            _ => said = Some((text, every)),
        }
    }
    Ok(said.map(|(_, every)| every))
}
