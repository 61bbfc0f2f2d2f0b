//! JSON that knows where it stands, so that what is wrong with it can be named.

use crate::id::Id;
use crate::time::{Time, parse_duration};
use crate::word::UnknownWord;
use serde_json::Value;
use std::time::Duration;

/// A receipt that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the receipt cannot be judged again: {path} {what}")]
pub struct BadReceipt {
    /// Where in it.
    pub path: String,
    /// What is wrong there.
    pub what: String,
}

pub(super) fn json(text: &str) -> Result<Value, BadReceipt> {
    serde_json::from_str(text)
        .map_err(|error| BadReceipt { path: "it".to_owned(), what: format!("is no JSON ({error})") })
}

pub(super) struct Node<'v> {
    value: &'v Value,
    path: String,
}

impl<'v> Node<'v> {
    pub(super) fn root(value: &'v Value) -> Node<'v> {
        Node { value, path: String::new() }
    }

    fn bad(&self, what: impl Into<String>) -> BadReceipt {
        BadReceipt { path: self.path.clone(), what: what.into() }
    }

    fn inner(&self, name: &str, value: &'v Value) -> Node<'v> {
        let dot = if self.path.is_empty() { "" } else { "." };
        Node { value, path: format!("{}{dot}{name}", self.path) }
    }

    pub(super) fn field(&self, name: &str) -> Result<Node<'v>, BadReceipt> {
        self.maybe(name).ok_or_else(|| self.inner(name, &Value::Null).bad("is missing"))
    }

    pub(super) fn maybe(&self, name: &str) -> Option<Node<'v>> {
        self.value.get(name).map(|value| self.inner(name, value))
    }

    /// A field that may be absent.
    pub(super) fn optional<T>(
        &self,
        name: &str,
        read: impl Fn(&Node<'v>) -> Result<T, BadReceipt>,
    ) -> Result<Option<T>, BadReceipt> {
        self.maybe(name).map(|node| read(&node)).transpose()
    }

    /// A field that is a list.
    pub(super) fn list<T>(
        &self,
        name: &str,
        read: impl Fn(&Node<'v>) -> Result<T, BadReceipt>,
    ) -> Result<Vec<T>, BadReceipt> {
        let node = self.field(name)?;
        let items = node.value.as_array().ok_or_else(|| node.bad("is no list"))?;
        items.iter().enumerate().map(|(place, item)| read(&node.inner(&place.to_string(), item))).collect()
    }

    /// A field whose own fields are named freely.
    pub(super) fn entries(&self, name: &str) -> Result<Vec<(&'v str, Node<'v>)>, BadReceipt> {
        let node = self.field(name)?;
        let map = node.value.as_object().ok_or_else(|| node.bad("is no object"))?;
        Ok(map.iter().map(|(key, value)| (key.as_str(), node.inner(key, value))).collect())
    }

    pub(super) fn text(&self) -> Result<&'v str, BadReceipt> {
        self.value.as_str().ok_or_else(|| self.bad("is no text"))
    }

    pub(super) fn flag(&self) -> Result<bool, BadReceipt> {
        self.value.as_bool().ok_or_else(|| self.bad("is neither true nor false"))
    }

    pub(super) fn real(&self) -> Result<f64, BadReceipt> {
        self.value.as_f64().ok_or_else(|| self.bad("is no number"))
    }

    pub(super) fn whole<N: TryFrom<u64>>(&self) -> Result<N, BadReceipt> {
        let number = self.value.as_u64().and_then(|number| N::try_from(number).ok());
        number.ok_or_else(|| self.bad("is no whole number of its size"))
    }

    pub(super) fn time(&self) -> Result<Time, BadReceipt> {
        Time::parse(self.text()?).map_err(|error| self.bad(format!("is wrong: {error}")))
    }

    pub(super) fn span(&self) -> Result<Duration, BadReceipt> {
        parse_duration(self.text()?).map_err(|error| self.bad(format!("is wrong: {error}")))
    }

    pub(super) fn word<W>(&self, parse: fn(&str) -> Result<W, UnknownWord>) -> Result<W, BadReceipt> {
        parse(self.text()?).map_err(|error| self.bad(format!("is wrong: {error}")))
    }

    pub(super) fn id(&self) -> Result<Id, BadReceipt> {
        Ok(Id::from_bytes(self.bytes_of(self.text()?)?))
    }

    pub(super) fn hash(&self) -> Result<[u8; 32], BadReceipt> {
        self.bytes_of(self.text()?)
    }

    /// Bytes that are written as hexadecimal digits.
    pub(super) fn bytes_of<const N: usize>(&self, text: &str) -> Result<[u8; N], BadReceipt> {
        let digits: Option<Vec<u8>> =
            text.chars().map(|digit| digit.to_digit(16).map(|digit| digit as u8)).collect();
        let digits = digits.filter(|digits| digits.len() == 2 * N);
        let digits = digits.ok_or_else(|| self.bad(format!("is not {} hexadecimal digits", 2 * N)))?;
        let mut bytes = [0; N];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = pair[0] << 4 | pair[1];
        }
        Ok(bytes)
    }

    pub(super) fn wrong(&self, what: &str) -> BadReceipt {
        self.bad(format!("is no {what}"))
    }
}
