//! The first stage: what the question asks for.

use crate::text;

/// Query terms beyond these are dropped: a pasted page is no better a question than its first words.
const MAX_TERMS: usize = 64;

/// A question, read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The words looked for, each once, in order of first appearance.
    pub terms: Vec<String>,
    /// How many answers, at most.
    pub limit: usize,
}

/// Reads a question.
pub fn plan(question: &str, limit: usize) -> Plan {
    let mut terms: Vec<String> = Vec::new();
    for term in text::terms(question) {
        if terms.len() == MAX_TERMS {
            break;
        }
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
    Plan { terms, limit }
}

/// Which words to look up in full, rarest first, until `budget` postings are read; the rest only weigh what is found.
///
/// The rarest word is always taken: a question of one common word must still find something.
pub fn spend<'a>(frequencies: &[(&'a str, u64)], budget: u64) -> (Vec<&'a str>, Vec<&'a str>) {
    let mut by_rarity: Vec<_> = frequencies.iter().filter(|(_, df)| *df > 0).collect();
    by_rarity.sort_by_key(|(term, df)| (*df, *term));
    let mut left = budget;
    let (mut full, mut rest) = (Vec::new(), Vec::new());
    for (term, df) in by_rarity {
        if full.is_empty() || *df <= left {
            left = left.saturating_sub(*df);
            full.push(*term);
        } else {
            rest.push(*term);
        }
    }
    (full, rest)
}
