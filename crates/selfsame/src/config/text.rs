//! A settings file as text, TOML or JSON, flattened to dotted keys. Which keys are known is not decided here, but for
//! sections: only a known one may stand empty.

use serde_json::Value as Json;
use toml::de::{DeTable, DeValue};

use super::error::ConfigError;
use super::known;
use super::spelling;
use super::value::{Given, Origin};

/// One setting of a file.
pub(super) struct Entry {
    /// The dotted key, such as `server.address`.
    pub(super) key: String,
    pub(super) given: Given,
    /// The line of the key, where the format tells.
    pub(super) line: Option<usize>,
}

/// What both formats are read into.
enum Tree {
    Table(Vec<Branch>),
    Leaf(Given),
}

/// One key of a table.
struct Branch {
    name: String,
    line: Option<usize>,
    tree: Tree,
}

/// Reads a file by the format its name tells.
pub(super) fn read(label: &str, text: &str) -> Result<Vec<Entry>, ConfigError> {
    // Some editors put a byte order mark in front, which neither format knows.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let branches = if is_json(label) { json(label, text)? } else { toml(label, text)? };
    let mut entries = Vec::new();
    for branch in branches {
        flatten(label, "", branch, &mut entries)?;
    }
    Ok(entries)
}

/// Reads the compiled-in file. It is apart from [`read`] because it says what is known and cannot be held against it.
pub(super) fn defaults() -> Result<Vec<Entry>, ConfigError> {
    let mut entries = Vec::new();
    for branch in toml("config/default.toml", super::DEFAULT_TOML)? {
        leaves("", branch, &mut entries);
    }
    Ok(entries)
}

fn is_json(label: &str) -> bool {
    label.to_ascii_lowercase().ends_with(".json")
}

/// Takes the settings out of the tree, and refuses sections and settings that stand in for each other.
fn flatten(label: &str, prefix: &str, branch: Branch, entries: &mut Vec<Entry>) -> Result<(), ConfigError> {
    let key = joined(prefix, &branch.name);
    let section = spelling::example_of(&key);
    let line = branch.line;
    match branch.tree {
        Tree::Table(_) if spelling::meant(&key).is_some() => {
            entries.push(Entry { key, given: Given::Unfit("a table".to_owned()), line });
        }
        // An empty table has no setting that could be found unknown, so its own name is looked at.
        Tree::Table(branches) if branches.is_empty() && section.is_none() => {
            return Err(known::unknown_key(&key, &place(label, line)));
        }
        Tree::Table(branches) => {
            for branch in branches {
                flatten(label, &key, branch, entries)?;
            }
        }
        Tree::Leaf(given) => match section {
            Some(example) => {
                return Err(ConfigError::Section { section: key, origin: place(label, line), example });
            }
            None => entries.push(Entry { key, given, line }),
        },
    }
    Ok(())
}

fn leaves(prefix: &str, branch: Branch, entries: &mut Vec<Entry>) {
    let key = joined(prefix, &branch.name);
    match branch.tree {
        Tree::Table(branches) => branches.into_iter().for_each(|branch| leaves(&key, branch, entries)),
        Tree::Leaf(given) => entries.push(Entry { key, given, line: branch.line }),
    }
}

fn joined(prefix: &str, name: &str) -> String {
    if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") }
}

fn place(label: &str, line: Option<usize>) -> Origin {
    Origin::File { name: label.to_owned(), line }
}

fn toml(label: &str, text: &str) -> Result<Vec<Branch>, ConfigError> {
    let table = DeTable::parse(text).map_err(|error| toml_error(label, text, &error))?;
    Ok(toml_table(text, table.get_ref()))
}

fn toml_error(label: &str, text: &str, error: &toml::de::Error) -> ConfigError {
    let origin = place(label, error.span().map(|span| line_of(text, span.start)));
    let problem = error.message();
    // The parser says no more than this; the span is the key itself.
    if problem == "duplicate key"
        && let Some(key) = error.span().and_then(|span| text.get(span))
    {
        return ConfigError::Duplicate { key: key.to_owned(), origin };
    }
    ConfigError::Syntax { origin, format: "TOML", problem: problem.to_owned() }
}

