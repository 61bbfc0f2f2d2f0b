//! What was found, beside what the makers of the data say.

use super::super::beam::{Label, Sort};
use super::chat::Beliefs;
use selfsame::knowledge::value_key;
use selfsame::text::terms;
use std::collections::BTreeSet;

/// What became of one label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Outcome {
    pub(super) sort: Sort,
    /// Whether two of its messages were found to be at odds.
    pub(super) is_found: bool,
    /// Whether anything that is believed rests on one of its messages.
    pub(super) is_read: bool,
    /// Whether what is believed is what is so in the end; of updates.
    pub(super) is_current: bool,
}

/// Judges one label.
pub(super) fn judge(label: &Label, found: &Beliefs) -> Outcome {
    let is_labelled = |(one, other): (usize, usize)| {
        let has = |side: &BTreeSet<usize>, place| side.contains(&place);
        has(&label.earlier, one) && has(&label.later, other)
            || has(&label.later, one) && has(&label.earlier, other)
    };
    let wanted = value_words(&label.answer);
    let mut rests_on_it = found
        .active
        .iter()
        .filter(|active| {
            active.said_in.iter().any(|place| label.earlier.union(&label.later).any(|one| one == place))
        })
        .peekable();
    Outcome {
        sort: label.sort,
        is_found: found.flagged.keys().any(|pair| is_labelled(*pair)),
        is_read: rests_on_it.peek().is_some(),
        is_current: rests_on_it.any(|active| says(&active.value, &wanted)),
    }
}

/// What of an answer is its value: its numbers, or if there is none, every word that means something.
fn value_words(answer: &str) -> BTreeSet<String> {
    let numbers: BTreeSet<String> = numbers(answer).collect();
    match numbers.is_empty() {
        true => terms(answer).into_iter().collect(),
        false => numbers,
    }
}

fn numbers(text: &str) -> impl Iterator<Item = String> {
    let words: Vec<String> = value_key(text).split(' ').map(str::to_owned).collect();
    words.into_iter().filter(|word| word.contains(|c: char| c.is_ascii_digit()))
}

/// Whether a value has all these words.
fn says(value: &str, wanted: &BTreeSet<String>) -> bool {
    let words: BTreeSet<String> = numbers(value).chain(terms(value)).collect();
    !wanted.is_empty() && wanted.is_subset(&words)
}

#[cfg(test)]
mod tests {
    use super::super::chat::{Active, Flag};
    use super::*;

    fn found(pairs: &[(usize, usize)], active: &[(&str, &[usize])]) -> Beliefs {
        let flag = Flag { about: String::new(), words: [String::new(), String::new()] };
        Beliefs {
            messages: 9,
            memories: 9,
            flagged: pairs.iter().map(|pair| (*pair, flag.clone())).collect(),
            active: active
                .iter()
                .map(|(value, places)| Active {
                    about: String::new(),
                    summary: String::new(),
                    value: (*value).into(),
                    said_in: places.iter().copied().collect(),
                })
                .collect(),
            cut: 0,
        }
    }

    fn update(answer: &str) -> Label {
        Label { sort: Sort::Update, earlier: [3].into(), later: [7, 8].into(), answer: answer.into() }
    }

    #[test]
    fn a_pair_is_found_in_either_order_and_not_on_one_side() {
        let is_found = |pair| judge(&update("5"), &found(&[pair], &[])).is_found;
        assert!(is_found((3, 7)) && is_found((3, 8)));
        assert!(!is_found((7, 8)) && !is_found((3, 9)));
        let backwards = Label { earlier: [7].into(), later: [3].into(), ..update("5") };
        assert!(judge(&backwards, &found(&[(3, 7)], &[])).is_found);
    }

    #[test]
    fn the_value_of_an_answer_is_its_numbers_or_its_words() {
        let current = |answer: &str, value: &str, places: &[usize]| {
            let outcome = judge(&update(answer), &found(&[], &[(value, places)]));
            (outcome.is_read, outcome.is_current)
        };
        assert_eq!(current("Around 250ms due to caching", "250 ms", &[8]), (true, true));
        assert_eq!(current("Around 250ms due to caching", "800 ms", &[3]), (true, false));
        assert_eq!(current("April 22 at 11 AM", "april 22", &[7]), (true, false));
        assert_eq!(current("Three days a week", "three days a week from june", &[7]), (true, true));
        assert_eq!(current("250 ms", "250 ms", &[9]), (false, false), "said elsewhere");
    }
}
