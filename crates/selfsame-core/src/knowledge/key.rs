//! Canonical keys: the name of a question about a subject. Code makes them, from normalised parts.

use super::observation::ObservationKind;
use super::subject::{Subject, SubjectType, WORLD};
use crate::seal::{hex, sha256};
use unicode_normalization::UnicodeNormalization;

/// Characters in a segment, at most, before its hash.
const MAX_SEGMENT: usize = 64;

/// One part of a key: letters, digits, `_` and single hyphens. What lost more than blanks and hyphens on the way is told
/// from its like by a hash: "C++", "C#" and "C" stay three.
pub fn segment(text: &str) -> String {
    let folded: String = text.trim().nfkc().flat_map(char::to_lowercase).collect();
    let mut plain = String::with_capacity(folded.len());
    let mut lost = false;
    for c in folded.chars() {
        if c.is_alphanumeric() || c == '_' {
            plain.push(c);
            continue;
        }
        lost |= !(c.is_whitespace() || c == '-');
        if !plain.ends_with('-') {
            plain.push('-');
        }
    }
    let plain = plain.trim_matches('-');
    let short: String = plain.chars().take(MAX_SEGMENT).collect();
    match lost || plain.is_empty() || short.len() < plain.len() {
        false => short,
        true => format!("{}~{}", short.trim_end_matches('-'), &hex(&sha256(&[folded.as_bytes()]))[..8]),
    }
}

/// The key of a question. Where values coexist, each is a question of its own: is it so?
pub fn canonical(subject: &Subject, kind: ObservationKind, slot: &str, many: Option<&str>) -> String {
    let slot = segment(slot);
    let question = match subject.sort {
        SubjectType::Global => format!("global:{}:{slot}", kind.as_str()),
        sort => format!("{}:{}:{}:{slot}", sort.as_str(), subject.id, kind.as_str()),
    };
    match many {
        Some(value) => format!("{question}#{}", segment(value)),
        None => question,
    }
}

/// A key, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Question {
    /// Of whom or what.
    pub subject: Subject,
    /// What sort of belief.
    pub kind: ObservationKind,
    /// The slot.
    pub slot: String,
    /// The value whose own question it is, where values coexist.
    pub value: Option<String>,
}

impl Question {
    /// The parts of a key; nothing if it is none.
    pub fn parse(key: &str) -> Option<Question> {
        let (sort, rest) = key.split_once(':')?;
        let sort = SubjectType::parse(sort).ok()?;
        let (id, rest) = match sort {
            SubjectType::Global => (WORLD, rest),
            _ => rest.split_once(':')?,
        };
        let (kind, slot) = rest.split_once(':')?;
        let (slot, value) = match slot.split_once('#') {
            Some((slot, value)) => (slot, Some(value.to_owned())),
            None => (slot, None),
        };
        Some(Question {
            subject: Subject { sort, id: id.to_owned() },
            kind: ObservationKind::parse(kind).ok()?,
            slot: slot.to_owned(),
            value,
        })
    }
}

/// What all keys of a subject begin with.
pub fn prefix_of(subject: &Subject) -> String {
    match subject.sort {
        SubjectType::Global => "global:".to_owned(),
        sort => format!("{}:{}:", sort.as_str(), subject.id),
    }
}

/// What all keys of a subject's claims of a kind begin with.
pub fn prefix(subject: &Subject, kind: ObservationKind) -> String {
    let whole = canonical(subject, kind, "x", None);
    whole[..whole.len() - 1].to_owned()
}