/// The table in the order of the text, so that of two mistakes the first one is reported.
fn toml_table(text: &str, table: &DeTable<'_>) -> Vec<Branch> {
    let mut branches: Vec<Branch> = table
        .iter()
        .map(|(key, value)| Branch {
            name: key.get_ref().to_string(),
            line: Some(line_of(text, key.span().start)),
            tree: toml_tree(text, value.get_ref()),
        })
        .collect();
    branches.sort_by_key(|branch| branch.line);
    branches
}

fn toml_tree(text: &str, value: &DeValue<'_>) -> Tree {
    let given = match value {
        DeValue::Table(table) => return Tree::Table(toml_table(text, table)),
        DeValue::String(string) => Given::Text(string.to_string()),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(number) => Given::Integer(number),
            Err(_) => Given::Unfit(digits.to_string()),
        },
        DeValue::Float(digits) => match digits.as_str().parse() {
            Ok(number) => Given::Float(number),
            Err(_) => Given::Unfit(digits.to_string()),
        },
        DeValue::Boolean(truth) => Given::Boolean(*truth),
        DeValue::Datetime(time) => Given::Unfit(time.to_string()),
        DeValue::Array(_) => Given::Unfit("a list".to_owned()),
    };
    Tree::Leaf(given)
}

fn line_of(text: &str, at: usize) -> usize {
    1 + text.bytes().take(at).filter(|byte| *byte == b'\n').count()
}

fn json(label: &str, text: &str) -> Result<Vec<Branch>, ConfigError> {
    let value: Json = serde_json::from_str(text).map_err(|error| json_error(label, &error))?;
    refuse_json_duplicates(label, text)?;
    match value {
        Json::Object(object) => Ok(json_object(object)),
        _ => {
            let problem = r#"expected an object of sections, such as {"server": {"workers": 8}}"#.to_owned();
            Err(ConfigError::Syntax { origin: place(label, None), format: "JSON", problem })
        }
    }
}

/// `serde_json` lets the last of two equal keys win without a word. TOML's value type reads from JSON as well and
/// refuses them, so the text is read once more into that. Its other errors (null, huge numbers) are left to the
/// checks of each value, which can name the key.
fn refuse_json_duplicates(label: &str, text: &str) -> Result<(), ConfigError> {
    let Err(error) = serde_json::from_str::<toml::Value>(text) else {
        return Ok(());
    };
    let message = error.to_string();
    let key = message.strip_prefix("duplicate key: `").and_then(|rest| rest.rsplit_once('`'));
    match key {
        Some((key, _)) => {
            Err(ConfigError::Duplicate { key: key.to_owned(), origin: place(label, Some(error.line())) })
        }
        None => Ok(()),
    }
}

fn json_error(label: &str, error: &serde_json::Error) -> ConfigError {
    let message = error.to_string();
    let problem = message.rsplit_once(" at line ").map_or(message.as_str(), |(problem, _)| problem);
    ConfigError::Syntax {
        origin: place(label, Some(error.line())),
        format: "JSON",
        problem: problem.to_owned(),
    }
}

fn json_object(object: serde_json::Map<String, Json>) -> Vec<Branch> {
    object.into_iter().map(|(name, value)| Branch { name, line: None, tree: json_tree(value) }).collect()
}

fn json_tree(value: Json) -> Tree {
    let given = match value {
        Json::Object(object) => return Tree::Table(json_object(object)),
        Json::String(string) => Given::Text(string),
        Json::Number(number) => json_number(&number),
        Json::Bool(truth) => Given::Boolean(truth),
        Json::Null => Given::Unfit("null".to_owned()),
        Json::Array(_) => Given::Unfit("a list".to_owned()),
    };
    Tree::Leaf(given)
}

fn json_number(number: &serde_json::Number) -> Given {
    match (number.as_i64(), number.as_f64()) {
        (Some(integer), _) => Given::Integer(integer),
        (None, Some(float)) if number.is_f64() => Given::Float(float),
        _ => Given::Unfit(number.to_string()),
    }
}
