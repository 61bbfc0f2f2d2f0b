//! The columns of every table and what they hold, read from the migrations themselves: a row that leaves one engine for a
//! file or for the other engine has to be given its types, of which SQLite keeps only a few.

use crate::migrate::{MIGRATIONS, latest};
use std::collections::BTreeMap;
use std::sync::OnceLock;

/// What a column holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[expect(missing_docs, reason = "they are the words of the migrations")]
pub enum Type {
    Id,
    Int,
    Real,
    Bool,
    Text,
    Bytes,
    Time,
    Json,
    Vector,
}

impl Type {
    const WORDS: [(&'static str, Type); 9] = [
        ("id", Type::Id),
        ("int", Type::Int),
        ("real", Type::Real),
        ("bool", Type::Bool),
        ("text", Type::Text),
        ("bytes", Type::Bytes),
        ("time", Type::Time),
        ("json", Type::Json),
        ("vector", Type::Vector),
    ];

    fn of_word(word: &str) -> Option<Type> {
        let bare = word.strip_prefix('{')?.split('}').next()?;
        Type::WORDS.iter().find(|(known, _)| *known == bare).map(|(_, sort)| *sort)
    }

    /// The word that migrations have for it.
    pub fn word(self) -> &'static str {
        Type::WORDS.iter().find(|(_, sort)| *sort == self).map_or("", |(word, _)| word)
    }
}

/// One column.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Column {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub sort: Type,
}

/// The columns of all tables, by name, in the order in which they were made.
pub type Tables = BTreeMap<String, Vec<Column>>;

/// The tables of the present version.
pub fn present() -> &'static Tables {
    static PRESENT: OnceLock<Tables> = OnceLock::new();
    PRESENT.get_or_init(|| at(latest()))
}

/// The tables as they are after the steps up to a version.
pub fn at(version: i64) -> Tables {
    let mut tables = Tables::new();
    for migration in MIGRATIONS.iter().take_while(|migration| migration.version <= version) {
        for statement in without_comments(migration.text).split(';') {
            follow(statement.trim(), &mut tables);
        }
    }
    tables
}

/// What a statement does to the tables; most do nothing to their columns.
fn follow(statement: &str, tables: &mut Tables) {
    if let Some(rest) = statement.strip_prefix("CREATE TABLE ") {
        if let Some((name, body)) = rest.split_once('(') {
            let columns = parts(body).into_iter().filter_map(column).collect();
            tables.insert(name.trim().to_owned(), columns);
        }
    } else if let Some(name) = statement.strip_prefix("DROP TABLE ") {
        tables.remove(name.trim());
    } else if let Some((name, rest)) =
        statement.strip_prefix("ALTER TABLE ").and_then(|rest| rest.split_once(' '))
        && let Some(columns) = tables.get_mut(name)
    {
        if let Some(added) = rest.trim().strip_prefix("ADD COLUMN ") {
            columns.extend(column(added));
        } else if let Some(gone) = rest.trim().strip_prefix("DROP COLUMN ") {
            columns.retain(|column| column.name != gone.trim());
        }
    }
}

/// `name {word} ...`; a constraint has no word there.
fn column(text: &str) -> Option<Column> {
    let (name, rest) = text.trim().split_once(' ')?;
    let sort = Type::of_word(rest.trim_start())?;
    Some(Column { name: name.to_owned(), sort })
}

/// What stands between the commas of a list, those in brackets aside.
fn parts(body: &str) -> Vec<&str> {
    let (mut depth, mut begin, mut parts) = (0_i32, 0, Vec::new());
    for (place, letter) in body.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&body[begin..place]);
                begin = place + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[begin..]);
    parts
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split("--").next().unwrap_or_default()).collect::<Vec<_>>().join("\n")
}
