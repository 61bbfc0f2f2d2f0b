//! Questions of our own that nothing answers: a mind that knows when it does not know returns nothing for them.
//!
//! They follow from a seed. Words that are made up, and people who are asked about, are never words of the data.

use super::dice::Dice;
use super::off_topic::{GENERAL, PROGRAMMING};
use std::collections::BTreeSet;

/// How many of each sort; two hundred in all.
const EACH: usize = 40;

/// A question, and what sort of nonsense it is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Nonsense {
    pub(super) kind: &'static str,
    pub(super) text: String,
}

const SYLLABLES: [&str; 24] = [
    "bla", "dor", "fen", "gru", "hix", "jol", "kra", "lum", "mev", "nar", "ost", "plo", "qua", "rif", "sno",
    "tul", "urb", "vex", "wim", "yor", "zan", "chy", "thra", "skel",
];

const FRAMES: [&str; 5] = [
    "What is the {} of the {}?",
    "When did the {} {} happen?",
    "Why does {} like {}?",
    "Where can I find a {} with {}?",
    "How many {} does a {} have?",
];

const NAMES: [&str; 24] = [
    "Anselm",
    "Brunhilde",
    "Casimir",
    "Drusilla",
    "Eustace",
    "Fionnuala",
    "Gottlieb",
    "Hyacinth",
    "Ignatius",
    "Jocasta",
    "Kunigunde",
    "Leopoldine",
    "Mordecai",
    "Nepomuk",
    "Ottoline",
    "Philippa",
    "Quirin",
    "Roswitha",
    "Sieglinde",
    "Thaddeus",
    "Ulrika",
    "Valborg",
    "Wendelin",
    "Zenobia",
];

const ABOUT_SOMEBODY: [&str; 10] = [
    "What did {} say about the move?",
    "When is {}'s birthday?",
    "Where did {} go on holiday?",
    "What is {}'s favourite dish?",
    "Why did {} leave the old job?",
    "How many siblings does {} have?",
    "Which instrument does {} play?",
    "What kind of car does {} drive?",
    "Who taught {} to swim?",
    "What is {} afraid of?",
];

/// Two hundred different questions: the same for the same seed and data.
pub(super) fn questions(seed: u64, words_of_data: &BTreeSet<String>) -> Vec<Nonsense> {
    let mut maker = Maker { dice: Dice(seed), words_of_data };
    let mut all = Vec::new();
    maker.fill(&mut all, "keyboard mash", EACH, Maker::mash);
    maker.fill(&mut all, "made-up words", EACH, Maker::made_up);
    maker.fill(&mut all, "general knowledge", EACH, |maker| maker.dice.pick(&GENERAL).to_string());
    maker.fill(&mut all, "programming", EACH, |maker| maker.dice.pick(&PROGRAMMING).to_string());
    maker.fill(&mut all, "strangers", EACH, Maker::about_stranger);
    all
}

struct Maker<'w> {
    dice: Dice,
    words_of_data: &'w BTreeSet<String>,
}

impl Maker<'_> {
    /// Makes questions until there are so many different ones of the sort.
    fn fill(
        &mut self,
        all: &mut Vec<Nonsense>,
        kind: &'static str,
        count: usize,
        make: fn(&mut Self) -> String,
    ) {
        let wanted = all.len() + count;
        while all.len() < wanted {
            let question = Nonsense { kind, text: make(self) };
            if !all.contains(&question) {
                all.push(question);
            }
        }
    }

    /// What a cat on the keyboard would ask.
    fn mash(&mut self) -> String {
        let count = 1 + self.dice.below(4);
        let words: Vec<String> = (0..count).map(|_| self.unknown(Maker::keys)).collect();
        words.join(" ")
    }

    fn keys(&mut self) -> String {
        let length = 4 + self.dice.below(7);
        (0..length).map(|_| *self.dice.pick(b"asdfjklqwertyuiopzxcvbnm") as char).collect()
    }

    /// A question that sounds like one.
    fn made_up(&mut self) -> String {
        let frame = *self.dice.pick(&FRAMES);
        frame
            .split("{}")
            .map(str::to_owned)
            .reduce(|text, rest| text + &self.unknown(Maker::word) + &rest)
            .unwrap_or_default()
    }

    fn word(&mut self) -> String {
        let count = 2 + self.dice.below(2);
        (0..count).map(|_| *self.dice.pick(&SYLLABLES)).collect()
    }

    fn about_stranger(&mut self) -> String {
        let name = self.unknown(|maker| maker.dice.pick(&NAMES).to_string() + &maker.ending());
        self.dice.pick(&ABOUT_SOMEBODY).replace("{}", &name)
    }

    /// Half of the names are as they are; the others are nobody's at all, so that there is no end of them.
    fn ending(&mut self) -> String {
        match self.dice.below(2) {
            0 => String::new(),
            _ => self.dice.pick(&SYLLABLES).to_string(),
        }
    }

    /// A word that is nowhere in the data.
    fn unknown(&mut self, make: fn(&mut Self) -> String) -> String {
        loop {
            let word = make(self);
            if !self.words_of_data.contains(&word.to_lowercase()) {
                return word;
            }
        }
    }
}

/// The words of a text as they are compared here.
pub(super) fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hundred_and_all_different() {
        let all = questions(1, &BTreeSet::new());
        let different: BTreeSet<&str> = all.iter().map(|one| one.text.as_str()).collect();
        assert_eq!((all.len(), different.len()), (200, 200));
        let kinds: BTreeSet<&str> = all.iter().map(|one| one.kind).collect();
        assert_eq!(kinds.len(), 5);
        for kind in kinds {
            assert_eq!(all.iter().filter(|one| one.kind == kind).count(), EACH, "{kind}");
        }
        assert!(all.iter().all(|one| !one.text.contains("{}") && !one.text.trim().is_empty()));
    }

    #[test]
    fn equal_for_equal_seeds_and_other_for_others() {
        let none = BTreeSet::new();
        assert_eq!(questions(7, &none), questions(7, &none));
        assert_ne!(questions(7, &none), questions(8, &none));
    }

    #[test]
    fn the_lists_are_ours_and_without_repetition() {
        let all: BTreeSet<&str> = GENERAL.into_iter().chain(PROGRAMMING).collect();
        assert_eq!(all.len(), GENERAL.len() + PROGRAMMING.len());
        assert!(all.len() >= 100);
    }

    #[test]
    fn nobody_and_nothing_of_the_data_is_asked_about() {
        let known = |sort: fn(&Nonsense) -> bool| -> BTreeSet<String> {
            questions(3, &BTreeSet::new())
                .iter()
                .filter(|one| sort(one))
                .flat_map(|one| words(&one.text))
                .collect()
        };
        // All names but one, and every word that would have been made up.
        let mut data = known(|one| one.kind == "made-up words");
        data.extend(NAMES.iter().skip(1).map(|name| name.to_lowercase()));
        let all = questions(3, &data);
        let frame: BTreeSet<String> =
            FRAMES.iter().chain(&ABOUT_SOMEBODY).flat_map(|frame| words(frame)).collect();
        let asked = all.iter().filter(|one| one.kind == "made-up words" || one.kind == "strangers");
        for word in asked.flat_map(|one| words(&one.text)).filter(|word| !frame.contains(word)) {
            assert!(!data.contains(&word), "{word}");
        }
    }
}
