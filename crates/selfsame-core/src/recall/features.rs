//! What speaks for a candidate: a few numbers from 0 to 1, each with a name that people can be told.

/// Declares the features: a field, its name in explanations, what it says.
macro_rules! features {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// What speaks for a candidate, each from 0 to 1.
        #[derive(Clone, Copy, PartialEq, Debug, Default)]
        pub struct Features { $($(#[$doc])* pub $name: f64,)* }

        /// The names of the features, in order.
        pub const NAMES: [&str; COUNT] = [$(stringify!($name),)*];

        /// How many features there are.
        pub const COUNT: usize = [$(stringify!($name),)*].len();

        impl Features {
            /// As a list, in the order of [`NAMES`].
            pub fn list(&self) -> [f64; COUNT] {
                [$(self.$name,)*]
            }

            /// From a list, in the order of [`NAMES`].
            pub const fn of([$($name,)*]: [f64; COUNT]) -> Features {
                Features { $($name,)* }
            }
        }
    };
}

features! {
    /// The words of the question that are in it, by BM25.
    words,
    /// Which share of the question's weight its words cover, however often they occur.
    coverage,
    /// The words in it and in what was said just before and after, each counted where it is nearest.
    nearby,
    /// The words in the passage of five texts around it.
    passage,
    /// The words in the whole sitting.
    sitting,
    /// It follows a question that has the words.
    answers,
    /// Somebody who is named said it, or it is about them.
    person,
    /// Somebody who is named speaks in it of themselves.
    own_words,
    /// It was said on a day that is asked for, or speaks of one.
    day,
    /// It speaks of a day that is asked for.
    speaks_of_day,
    /// A time is asked for, and it speaks of one.
    moment,
    /// It says something rather than asks.
    statement,
    /// Words that follow each other in the question do so in it, or in the question that it follows: a share, by rarity.
    phrase,
    /// It has what the question has in quotation marks, word for word.
    quoted,
    /// It means what is asked, whatever its words.
    meaning,
    /// The few texts around it do.
    meaning_around,
}
