//! Which settings there are: the flattened keys of `config/default.toml`, and the names of their variables.

use std::sync::LazyLock;

use selfsame_core::nearest::nearest;

use super::error::ConfigError;
use super::spelling;
use super::text;
use super::value::{Given, Origin, Value, Values};

/// What all our environment variables begin with.
const PREFIX: &str = "SELFSAME_";

/// Our environment variables that are no settings. The command line reads them itself, because they say where to
/// look (folder, file, database) and for whom (agent, key) before there are settings.
pub const RESERVED_VARIABLES: [&str; 6] = [
    "SELFSAME_DATA",
    "SELFSAME_AGENT",
    "SELFSAME_DB",
    "SELFSAME_DB_OWNER",
    "SELFSAME_CONFIG",
    "SELFSAME_KEY",
];

/// Variables that begin so belong to the tests and are never settings.
pub const RESERVED_PREFIX: &str = "SELFSAME_TEST_";

/// One known setting.
struct Known {
    key: String,
    variable: String,
    default: Given,
}

/// In the order of `config/default.toml`, which is the order for people to read them in.
static KNOWN: LazyLock<Vec<Known>> = LazyLock::new(|| {
    let entries = text::defaults().expect("the compiled-in default.toml parses, as every test sees");
    let known = |entry: text::Entry| Known {
        variable: variable_of(&entry.key),
        key: entry.key,
        default: entry.given,
    };
    entries.into_iter().map(known).collect()
});

/// The environment variable of a setting: `server.address` is `SELFSAME_SERVER_ADDRESS`.
pub fn variable_of(key: &str) -> String {
    format!("{PREFIX}{}", key.replace('.', "_").to_ascii_uppercase())
}

/// Every environment variable of ours that may say something secret or steer another process of ours.
pub fn variables() -> impl Iterator<Item = &'static str> {
    KNOWN.iter().map(|known| known.variable.as_str()).chain(RESERVED_VARIABLES)
}

/// All keys, in the order of `config/default.toml`.
pub(super) fn keys() -> impl Iterator<Item = &'static str> + Clone {
    KNOWN.iter().map(|known| known.key.as_str())
}

/// The known key of this name.
pub(super) fn key(name: &str) -> Option<&'static str> {
    keys().find(|key| *key == name)
}

/// The first layer.
pub(super) fn defaults() -> Values {
    let value = |known: &'static Known| Value {
        given: known.default.clone(),
        origin: Origin::Default,
        written: known.key.clone(),
        rule: &known.key,
    };
    KNOWN.iter().map(|known| (known.key.clone(), value(known))).collect()
}

/// The default of a key, whose type every value of this key must have.
pub(super) fn default_of(key: &str) -> Option<&'static Given> {
    KNOWN.iter().find(|known| known.key == key).map(|known| &known.default)
}

/// The key that this variable sets.
pub(super) fn key_of_variable(name: &str) -> Option<&'static str> {
    KNOWN.iter().find(|known| known.variable == name).map(|known| known.key.as_str())
}

/// Whether a variable is ours and not one of the reserved ones.
pub(super) fn concerns_settings(name: &str) -> bool {
    name.starts_with(PREFIX) && !RESERVED_VARIABLES.contains(&name) && !name.starts_with(RESERVED_PREFIX)
}

/// A setting of this section; nothing when there is no such section.
pub(super) fn first_of_section(section: &str) -> Option<&'static str> {
    of_section(section).next()
}

/// The error for a key that does not exist.
pub(super) fn unknown_key(name: &str, origin: &Origin) -> ConfigError {
    let hint = spelling::hint(name).unwrap_or_else(|| match nearest_key(name) {
        Some(key) => format!("did you mean `{key}`?"),
        None => choices(name),
    });
    ConfigError::UnknownKey { key: name.to_owned(), origin: origin.clone(), hint }
}

/// The error for a variable with our prefix that does not exist.
pub(super) fn unknown_variable(name: &str) -> ConfigError {
    let settings = KNOWN.iter().map(|known| known.variable.as_str());
    let hint = match nearest(name, settings.chain(RESERVED_VARIABLES)) {
        _ if name.starts_with("SELFSAME_AGENTS_") || name.starts_with("SELFSAME_THINKER_MCP_") => {
            "what has a name of its own in its key comes from the settings file or by --set".to_owned()
        }
        Some(variable) => format!("did you mean {variable}?"),
        None => "settings are named SELFSAME_<SECTION>_<KEY>, such as SELFSAME_SERVER_ADDRESS".to_owned(),
    };
    ConfigError::UnknownVariable { name: name.to_owned(), hint }
}

/// A right key in the wrong section (or in none) is nearer than any likeness of letters.
fn nearest_key(name: &str) -> Option<&'static str> {
    nearest_of(name, keys())
}

/// The nearest of these keys to a name that is none of them.
pub(super) fn nearest_of<'a>(name: &str, keys: impl Iterator<Item = &'a str> + Clone) -> Option<&'a str> {
    let mut same_tail = keys.clone().filter(|key| tail(key) == tail(name));
    same_tail.next().or_else(|| nearest(name, keys))
}

/// What there is, when nothing is near: the keys of the section, or the sections.
fn choices(name: &str) -> String {
    let section = head(name);
    let of_section: Vec<&str> = of_section(section).collect();
    if !of_section.is_empty() {
        return format!("the settings of [{section}] are {}", of_section.join(", "));
    }
    let mut sections: Vec<&str> = keys().map(head).collect();
    sections.dedup();
    sections.push("agents");
    format!("the sections are {}", sections.join(", "))
}

fn of_section(section: &str) -> impl Iterator<Item = &'static str> {
    keys().filter(move |key| head(key) == section)
}

fn head(key: &str) -> &str {
    key.split_once('.').map_or(key, |(section, _)| section)
}

fn tail(key: &str) -> &str {
    key.rsplit_once('.').map_or(key, |(_, last)| last)
}
