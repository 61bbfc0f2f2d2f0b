//! What crosses the waist: typed values in, rows out.
//!
//! Each engine stores its native types. SQLite knows fewer of them, so a row is read by asking for the type that the
//! column has ([`Fields`]), and an integer becomes a moment only where a moment was asked for.

use crate::error::{Result, StoreError};
use selfsame_core::id::Id;
use selfsame_core::time::Time;
use std::borrow::Cow;

/// A value to bind, or one that came back.
#[derive(Clone, PartialEq, Debug)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Int(i64),
    /// A number.
    Real(f64),
    /// Yes or no.
    Bool(bool),
    /// Text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
    /// An id: `uuid` on PostgreSQL, sixteen bytes on SQLite.
    Id(Id),
    /// A moment: `timestamptz` on PostgreSQL, microseconds on SQLite.
    Time(Time),
    /// Canonical JSON text: `jsonb` on PostgreSQL, text on SQLite.
    Json(String),
    /// An embedding: `vector` on PostgreSQL, little-endian bytes on SQLite.
    Vector(Vec<f32>),
}

impl Value {
    /// Refuses what the two engines would treat differently, before either sees it.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            // PostgreSQL cannot hold it, SQLite would.
            Value::Text(text) | Value::Json(text) if text.contains('\0') => Err(StoreError::BadValue(
                "text contains a NUL character, which cannot be stored: remove it".into(),
            )),
            // SQLite would store NULL.
            Value::Real(number) if !number.is_finite() => {
                Err(StoreError::BadValue(format!("{number} is not a number that can be stored")))
            }
            Value::Vector(numbers) if numbers.iter().any(|number| !number.is_finite()) => {
                Err(StoreError::BadValue("the vector has a component that is not finite".into()))
            }
            _ => Ok(()),
        }
    }
}

/// A value of a row that is only looked at while it passes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Passing<'r> {
    Null,
    Int(i64),
    Bytes(&'r [u8]),
    /// Of a type that nobody looks at in passing.
    Other,
}

impl<'r> From<&'r Value> for Passing<'r> {
    fn from(value: &'r Value) -> Passing<'r> {
        match value {
            Value::Null => Passing::Null,
            Value::Int(number) => Passing::Int(*number),
            Value::Bytes(bytes) => Passing::Bytes(bytes),
            _ => Passing::Other,
        }
    }
}

macro_rules! from {
    ($($type:ty => $make:expr;)*) => {$(
        impl From<$type> for Value {
            fn from(value: $type) -> Value {
                let make: fn($type) -> Value = $make;
                make(value)
            }
        }
    )*};
}

