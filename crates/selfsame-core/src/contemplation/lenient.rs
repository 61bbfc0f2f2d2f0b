//! JSON as models write it: read whatever was meant, and say what had to be put right.
//!
//! What is correct JSON is read by the book and needs no repair. Anything else goes through a reader that expects the
//! usual slips (comments, trailing commas, other quotes, bare names, a reply that was cut off) and never fails: what it
//! cannot read is left out. It takes time in proportion to the text, and no more stack than [`MAX_DEPTH`] needs.

use serde_json::{Map, Number, Value};

/// What lies deeper is left out.
pub const MAX_DEPTH: usize = 32;

/// What had to be put right, each once, in the order in which it was met.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Repairs(Vec<String>);

impl Repairs {
    pub(crate) fn note(&mut self, what: impl Into<String>) {
        let what = what.into();
        if !self.0.contains(&what) {
            self.0.push(what);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn and(mut self, others: Repairs) -> Repairs {
        others.0.into_iter().for_each(|other| self.note(other));
        self
    }

    pub(crate) fn into_list(self) -> Vec<String> {
        self.0
    }
}

/// A value, and what had to be put right to read it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Read {
    pub(crate) value: Value,
    pub(crate) repairs: Repairs,
}

/// Reads the value that a text begins with; none if there is nothing in it.
pub(crate) fn read(text: &str) -> Option<Read> {
    let text = text.trim();
    if let Ok(value) = serde_json::from_str(text) {
        return Some(Read { value, repairs: Repairs::default() });
    }
    let mut reader = Reader { text, at: 0, repairs: Repairs::default() };
    reader.skip_blanks();
    reader.peek()?;
    let value = reader.value(0);
    reader.skip_blanks();
    if reader.peek().is_some() {
        reader.repairs.note("text after the JSON left out");
    }
    Some(Read { value, repairs: reader.repairs })
}

/// The value that a text begins with and where it ends, if it is correct JSON that far.
pub(crate) fn strict_prefix(text: &str) -> Option<(Value, usize)> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    let value = values.next()?.ok()?;
    Some((value, values.byte_offset()))
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
    repairs: Repairs,
}

impl<'t> Reader<'t> {
    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn takes(&mut self, prefix: &str) -> bool {
        let found = self.rest().starts_with(prefix);
        if found {
            self.at += prefix.len();
        }
        found
    }

