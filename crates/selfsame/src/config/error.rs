//! What can be wrong with a configuration. Each message names the key, the place and the way out.

use super::value::Origin;

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The file is not what its name says.
    #[error("{origin} is not valid {format}: {problem}")]
    Syntax {
        /// The file and the line.
        origin: Origin,
        /// `TOML` or `JSON`.
        format: &'static str,
        /// What the parser says, without an excerpt: the line could hold a password.
        problem: String,
    },
    /// One layer gives the same key twice.
    #[error("`{key}` is given twice ({origin}): keep one of them")]
    Duplicate {
        /// The key, as far as the parser tells.
        key: String,
        /// Where it stands the second time.
        origin: Origin,
    },
    /// One layer gives the same setting by both of its names.
    #[error("`{key}` ({origin}) and {other} are the same setting: keep one of them")]
    Both {
        /// The one that came second.
        key: String,
        /// Where it stands.
        origin: Origin,
        /// The one that came first, and where it stands, in words.
        other: String,
    },
    /// There is no such setting.
    #[error("unknown setting `{key}` ({origin}): {hint}")]
    UnknownKey {
        /// The key as given.
        key: String,
        /// Where it stands.
        origin: Origin,
        /// The nearest key, or which ones there are.
        hint: String,
    },
    /// A variable with our prefix that is no setting.
    #[error("unknown environment variable {name}: {hint}")]
    UnknownVariable {
        /// The variable.
        name: String,
        /// The nearest variable, or how they are named.
        hint: String,
    },
    /// A section was given a value of its own.
    #[error("`{section}` is a section, not a setting ({origin}): give its settings, such as `{example}`")]
    Section {
        /// The section.
        section: String,
        /// Where it stands.
        origin: Origin,
        /// A setting of this section.
        example: String,
    },
    /// The value has the wrong type or is out of its range.
    #[error("`{key}` cannot be {given} ({origin}): expected {expected}")]
    BadValue {
        /// The key.
        key: String,
        /// The value as given, secrets masked.
        given: String,
        /// Where it stands.
        origin: Origin,
        /// What is taken, with an example.
        expected: String,
    },
}