from! {
    i64 => Value::Int;
    u32 => |number| Value::Int(number.into());
    // SQLite keeps no negative zero.
    f64 => |number| Value::Real(number + 0.0);
    bool => Value::Bool;
    &str => |text| Value::Text(text.to_owned());
    &String => |text| Value::Text(text.clone());
    String => Value::Text;
    Cow<'static, str> => |text| Value::Text(text.into_owned());
    &[u8] => |bytes| Value::Bytes(bytes.to_vec());
    &[u8; 32] => |bytes| Value::Bytes(bytes.to_vec());
    Id => Value::Id;
    Time => Value::Time;
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// Binds the listed values.
macro_rules! params {
    ($($value:expr),* $(,)?) => { &[$($crate::Value::from($value)),*] };
}
pub(crate) use params;

/// One row, as it came.
#[derive(Clone, PartialEq, Debug)]
pub struct Row(pub(crate) Vec<Value>);

impl Row {
    /// Its values one after the other, in the order of the query's columns.
    pub fn fields(self) -> Fields {
        Fields { values: self.0.into_iter(), place: 0 }
    }
}

/// Takes a row apart, column by column.
pub struct Fields {
    values: std::vec::IntoIter<Value>,
    place: usize,
}

macro_rules! takers {
    ($($take:ident, $take_opt:ident, $type:ty, $what:literal: $($pattern:pat => $value:expr,)*;)*) => {$(
        #[doc = concat!("The next column: ", $what, ".")]
        pub fn $take(&mut self) -> Result<$type> {
            match self.$take_opt()? {
                Some(value) => Ok(value),
                None => Err(self.wrong($what, &Value::Null)),
            }
        }

        #[doc = concat!("The next column: ", $what, ", or nothing.")]
        pub fn $take_opt(&mut self) -> Result<Option<$type>> {
            match self.next()? {
                Value::Null => Ok(None),
                $($pattern => Ok(Some($value)),)*
                other => Err(self.wrong($what, &other)),
            }
        }
    )*};
}

impl Fields {
    takers! {
        int, opt_int, i64, "a whole number": Value::Int(number) => number,;
        real, opt_real, f64, "a number": Value::Real(number) => number,;
        bool, opt_bool, bool, "yes or no":
            Value::Bool(yes) => yes,
            Value::Int(0) => false,
            Value::Int(1) => true,;
        text, opt_text, String, "text": Value::Text(text) => text,;
        bytes, opt_bytes, Vec<u8>, "bytes": Value::Bytes(bytes) => bytes,;
        json, opt_json, String, "JSON": Value::Json(text) | Value::Text(text) => text,;
    }

    /// The next column: an id.
    pub fn id(&mut self) -> Result<Id> {
        self.opt_id()?.ok_or_else(|| self.wrong("an id", &Value::Null))
    }

    /// The next column: an id, or nothing.
    pub fn opt_id(&mut self) -> Result<Option<Id>> {
        match self.next()? {
            Value::Null => Ok(None),
            Value::Id(id) => Ok(Some(id)),
            Value::Bytes(bytes) => match <[u8; 16]>::try_from(bytes) {
                Ok(bytes) => Ok(Some(Id::from_bytes(bytes))),
                Err(bytes) => Err(self.wrong("an id", &Value::Bytes(bytes))),
            },
            other => Err(self.wrong("an id", &other)),
        }
    }

    /// The next column: a moment.
    pub fn time(&mut self) -> Result<Time> {
        self.opt_time()?.ok_or_else(|| self.wrong("a moment", &Value::Null))
    }

    /// The next column: a moment, or nothing.
    pub fn opt_time(&mut self) -> Result<Option<Time>> {
        match self.next()? {
            Value::Null => Ok(None),
            Value::Time(time) => Ok(Some(time)),
            Value::Int(micros) => match Time::checked(micros) {
                Some(time) => Ok(Some(time)),
                None => Err(self.wrong("a moment", &Value::Int(micros))),
            },
            other => Err(self.wrong("a moment", &other)),
        }
    }

    /// The next column: an embedding.
    pub fn vector(&mut self) -> Result<Vec<f32>> {
        match self.next()? {
            Value::Vector(numbers) => Ok(numbers),
            Value::Bytes(bytes) if bytes.len() % 4 == 0 => Ok(floats(&bytes)),
            other => Err(self.wrong("a vector", &other)),
        }
    }

    /// A count: a whole number that is not negative.
    pub fn count(&mut self) -> Result<u64> {
        let number = self.int()?;
        u64::try_from(number).map_err(|_| self.wrong("a count", &Value::Int(number)))
    }

    fn next(&mut self) -> Result<Value> {
        self.place += 1;
        self.values.next().ok_or_else(|| StoreError::Damaged(format!("the row has no column {}", self.place)))
    }

    /// Says what kind of value was there, never the value itself: errors reach logs, content must not.
    fn wrong(&self, expected: &str, found: &Value) -> StoreError {
        let found = match found {
            Value::Null => "nothing",
            Value::Int(_) => "a whole number",
            Value::Real(_) => "a number",
            Value::Bool(_) => "yes or no",
            Value::Text(_) => "text",
            Value::Bytes(_) => "bytes",
            Value::Id(_) => "an id",
            Value::Time(_) => "a moment",
            Value::Json(_) => "JSON",
            Value::Vector(_) => "a vector",
        };
        StoreError::Damaged(format!("column {} holds {found} where {expected} should be", self.place))
    }
}

pub(crate) fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes([four[0], four[1], four[2], four[3]])).collect()
}
