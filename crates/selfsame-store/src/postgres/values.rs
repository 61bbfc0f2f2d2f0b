//! Values in the native binary form of their columns.

use crate::value::Value;
use ::postgres::types::private::BytesMut;
use ::postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use selfsame_core::id::Id;
use selfsame_core::time::Time;
use std::error::Error;

/// Microseconds from the Unix epoch to PostgreSQL's, 2000-01-01.
const EPOCH: i64 = 946_684_800_000_000;

pub(super) fn uuid(id: Id) -> String {
    let hex = selfsame_core::seal::hex(&id.bytes());
    format!("{}-{}-{}-{}-{}", &hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..])
}

type Encoded = Result<IsNull, Box<dyn Error + Sync + Send>>;

/// A value in the native binary form of the column or parameter that it is for.
impl ToSql for Value {
    fn to_sql(&self, ty: &Type, out: &mut BytesMut) -> Encoded {
        match (self, ty) {
            (Value::Null, _) => return Ok(IsNull::Yes),
            (Value::Int(number), &Type::INT8) => number.to_sql(ty, out)?,
            (Value::Int(number), &Type::INT4) => i32::try_from(*number)?.to_sql(ty, out)?,
            (Value::Real(number), &Type::FLOAT8) => (number + 0.0).to_sql(ty, out)?,
            (Value::Bool(yes), &Type::BOOL) => yes.to_sql(ty, out)?,
            (Value::Text(text), &Type::TEXT | &Type::VARCHAR | &Type::NAME) => text.to_sql(ty, out)?,
            (Value::Bytes(bytes), &Type::BYTEA) => bytes.to_sql(ty, out)?,
            (Value::Id(id), &Type::UUID) => put(out, &id.bytes()),
            (Value::Time(time), &Type::TIMESTAMPTZ) => put(out, &(time.micros() - EPOCH).to_be_bytes()),
            (Value::Json(text), &Type::JSONB) => {
                put(out, &[1]); // jsonb's version
                put(out, text.as_bytes())
            }
            (Value::Vector(numbers), ty) if ty.name() == "vector" => {
                put(out, &u16::try_from(numbers.len())?.to_be_bytes());
                put(out, &[0, 0]);
                numbers.iter().fold(IsNull::No, |_, number| put(out, &number.to_be_bytes()))
            }
            (value, ty) => return Err(format!("a {value:?} does not fit a {ty}").into()),
        };
        Ok(IsNull::No)
    }

    fn accepts(_ty: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

fn put(out: &mut BytesMut, bytes: &[u8]) -> IsNull {
    out.extend_from_slice(bytes);
    IsNull::No
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(ty: &Type, raw: &'a [u8]) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(match *ty {
            Type::INT8 => Value::Int(i64::from_sql(ty, raw)?),
            Type::INT4 => Value::Int(i32::from_sql(ty, raw)?.into()),
            Type::FLOAT8 => Value::Real(f64::from_sql(ty, raw)?),
            Type::BOOL => Value::Bool(bool::from_sql(ty, raw)?),
            Type::TEXT | Type::VARCHAR | Type::NAME => Value::Text(String::from_sql(ty, raw)?),
            Type::BYTEA => Value::Bytes(raw.to_vec()),
            Type::UUID => Value::Id(Id::from_bytes(raw.try_into()?)),
            Type::TIMESTAMPTZ => {
                let micros = i64::from_be_bytes(raw.try_into()?);
                Value::Time(Time::from_micros(micros.checked_add(EPOCH).ok_or("a moment out of range")?))
            }
            // jsonb gives its own order of keys and spaces: back to the one spelling that everything above knows.
            Type::JSONB => {
                let value: serde_json::Value = serde_json::from_slice(raw.get(1..).unwrap_or_default())?;
                Value::Json(selfsame_core::json::canonical(&value))
            }
            _ if ty.name() == "vector" => Value::Vector(
                raw.get(4..)
                    .unwrap_or_default()
                    .chunks_exact(4)
                    .map(|four| f32::from_be_bytes([four[0], four[1], four[2], four[3]]))
                    .collect(),
            ),
            _ => return Err(format!("a column of type {ty} is not known to the waist").into()),
        })
    }

    fn from_sql_null(_ty: &Type) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(_ty: &Type) -> bool {
        true
    }
}
