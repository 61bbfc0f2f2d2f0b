//! A row as one line of JSON, the same from either engine, and back again.
//!
//! Keys are sorted, ids and bytes are hexadecimal, moments are microseconds. The column that says whose row it is is left
//! out: whoever reads a line says whose it becomes, so that no line can speak of another agent.

use crate::error::{Result, StoreError};
use crate::schema::{Column, Type};
use crate::value::{Row, Value, floats};
use selfsame_core::id::Id;
use selfsame_core::json::{canonical, storable};
use selfsame_core::seal::hex;
use selfsame_core::time::Time;
use serde_json::{Map, Value as Json};

/// The line of a row.
pub(crate) fn line(row: Row, columns: &[Column], owner: Option<&str>) -> Result<String> {
    let mut fields = Map::new();
    for (value, column) in row.0.into_iter().zip(columns) {
        // Nothing at all, and the JSON that says nothing, are two things: of these columns the first is left out.
        let is_nothing = column.sort == Type::Json && value == Value::Null;
        if owner != Some(column.name.as_str()) && !is_nothing {
            fields.insert(column.name.clone(), json(typed(value, column)?)?);
        }
    }
    Ok(canonical(&Json::Object(fields)))
}

/// The values of a line, in the order of `columns`; neither one too many nor one too few.
pub(crate) fn values(line: &str, columns: &[&Column]) -> Result<Vec<Value>> {
    let bad = |what: String| StoreError::BadValue(format!("a line {what}"));
    let parsed: Json = serde_json::from_str(line).map_err(|_| bad("is no JSON".into()))?;
    let Json::Object(mut fields) = parsed else { return Err(bad("is no object".into())) };
    let mut values = Vec::with_capacity(columns.len());
    for column in columns {
        let taken = match fields.remove(&column.name) {
            None if column.sort == Type::Json => Value::Null,
            None => return Err(bad(format!("has no {}", column.name))),
            Some(given) => {
                value(given, column.sort).ok_or_else(|| bad(format!("has no usable {}", column.name)))?
            }
        };
        values.push(taken);
    }
    match fields.keys().next() {
        Some(name) => {
            Err(bad(format!("has a field that is not known: {}", name.chars().take(64).collect::<String>())))
        }
        None => Ok(values),
    }
}

/// A value with the type of its column: SQLite knows fewer.
pub(crate) fn typed(value: Value, column: &Column) -> Result<Value> {
    let wrong = || StoreError::Damaged(format!("{} holds what it cannot hold", column.name));
    Ok(match (value, column.sort) {
        (Value::Null, _) => Value::Null,
        (Value::Bytes(bytes), Type::Id) => Value::Id(Id::from_bytes(bytes.try_into().map_err(|_| wrong())?)),
        (Value::Int(number @ (0 | 1)), Type::Bool) => Value::Bool(number == 1),
        (Value::Int(micros), Type::Time) => Value::Time(Time::checked(micros).ok_or_else(wrong)?),
        (Value::Text(text), Type::Json) => Value::Json(text),
        (Value::Bytes(bytes), Type::Vector) if bytes.len() % 4 == 0 => Value::Vector(floats(&bytes)),
        (value, sort) if fits(&value, sort) => value,
        _ => return Err(wrong()),
    })
}

fn fits(value: &Value, sort: Type) -> bool {
    matches!(
        (value, sort),
        (Value::Id(_), Type::Id)
            | (Value::Int(_), Type::Int)
            | (Value::Real(_), Type::Real)
            | (Value::Bool(_), Type::Bool)
            | (Value::Text(_), Type::Text)
            | (Value::Bytes(_), Type::Bytes)
            | (Value::Time(_), Type::Time)
            | (Value::Json(_), Type::Json)
            | (Value::Vector(_), Type::Vector)
    )
}

fn json(value: Value) -> Result<Json> {
    Ok(match value {
        Value::Null => Json::Null,
        Value::Int(number) => number.into(),
        Value::Real(number) => (number + 0.0).into(),
        Value::Bool(yes) => yes.into(),
        Value::Text(text) => text.into(),
        Value::Bytes(bytes) => hex(&bytes).into(),
        Value::Id(id) => hex(&id.bytes()).into(),
        Value::Time(time) => time.micros().into(),
        Value::Json(text) => serde_json::from_str(&text)
            .map_err(|_| StoreError::Damaged("a column of JSON holds something else".into()))?,
        Value::Vector(numbers) => {
            hex(&numbers.iter().flat_map(|number| number.to_le_bytes()).collect::<Vec<u8>>()).into()
        }
    })
}

fn value(json: Json, sort: Type) -> Option<Value> {
    Some(match (json, sort) {
        (json, Type::Json) => Value::Json(storable(&json).ok()?),
        (Json::Null, _) => Value::Null,
        (Json::Number(number), Type::Int) => Value::Int(number.as_i64()?),
        (Json::Number(number), Type::Real) => Value::Real(number.as_f64()?),
        (Json::Number(number), Type::Time) => Value::Time(Time::checked(number.as_i64()?)?),
        (Json::Bool(yes), Type::Bool) => Value::Bool(yes),
        (Json::String(text), Type::Text) => Value::Text(text),
        (Json::String(text), Type::Bytes) => Value::Bytes(unhex(&text)?),
        (Json::String(text), Type::Id) => Value::Id(Id::from_bytes(unhex(&text)?.try_into().ok()?)),
        (Json::String(text), Type::Vector) => {
            Value::Vector(floats(&unhex(&text).filter(|bytes| bytes.len() % 4 == 0)?))
        }
        _ => return None,
    })
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: u8| char::from(byte).to_digit(16).map(|digit| digit as u8);
    let pairs = text.as_bytes().chunks_exact(2);
    if !pairs.remainder().is_empty() {
        return None;
    }
    pairs.map(|pair| Some(digit(pair[0])? << 4 | digit(pair[1])?)).collect()
}