    /// Passes over what `passes` says and gives it.
    fn take_while(&mut self, passes: impl Fn(char) -> bool) -> &'t str {
        let start = self.at;
        let length = self.rest().find(|c| !passes(c)).unwrap_or(self.rest().len());
        self.at += length;
        &self.text[start..self.at]
    }

    /// White space and comments.
    fn skip_blanks(&mut self) {
        loop {
            self.take_while(|c| c.is_whitespace() || c == '\u{feff}' || c == '\0');
            if self.takes("/*") {
                let end = self.rest().find("*/").map_or(self.rest().len(), |end| end + 2);
                self.at += end;
            } else if self.rest().starts_with("//") || self.rest().starts_with('#') {
                self.take_while(|c| c != '\n');
            } else {
                return;
            }
            self.repairs.note("comments left out");
        }
    }

    fn value(&mut self, depth: usize) -> Value {
        match self.peek() {
            Some('{' | '[') if depth >= MAX_DEPTH => {
                self.repairs.note("cut: nested too deep");
                self.skip_nested();
                Value::Null
            }
            Some('{') => self.object(depth),
            Some('[') => self.list(depth),
            Some(c) if closing_of(c).is_some() => Value::String(self.string()),
            Some(_) => self.bare_value(),
            None => Value::Null,
        }
    }

    fn object(&mut self, depth: usize) -> Value {
        self.next();
        let mut members = Map::new();
        let mut first = true;
        while self.has_another('}', first) {
            first = false;
            let Some(key) = self.key() else { continue };
            self.skip_blanks();
            if !self.is_at_value_of_key() {
                self.repairs.note("a name without a value left out");
                continue;
            }
            self.skip_blanks();
            let value = self.value(depth + 1);
            members.insert(key, value);
        }
        Value::Object(members)
    }

    fn list(&mut self, depth: usize) -> Value {
        self.next();
        let mut items = Vec::new();
        let mut first = true;
        while self.has_another(']', first) {
            first = false;
            items.push(self.value(depth + 1));
        }
        Value::Array(items)
    }

    /// Goes to the next member or item, past commas; at the end past what closes.
    fn has_another(&mut self, closing: char, first: bool) -> bool {
        let mut commas = 0_usize;
        loop {
            self.skip_blanks();
            match self.peek() {
                None => {
                    self.repairs.note("cut off: closed what was open");
                    return false;
                }
                Some(',' | ';') => {
                    self.next();
                    commas += 1;
                }
                Some(c) if c == closing => {
                    self.next();
                    if commas > 0 {
                        self.repairs.note("trailing commas removed");
                    }
                    return false;
                }
                // It closes something further out.
                Some('}' | ']') => {
                    self.repairs.note("brackets put right");
                    return false;
                }
                Some(_) => {
                    match commas {
                        0 if !first => self.repairs.note("missing commas added"),
                        0 | 1 => {}
                        _ => self.repairs.note("needless commas removed"),
                    }
                    return true;
                }
            }
        }
    }

    /// A name, quoted or bare; none at a sign that begins none, which is passed over.
    fn key(&mut self) -> Option<String> {
        if self.peek().is_some_and(|c| closing_of(c).is_some()) {
            return Some(self.string());
        }
        let name = self.take_while(|c| c.is_alphanumeric() || "_-$. ".contains(c)).trim().to_owned();
        if name.is_empty() {
            self.repairs.note("stray signs left out");
            self.next();
            return None;
        }
        self.repairs.note("names quoted");
        Some(name)
    }

    /// Passes the colon, or what stands for it.
    fn is_at_value_of_key(&mut self) -> bool {
        if self.takes(":") {
            return true;
        }
        let other = self.takes("=>") || self.takes("=");
        if other {
            self.repairs.note("colons put right");
        }
        other
    }

    fn string(&mut self) -> String {
        let Some(closing) = self.next().and_then(closing_of) else {
            return String::new();
        };
        if closing != "\"" {
            self.repairs.note("quotes put right");
        }
        let mut text = String::new();
        while let Some(c) = self.next() {
            match c {
                '\\' => self.escape(&mut text),
                _ if closing.contains(c) && self.closes_here() => return text,
                '"' => {
                    self.repairs.note("quotes inside a text escaped");
                    text.push('"');
                }
                '\u{0}'..='\u{1f}' => {
                    self.repairs.note("line breaks inside a text escaped");
                    text.push(c);
                }
                _ => text.push(c),
            }
        }
        self.repairs.note("cut off: closed what was open");
        text
    }

    /// Whether a quotation mark that was just passed ends its text: then what follows belongs to the structure.
    fn closes_here(&self) -> bool {
        let rest = self.rest();
        let after = rest.trim_start();
        let blanks = &rest[..rest.len() - after.len()];
        after.is_empty()
            || after.starts_with([',', '}', ']', ':', ';', '#', '='])
            || after.starts_with("//")
            || after.starts_with("/*")
            || blanks.contains('\n')
    }

    fn escape(&mut self, text: &mut String) {
        match self.next() {
            Some(c @ ('"' | '\\' | '/')) => text.push(c),
            Some('n') => text.push('\n'),
            Some('t') => text.push('\t'),
            Some('r') => text.push('\r'),
            Some('b') => text.push('\u{8}'),
            Some('f') => text.push('\u{c}'),
            Some('u') => self.unicode(text),
            Some(c) => {
                self.repairs.note("escapes put right");
                text.push(c);
            }
            None => {}
        }
    }

    /// Four hexadecimal digits, or twice four for what lies beyond them.
    fn unicode(&mut self, text: &mut String) {
        let read = self.hex().and_then(|first| match first {
            0xd800..=0xdbff if self.takes("\\u") => {
                let second = self.hex().filter(|second| (0xdc00..=0xdfff).contains(second))?;
                char::from_u32(0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00))
            }
            _ => char::from_u32(first),
        });
        if read.is_none() {
            self.repairs.note("escapes put right");
        }
        text.push(read.unwrap_or(char::REPLACEMENT_CHARACTER));
    }

    fn hex(&mut self) -> Option<u32> {
        let digits =
            self.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        let code = u32::from_str_radix(digits, 16).ok()?;
        self.at += 4;
        Some(code)
    }

    /// A number, a word, or a text without quotes, up to where the structure goes on.
    fn bare_value(&mut self) -> Value {
        let bare = self.take_while(|c| !matches!(c, ',' | '}' | ']' | '{' | '[' | '\n')).trim();
        let bare = bare.split(" //").next().unwrap_or_default().trim();
        let (value, repair) = bare_word(bare);
        if let Some(repair) = repair {
            self.repairs.note(repair);
        }
        value
    }

    /// Passes over something nested, however deep, without going down into it.
    fn skip_nested(&mut self) {
        let mut open = 0_usize;
        let mut quoted = false;
        while let Some(c) = self.next() {
            match c {
                '\\' if quoted => {
                    self.next();
                }
                '"' => quoted = !quoted,
                '{' | '[' if !quoted => open += 1,
                '}' | ']' if !quoted => open -= 1,
                _ => {}
            }
            if open == 0 {
                return;
            }
        }
    }
}

/// What may close a text that opens so; none if no text opens so.
const fn closing_of(opening: char) -> Option<&'static str> {
    match opening {
        '"' => Some("\""),
        '\'' => Some("'"),
        '`' => Some("`"),
        '“' | '”' | '„' | '«' => Some("”“\"»"),
        '‘' | '’' | '‚' => Some("’‘'"),
        _ => None,
    }
}

/// What a word without quotes says, and what was put right.
fn bare_word(bare: &str) -> (Value, Option<&'static str>) {
    match bare {
        "true" => (Value::Bool(true), None),
        "false" => (Value::Bool(false), None),
        "null" => (Value::Null, None),
        _ => match bare.to_ascii_lowercase().trim_start_matches(['-', '+']) {
            "true" | "yes" => (Value::Bool(true), Some("words put right")),
            "false" | "no" => (Value::Bool(false), Some("words put right")),
            "null" | "none" | "nil" | "undefined" | "" => (Value::Null, Some("words put right")),
            "nan" | "inf" | "infinity" => (Value::Null, Some("what is no number left out")),
            _ => number(bare).unwrap_or_else(|| (Value::from(bare), Some("texts quoted"))),
        },
    }
}

/// A number, by the book or nearly: `+1`, `.5`, `1.`, `1_000`.
fn number(bare: &str) -> Option<(Value, Option<&'static str>)> {
    if let Ok(number @ Value::Number(_)) = serde_json::from_str(bare) {
        return Some((number, None));
    }
    if !bare.bytes().all(|byte| byte.is_ascii_digit() || b"+-._eE".contains(&byte)) {
        return None;
    }
    let float: f64 = bare.replace('_', "").parse().ok()?;
    let number = Number::from_f64(float).map_or(Value::Null, Value::Number);
    Some((number, Some("numbers put right")))
}
