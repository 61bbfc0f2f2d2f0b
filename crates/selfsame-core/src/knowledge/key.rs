//! Canonical keys: the name of a question about a subject. Code makes them, from normalised parts.

use super::observation::ObservationKind;
use super::subject::{Subject, SubjectType};
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
