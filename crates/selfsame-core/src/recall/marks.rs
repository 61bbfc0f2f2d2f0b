//! What can be seen of a text without knowing the question: kept with the index, so that no text is read to rank it, nor
//! to know that it may be hidden from who asks.

/// A few signs of a text, as bits that are stored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Marks(u8);

impl Marks {
    const ASKS: u8 = 1;
    const ENDS_ASKING: u8 = 2;
    const FIRST_PERSON: u8 = 4;
    const SPEAKS_OF_TIME: u8 = 8;
    const PRIVATE: u8 = 16;

    /// Reads a text. Whether it names a day is known to who resolved its dates.
    pub fn of(text: &str, names_a_day: bool) -> Marks {
        let mut marks = Marks::default();
        marks.set(Marks::ASKS, text.contains(is_question_mark));
        marks.set(Marks::ENDS_ASKING, text.trim_end().ends_with(is_question_mark));
        marks.set(Marks::FIRST_PERSON, has_word(text, FIRST_PERSON));
        marks.set(Marks::SPEAKS_OF_TIME, names_a_day || has_word(text, TIME));
        marks
    }

    /// With whether it is private.
    pub fn of_private(mut self, is_private: bool) -> Marks {
        self.set(Marks::PRIVATE, is_private);
        self
    }

    /// As stored.
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// From what is stored.
    pub const fn from_bits(bits: u8) -> Marks {
        Marks(bits)
    }

    /// Something is asked in it.
    pub const fn asks(self) -> bool {
        self.0 & Marks::ASKS != 0
    }

    /// It ends with a question: more likely to be answered than to answer.
    pub const fn ends_asking(self) -> bool {
        self.0 & Marks::ENDS_ASKING != 0
    }

    /// Whoever speaks speaks of themselves.
    pub const fn is_first_person(self) -> bool {
        self.0 & Marks::FIRST_PERSON != 0
    }

    /// It says when.
    pub const fn speaks_of_time(self) -> bool {
        self.0 & Marks::SPEAKS_OF_TIME != 0
    }

    /// Not for everybody's eyes; for whose, the row says.
    pub const fn is_private(self) -> bool {
        self.0 & Marks::PRIVATE != 0
    }

    fn set(&mut self, bit: u8, on: bool) {
        if on {
            self.0 |= bit;
        }
    }
}

fn is_question_mark(c: char) -> bool {
    matches!(c, '?' | '？' | '؟' | '\u{37e}')
}

fn has_word(text: &str, words: &[&str]) -> bool {
    text.split(|c: char| !c.is_alphanumeric())
        .any(|word| words.iter().any(|known| word.eq_ignore_ascii_case(known)))
}

/// English: texts in other languages get no such marks and lose only what they add.
const FIRST_PERSON: &[&str] = &["i", "me", "my", "mine", "myself", "we", "us", "our", "ours"];

/// Words that speak of time without naming a day.
const TIME: &[&str] = &[
    "ago", "last", "next", "since", "recently", "just", "soon", "week", "weekend", "month", "year", "weeks",
    "months", "years", "days",
];
