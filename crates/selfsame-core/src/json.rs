//! One spelling for every JSON value.
//!
//! PostgreSQL's `jsonb` reorders keys and SQLite keeps the text as it came. What is hashed, stored or compared goes
//! through here first, so that both engines hold and give back the same letters.

use serde_json::Value;

/// The canonical text: keys sorted, no spaces.
pub fn canonical(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(map) => {
            // The map may keep insertion order (a feature of serde_json that any dependency can switch on).
            let mut entries: Vec<_> = map.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            surround('{', '}', entries, text, |(key, value), text| {
                text.push_str(&Value::from(key.as_str()).to_string());
                text.push(':');
                write(value, text);
            });
        }
        Value::Array(items) => surround('[', ']', items, text, write),
        scalar => text.push_str(&scalar.to_string()),
    }
}

fn surround<T>(
    open: char,
    close: char,
    items: impl IntoIterator<Item = T>,
    text: &mut String,
    mut one: impl FnMut(T, &mut String),
) {
    text.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        one(item, text);
    }
    text.push(close);
}
