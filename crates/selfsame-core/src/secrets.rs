//! Passwords, keys and the like in what somebody says: found by their shape, and masked before anything is stored.
//!
//! A kind is known by a prefix that its issuer gives it, by a frame (a block, an address, a header), by arithmetic (card
//! numbers), or by the name that it is given to (`password=`), and then only if it looks like chance. What merely looks like
//! chance (hashes, ids, commits, images) stays. Unknown forms are not found: this is a net, not a wall.

mod assigned;
mod framed;
mod issued;

use serde_json::Value;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;

/// What stands where a secret was begins with this.
pub const MARK: &str = "[secret: ";

/// Kinds of secrets, in words of ours, each once.
pub type Kinds = BTreeSet<&'static str>;

/// A text without its secrets.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Masked<'t> {
    /// The text; as it was if there was nothing to mask.
    pub text: Cow<'t, str>,
    /// What was masked.
    pub kinds: Kinds,
}

/// A secret and where it is.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Found {
    place: Range<usize>,
    kind: &'static str,
}

/// The text with every secret replaced by what kind it was: `[secret: aws key]`. Masking twice is masking once.
pub fn mask(text: &str) -> Masked<'_> {
    let found = find(text);
    if found.is_empty() {
        return Masked { text: Cow::Borrowed(text), kinds: Kinds::new() };
    }
    let mut masked = String::with_capacity(text.len());
    let mut kinds = Kinds::new();
    let mut from = 0;
    for Found { place, kind } in found {
        masked.push_str(&text[from..place.start]);
        masked.push_str(MARK);
        masked.push_str(kind);
        masked.push(']');
        kinds.insert(kind);
        from = place.end;
    }
    masked.push_str(&text[from..]);
    Masked { text: Cow::Owned(masked), kinds }
}

/// Masks a text where it is; gives what was masked.
pub fn mask_in_place(text: &mut String) -> Kinds {
    let Masked { text: masked, kinds } = mask(text);
    if let Cow::Owned(masked) = masked {
        *text = masked;
    }
    kinds
}

/// Masks every text in a value, keys of objects too; gives what was masked.
pub fn mask_value(value: &mut Value) -> Kinds {
    match value {
        Value::String(text) => mask_in_place(text),
        Value::Array(items) => items.iter_mut().flat_map(mask_value).collect(),
        Value::Object(fields) => mask_fields(fields),
        Value::Null | Value::Bool(_) | Value::Number(_) => Kinds::new(),
    }
}

/// A field's name says what it holds, as `password=` does in a line.
fn mask_fields(fields: &mut serde_json::Map<String, Value>) -> Kinds {
    let mut kinds = Kinds::new();
    let unfit: Vec<String> = fields.keys().filter(|key| !find(key).is_empty()).cloned().collect();
    for key in unfit {
        let mut masked = key.clone();
        kinds.extend(mask_in_place(&mut masked));
        if let Some(value) = fields.remove(&key) {
            fields.insert(masked, value);
        }
    }
    for (name, value) in fields.iter_mut() {
        kinds.extend(mask_value(value));
        if let Value::String(text) = value
            && let Some(kind) = assigned::kind_of_value(name, text)
        {
            *text = format!("{MARK}{kind}]");
            kinds.insert(kind);
        }
    }
    kinds
}

/// Every secret in a text, in order, none within another.
fn find(text: &str) -> Vec<Found> {
    let mut found = Vec::new();
    framed::find(text, &mut found);
    issued::find(text, &mut found);
    assigned::find(text, &mut found);
    if found.len() < 2 {
        return found;
    }
    // What begins first wins, and of those the longer one: a block before what is inside it.
    found.sort_by_key(|one| (one.place.start, std::cmp::Reverse(one.place.end)));
    let mut apart: Vec<Found> = Vec::with_capacity(found.len());
    for one in found {
        match apart.last_mut() {
            // What reaches further is a secret to its end.
            Some(last) if one.place.start < last.place.end => {
                last.place.end = last.place.end.max(one.place.end);
            }
            _ => apart.push(one),
        }
    }
    apart
}

/// Whether a byte can stand in a token: what ends one ends a secret.
const fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// How many bytes from a place on are of a sort.
fn run(bytes: &[u8], from: usize, of: impl Fn(u8) -> bool) -> usize {
    bytes[from..].iter().take_while(|byte| of(**byte)).count()
}

/// Whether nothing before this place belongs to the same word.
fn begins_word(bytes: &[u8], at: usize) -> bool {
    at == 0 || !(is_token(bytes[at - 1]) || bytes[at - 1] >= 0x80)
}
