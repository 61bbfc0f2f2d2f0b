//! The junk meter: what a mind holds that helps nobody. Each figure names what it counted, so that somebody can look.

use crate::text::terms;
use crate::time::Time;
use crate::{fence, secrets};
use std::collections::BTreeMap;
use std::time::Duration;

/// Younger than this, a memory had no time to be recalled.
const SETTLED: Duration = Duration::from_secs(30 * 24 * 3600);
/// Fewer words are not enough to say that two texts say the same.
const LEAST_WORDS: usize = 3;

/// What is counted.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// The same words as an earlier memory, letter by letter but for case and spaces.
    Duplicate,
    /// The same words as an earlier memory in another order or form.
    NearDuplicate,
    /// Older than a month, and never recalled.
    NeverRecalled,
    /// Faded, or put away.
    Stale,
    /// Believed, and nothing supports it.
    Unsupported,
    /// Holds what looks like a key or a password.
    Secret,
    /// What Selfsame itself put into a prompt, stored again.
    Loop,
}

impl Sort {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Sort; 7] = [
        Sort::Duplicate,
        Sort::NearDuplicate,
        Sort::NeverRecalled,
        Sort::Stale,
        Sort::Unsupported,
        Sort::Secret,
        Sort::Loop,
    ];

    /// As shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Sort::Duplicate => "duplicates",
            Sort::NearDuplicate => "near_duplicates",
            Sort::NeverRecalled => "never_recalled",
            Sort::Stale => "stale",
            Sort::Unsupported => "unsupported_beliefs",
            Sort::Secret => "secrets",
            Sort::Loop => "loops",
        }
    }

    /// What it means.
    pub const fn meaning(self) -> &'static str {
        match self {
            Sort::Duplicate => "memories that say word for word what an earlier one says",
            Sort::NearDuplicate => "memories that have the words of an earlier one in another order or form",
            Sort::NeverRecalled => "memories older than 30 days that no question ever found",
            Sort::Stale => "memories that have faded or were put away",
            Sort::Unsupported => "beliefs that nothing supports any more",
            Sort::Secret => "texts that hold what looks like a key or a password",
            Sort::Loop => "memories that repeat what Selfsame itself put into a prompt",
        }
    }

    /// What to do about it.
    pub const fn advice(self) -> &'static str {
        match self {
            Sort::Duplicate | Sort::NearDuplicate | Sort::Loop => {
                "`selfsame forget <id>` takes one away for good"
            }
            Sort::NeverRecalled => "nothing, or let self-care fold them into summaries",
            Sort::Stale => "nothing: recall ranks them low; self-care folds them into summaries",
            Sort::Unsupported => {
                "`selfsame know why <id>` shows what is left of it, `selfsame know retract <id>` ends it"
            }
            Sort::Secret => "change the key or password first, then `selfsame forget <id>`",
        }
    }
}

/// A memory as it is judged.
#[derive(Clone, PartialEq, Debug)]
pub struct Looked<'t> {
    /// Its words.
    pub content: &'t str,
    /// When it was stored.
    pub created_at: Time,
    /// How often it was recalled.
    pub recalled: u64,
    /// Faded, or put away.
    pub is_stale: bool,
}

/// Judges memories one after the other, the oldest first.
#[derive(Debug, Default)]
pub struct Judge {
    exact: BTreeMap<String, ()>,
    near: BTreeMap<Vec<String>, ()>,
}

impl Judge {
    /// What there is to say of a memory.
    pub fn judge(&mut self, memory: &Looked<'_>, now: Time) -> Vec<Sort> {
        let mut sorts = Vec::new();
        let words: Vec<String> = memory.content.split_whitespace().map(str::to_lowercase).collect();
        let mut bag = terms(memory.content);
        bag.sort();
        bag.dedup();
        let enough = bag.len() >= LEAST_WORDS;
        let is_near = self.near.insert(bag, ()).is_some() && enough;
        if self.exact.insert(words.join(" "), ()).is_some() {
            sorts.push(Sort::Duplicate);
        } else if is_near {
            sorts.push(Sort::NearDuplicate);
        }
        if memory.recalled == 0 && memory.created_at.saturating_add(SETTLED) <= now && !memory.is_stale {
            sorts.push(Sort::NeverRecalled);
        }
        if memory.is_stale {
            sorts.push(Sort::Stale);
        }
        if !fence::strip(memory.content).split_whitespace().eq(memory.content.split_whitespace()) {
            sorts.push(Sort::Loop);
        }
        sorts
    }
}

/// Whether a text holds what looks like a key or a password.
pub fn holds_secret(text: &str) -> bool {
    !secrets::mask(text).kinds.is_empty()
}
