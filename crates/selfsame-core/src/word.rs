//! Words out of a fixed list: types, states, roles. Stored, shown and read by the same spelling.

use crate::nearest::nearest;

/// A word that is none of those expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{given:?} is no {what}{}; known are {}", did_you_mean(.given, .known), .known.join(", "))]
pub struct UnknownWord {
    /// What was given.
    pub given: String,
    /// What it should have been.
    pub what: &'static str,
    /// What there is.
    pub known: Vec<&'static str>,
}

fn did_you_mean(given: &str, known: &[&'static str]) -> String {
    nearest(given, known.iter().copied()).map(|word| format!(" (did you mean {word:?}?)")).unwrap_or_default()
}

/// Declares an enum of words, with `ALL`, `as_str` and `parse`.
macro_rules! words {
    ($(#[$doc:meta])* $name:ident, $what:literal: $($(#[$vdoc:meta])* $variant:ident = $word:literal,)*) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum $name { $($(#[$vdoc])* $variant,)* }

        impl $name {
            /// All of them.
            pub const ALL: &'static [$name] = &[$($name::$variant,)*];

            /// As stored and shown.
            pub const fn as_str(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// From its word.
            pub fn parse(word: &str) -> Result<$name, $crate::word::UnknownWord> {
                Self::ALL.iter().copied().find(|one| one.as_str() == word).ok_or_else(|| $crate::word::UnknownWord {
                    given: word.chars().take(40).collect(),
                    what: $what,
                    known: Self::ALL.iter().map(|one| one.as_str()).collect(),
                })
            }
        }
    };
}
pub(crate) use words;
