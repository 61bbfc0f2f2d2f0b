//! One value of one layer: what was given and where. No checks here.

use std::collections::BTreeMap;
use std::fmt;

use super::mask;

/// Where a value came from. Prints as it is shown to people: `file selfsame.toml:3`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// `config/default.toml`.
    Default,
    /// A settings file.
    File {
        /// Its name as handed over.
        name: String,
        /// The line of the key, where the parser tells it. For JSON it does so in its own errors only.
        line: Option<usize>,
    },
    /// An environment variable.
    Environment {
        /// Its name.
        name: String,
    },
    /// A flag on the command line.
    Flag {
        /// The key it sets.
        key: String,
    },
}

/// What one layer says, by the key that it is kept under.
pub(super) type Values = BTreeMap<String, Value>;

/// What was given, and where.
#[derive(Clone, Debug)]
pub(super) struct Value {
    pub(super) given: Given,
    pub(super) origin: Origin,
    /// The key as it was written: some have two spellings.
    pub(super) written: String,
    /// The setting of everybody that it is one of, which says whether it is a secret.
    pub(super) rule: &'static str,
}

impl Value {
    /// As one would write it in TOML, secrets masked.
    pub(super) fn shown(&self) -> String {
        self.given.shown(self.rule)
    }
}

/// What was given, before it is known whether it fits.
#[derive(Clone, PartialEq)]
pub(super) enum Given {
    Text(String),
    Integer(i64),
    Float(f64),
    Boolean(bool),
    /// Something no setting takes, in words or as it was written: `null`, `a list`.
    Unfit(String),
}

impl Given {
    /// The value as one would write it in TOML, masked when the key holds a secret.
    pub(super) fn shown(&self, key: &str) -> String {
        match self {
            Given::Text(text) => quoted(&mask::shown(key, text).unwrap_or_else(|| text.clone())),
            Given::Integer(number) => number.to_string(),
            Given::Float(number) => format!("{number:?}"),
            Given::Boolean(truth) => truth.to_string(),
            Given::Unfit(words) => words.clone(),
        }
    }
}

/// By hand, so that a password cannot reach a log through `{:?}` of the layers.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Given::Text(_) => f.write_str("Text(..)"),
            Given::Integer(number) => write!(f, "Integer({number})"),
            Given::Float(number) => write!(f, "Float({number:?})"),
            Given::Boolean(truth) => write!(f, "Boolean({truth})"),
            Given::Unfit(_) => f.write_str("Unfit(..)"),
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::Default => f.write_str("default"),
            Origin::File { name, line: Some(line) } => write!(f, "file {name}:{line}"),
            Origin::File { name, line: None } => write!(f, "file {name}"),
            Origin::Environment { name } => write!(f, "environment {name}"),
            Origin::Flag { key } => write!(f, "flag --set {key}"),
        }
    }
}

/// JSON's quoting: it is TOML too, and always fits on one line.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
