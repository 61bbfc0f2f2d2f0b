//! An embedder whose meanings a test makes up: which words mean the same, what it is called, and what goes wrong with it.

use crate::seeded::Dice;
use selfsame::ports::{Embedder, PortError, Purpose};
use selfsame::recall::fillers::is_filler;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What can be wrong with an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Wrong {
    /// It does not answer, for now.
    Busy,
    /// It will not answer.
    Broken,
    /// Its vectors are shorter than they should be.
    Short,
    /// A number is none.
    NotANumber,
    /// A number is infinite.
    Infinite,
    /// The vectors point nowhere.
    Zero,
    /// One vector too few.
    TooFew,
    /// One vector too many.
    TooMany,
    /// Vectors without numbers.
    Empty,
}

impl Wrong {
    /// Each of them.
    pub const ALL: [Wrong; 9] = [
        Wrong::Busy,
        Wrong::Broken,
        Wrong::Short,
        Wrong::NotANumber,
        Wrong::Infinite,
        Wrong::Zero,
        Wrong::TooFew,
        Wrong::TooMany,
        Wrong::Empty,
    ];
}

/// An embedder that turns each word into a direction, the words of a group into the same one. Texts without a common
/// direction are about as near as chance has it.
pub struct Meanings {
    name: String,
    groups: &'static [&'static [&'static str]],
    at_hand: bool,
    /// What goes wrong, and with which word in a text; with any if it is empty.
    wrong: Mutex<Option<(&'static str, Wrong)>>,
    /// Whether it says beforehand how long its vectors are.
    says_dimensions: AtomicBool,
    asked: Mutex<Vec<(Purpose, String)>>,
    /// What happens while it is asked the next time.
    meanwhile: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Meanings {
    /// Numbers in a vector: enough that two directions have nothing to do with each other.
    pub const DIMENSIONS: usize = 256;

    /// A model of this name that answers at once, to which the words of each group mean the same.
    pub fn at_hand(name: &str, groups: &'static [&'static [&'static str]]) -> Arc<Meanings> {
        Arc::new(Meanings::new(name, groups, true))
    }

    /// The same, but asked elsewhere.
    pub fn far_away(name: &str, groups: &'static [&'static [&'static str]]) -> Arc<Meanings> {
        Arc::new(Meanings::new(name, groups, false))
    }

    fn new(name: &str, groups: &'static [&'static [&'static str]], at_hand: bool) -> Meanings {
        Meanings {
            name: name.to_owned(),
            groups,
            at_hand,
            wrong: Mutex::default(),
            says_dimensions: AtomicBool::new(true),
            asked: Mutex::default(),
            meanwhile: Mutex::default(),
        }
    }

    /// From now on this goes wrong; nothing: it works.
    pub fn goes_wrong(&self, wrong: impl Into<Option<Wrong>>) {
        *locked(&self.wrong) = wrong.into().map(|wrong| ("", wrong));
    }

    /// From now on this goes wrong with texts that have a word in them, and with all that come along.
    pub fn goes_wrong_at(&self, word: &'static str, wrong: Wrong) {
        *locked(&self.wrong) = Some((word, wrong));
    }

    /// From now on only its answers tell how long its vectors are.
    pub fn keeps_dimensions_to_itself(&self) {
        self.says_dimensions.store(false, Ordering::SeqCst);
    }

    /// This happens while it is asked the next time.
    pub fn meanwhile(&self, happens: impl FnOnce() + Send + 'static) {
        *locked(&self.meanwhile) = Some(Box::new(happens));
    }

    /// What it was asked since this was last called, in order.
    pub fn asked(&self) -> Vec<(Purpose, String)> {
        std::mem::take(&mut *locked(&self.asked))
    }

    /// The texts among them that were to be stored.
    pub fn texts(&self) -> Vec<String> {
        self.asked_for(Purpose::Text)
    }

    /// The questions among them.
    pub fn questions(&self) -> Vec<String> {
        self.asked_for(Purpose::Question)
    }

    fn asked_for(&self, wanted: Purpose) -> Vec<String> {
        self.asked().into_iter().filter(|(purpose, _)| *purpose == wanted).map(|(_, text)| text).collect()
    }

    /// The sum of the directions of its words; never zero.
    fn vector(&self, text: &str) -> Vec<f32> {
        let mut numbers = vec![0.0; Self::DIMENSIONS];
        numbers[0] = 0.001;
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words.map(str::to_lowercase).filter(|word| !is_filler(word)) {
            let group = self.groups.iter().find(|group| group.contains(&word.as_str()));
            let meaning = group.map_or(word.as_str(), |group| group[0]);
            let mut dice = Dice::new(seed(&self.name) ^ seed(meaning));
            for number in &mut numbers {
                *number += if dice.percent(50) { 1.0 } else { -1.0 };
            }
        }
        numbers
    }

    fn spoil(&self, vectors: &mut Vec<Vec<f32>>, wrong: Wrong) -> Result<(), PortError> {
        let name = &self.name;
        match wrong {
            Wrong::Busy => return Err(PortError::Passing(format!("{name} is busy"))),
            Wrong::Broken => return Err(PortError::Lasting(format!("{name} is broken"))),
            Wrong::Short => vectors.iter_mut().for_each(|vector| vector.truncate(Self::DIMENSIONS - 1)),
            Wrong::NotANumber => vectors.iter_mut().for_each(|vector| vector[7] = f32::NAN),
            Wrong::Infinite => vectors.iter_mut().for_each(|vector| vector[7] = f32::INFINITY),
            Wrong::Zero => vectors.iter_mut().for_each(|vector| vector.fill(0.0)),
            Wrong::TooFew => drop(vectors.pop()),
            Wrong::TooMany => vectors.push(vec![1.0; Self::DIMENSIONS]),
            Wrong::Empty => vectors.iter_mut().for_each(Vec::clear),
        }
        Ok(())
    }
}

impl Embedder for Meanings {
    fn model(&self) -> &str {
        &self.name
    }

    fn dimensions(&self) -> Option<usize> {
        self.says_dimensions.load(Ordering::SeqCst).then_some(Self::DIMENSIONS)
    }

    fn is_at_hand(&self) -> bool {
        self.at_hand
    }

    fn embed(&self, texts: &[&str], purpose: Purpose) -> Result<Vec<Vec<f32>>, PortError> {
        locked(&self.asked).extend(texts.iter().map(|&text| (purpose, text.to_owned())));
        let meanwhile = locked(&self.meanwhile).take();
        if let Some(happens) = meanwhile {
            happens();
        }
        let mut vectors = texts.iter().map(|text| self.vector(text)).collect();
        if let Some((word, wrong)) = *locked(&self.wrong)
            && texts.iter().any(|text| text.contains(word))
        {
            self.spoil(&mut vectors, wrong)?;
        }
        Ok(vectors)
    }
}

/// A number that a word always has.
fn seed(word: &str) -> u64 {
    word.bytes().fold(0x9e37, |sum: u64, byte| sum.wrapping_mul(0x0100_0000_01b3) ^ u64::from(byte))
}

fn locked<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(one: &[f32], other: &[f32]) -> f32 {
        let product = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
        product(one, other) / (product(one, one) * product(other, other)).sqrt()
    }

    #[test]
    fn words_of_a_group_point_the_same_way_and_others_do_not() {
        let model = Meanings::at_hand("a", &[&["car", "automobile"]]);
        let other = Meanings::at_hand("b", &[&["car", "automobile"]]);
        let of = |model: &Meanings, text| model.embed(&[text], Purpose::Text).unwrap().remove(0);
        assert!(cosine(&of(&model, "The car"), &of(&model, "an Automobile!")) > 0.999);
        assert!(cosine(&of(&model, "car"), &of(&model, "tulip")).abs() < 0.3);
        assert!(
            cosine(&of(&model, "car"), &of(&other, "car")).abs() < 0.3,
            "each model has its own directions"
        );
        assert_eq!(model.texts(), ["The car", "an Automobile!", "car", "tulip", "car"]);
        assert_eq!(model.asked(), []);
    }

    #[test]
    fn it_goes_wrong_as_it_is_told() {
        let model = Meanings::far_away("a", &[]);
        let ask = || model.embed(&["one", "two"], Purpose::Text);
        for wrong in Wrong::ALL {
            model.goes_wrong(wrong);
            let bad = ask().map(|vectors| selfsame::vector::check(&vectors, 2, Some(Meanings::DIMENSIONS)));
            assert!(!matches!(bad, Ok(Ok(_))), "{wrong:?}");
        }
        model.goes_wrong_at("three", Wrong::Broken);
        assert!(ask().is_ok());
        model.goes_wrong_at("two", Wrong::Broken);
        assert!(matches!(ask(), Err(PortError::Lasting(_))));
        model.goes_wrong(None);
        assert_eq!(ask().unwrap().len(), 2);
    }
}
