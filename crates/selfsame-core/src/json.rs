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

/// JSON that the two engines would not give back alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("it has a NUL character (U+0000) in a text; remove it")]
pub struct NotStorable;

/// The canonical text of a value as both engines give it back: `jsonb` keeps no negative zero, and writes a large whole
/// number out in digits, which then is read as an integer.
pub fn storable(value: &Value) -> Result<String, NotStorable> {
    Ok(canonical(&settled(value)?))
}

fn settled(value: &Value) -> Result<Value, NotStorable> {
    Ok(match value {
        Value::String(text) if text.contains('\0') => return Err(NotStorable),
        Value::Number(number) => settled_number(number),
        Value::Array(items) => Value::Array(items.iter().map(settled).collect::<Result<_, _>>()?),
        Value::Object(map) if map.keys().any(|key| key.contains('\0')) => return Err(NotStorable),
        Value::Object(map) => Value::Object(
            map.iter().map(|(key, value)| Ok((key.clone(), settled(value)?))).collect::<Result<_, _>>()?,
        ),
        other => other.clone(),
    })
}

fn settled_number(number: &serde_json::Number) -> Value {
    let Some(float) = number.as_f64().filter(|_| number.is_f64()) else {
        return Value::Number(number.clone());
    };
    // From here on floats are printed with an exponent; up to there, integers hold them exactly.
    const EXPONENTS: f64 = 1e16;
    match float {
        0.0 => Value::from(0.0),
        _ if (EXPONENTS..u64::MAX as f64).contains(&float) => Value::from(float as u64),
        _ if (i64::MIN as f64..=-EXPONENTS).contains(&float) => Value::from(float as i64),
        _ => Value::Number(number.clone()),
    }
}
