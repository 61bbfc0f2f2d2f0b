//! What is known of a principal when the heart beats.

use crate::id::Id;
use crate::time::Time;
use std::collections::BTreeMap;

/// Why nothing may be said at all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// The principal wants to hear nothing.
    Muted,
    /// Until then.
    Snoozed(Time),
    /// The whole house is quiet.
    Paused,
}

impl Held {
    /// What holds, of all that may: the pause of the house before the principal's own wish, and that for good before the
    /// one for a while.
    pub fn of(is_paused: bool, is_muted: bool, snoozed_until: Option<Time>, now: Time) -> Option<Held> {
        let snoozed = || snoozed_until.filter(|until| *until > now).map(Held::Snoozed);
        match (is_paused, is_muted) {
            (true, _) => Some(Held::Paused),
            (false, true) => Some(Held::Muted),
            (false, false) => snoozed(),
        }
    }
}

/// An act of before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Acted {
    /// When.
    pub at: Time,
    /// What it was about.
    pub fingerprint: [u8; 32],
}

/// What is known of a principal when the heart beats.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct State {
    /// Why nothing may be said at all.
    pub held: Option<Held>,
    /// Memories of this principal, counted up to what first contact asks for.
    pub memories: u32,
    /// When the principal last wrote anything.
    pub wrote_at: Option<Time>,
    /// When the agent introduced itself: since then, and in the last pause between two attempts.
    pub introduced: Vec<Time>,
    /// The last message of a conversation with the principal.
    pub last_message_at: Option<Time>,
    /// The host says that a run is on until then.
    pub host_active_until: Option<Time>,
    /// New memories since the last act, or in the last day if that is later.
    pub new_memories: u32,
    /// The last act that surfaced anything but what is immediate: what cooldowns count from.
    pub acted: Option<Acted>,
    /// The last act of any kind: what the pace follows.
    pub acted_at: Option<Time>,
    /// What was surfaced lately, by topic (or by its own id), and when last. Immediate signals leave no mark here.
    pub surfaced: BTreeMap<Id, Time>,
    /// Of the last nudges that count, how many were delivered.
    pub delivered: u32,
    /// And how many of those were answered.
    pub answered: u32,
}
