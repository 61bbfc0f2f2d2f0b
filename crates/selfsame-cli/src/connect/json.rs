//! Edits a JSON file as a person would: what is not touched keeps its order, its indentation and its comments.
//!
//! Reads what the clients read: JSON, with comments and trailing commas, and of JSON5 names without quotation marks and strings in
//! single ones. A text is taken apart into places, and an edit is an insertion or a cut at a place. Every edit is read again and
//! held against what it should have changed before anybody sees it.

use serde_json::Value;
use std::fmt::Write as _;

/// Deeper than any settings are nested; deeper ones would cost the stack.
const MAX_DEPTH: usize = 128;

/// Something to be written, with its fields in the order in which a person would.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    Text(String),
    Number(u64),
    Flag(bool),
    List(Vec<Item>),
    Fields(Vec<(&'static str, Item)>),
}

impl Item {
    pub(crate) fn text(text: impl Into<String>) -> Item {
        Item::Text(text.into())
    }

    pub(crate) fn value(&self) -> Value {
        match self {
            Item::Text(text) => text.clone().into(),
            Item::Number(number) => (*number).into(),
            Item::Flag(flag) => (*flag).into(),
            Item::List(items) => items.iter().map(Item::value).collect(),
            Item::Fields(fields) => {
                fields.iter().map(|(name, item)| ((*name).to_owned(), item.value())).collect()
            }
        }
    }

    /// On lines of their own where there are parts, further in by `unit` than `indent`.
    fn render(&self, style: &Style, indent: &str) -> String {
        let inner = format!("{indent}{}", style.unit);
        let lines = |open: char, close: char, parts: Vec<String>| match parts.is_empty() {
            true => format!("{open}{close}"),
            false if style.unit.is_empty() => format!("{open}{}{close}", parts.join(",")),
            false => {
                let newline = style.newline;
                let parts = parts.join(&format!(",{newline}{inner}"));
                format!("{open}{newline}{inner}{parts}{newline}{indent}{close}")
            }
        };
        match self {
            Item::Text(text) => Value::from(text.as_str()).to_string(),
            Item::Number(number) => number.to_string(),
            Item::Flag(flag) => flag.to_string(),
            Item::List(items) if items.iter().all(|item| matches!(item, Item::Text(_))) => {
                // A list of words, such as arguments, reads best on one line.
                let parts: Vec<String> = items.iter().map(|item| item.render(style, &inner)).collect();
                let comma = if style.unit.is_empty() { "," } else { ", " };
                format!("[{}]", parts.join(comma))
            }
            Item::List(items) => {
                lines('[', ']', items.iter().map(|item| item.render(style, &inner)).collect())
            }
            Item::Fields(fields) => {
                let space = if style.unit.is_empty() { "" } else { " " };
                let field = |(name, item): &(&'static str, Item)| {
                    format!("{}:{space}{}", Value::from(*name), item.render(style, &inner))
                };
                lines('{', '}', fields.iter().map(field).collect())
            }
        }
    }
}

/// How a file is laid out.
struct Style {
    /// One step further in; nothing in a file that is all on one line.
    unit: String,
    newline: &'static str,
}

/// Why a text cannot be edited.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Problem(String);

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// A value, and where it stands.
struct Node {
    start: usize,
    end: usize,
    kind: Kind,
}

enum Kind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar(Value),
}

struct Member {
    start: usize,
    name: String,
    value: Node,
}

impl Node {
    fn value(&self) -> Value {
        match &self.kind {
            Kind::Scalar(value) => value.clone(),
            Kind::Array(items) => items.iter().map(Node::value).collect(),
            Kind::Object(members) => {
                members.iter().map(|member| (member.name.clone(), member.value.value())).collect()
            }
        }
    }

    /// The member of that name; of several, the one that counts.
    fn member(&self, name: &str) -> Option<&Member> {
        match &self.kind {
            Kind::Object(members) => members.iter().rev().find(|member| member.name == name),
            _ => None,
        }
    }

    fn at(&self, path: &[&str]) -> Option<&Node> {
        path.iter().try_fold(self, |node, name| Some(&node.member(name)?.value))
    }

    /// The places of its parts, if it has parts.
    fn spans(&self) -> Vec<(usize, usize)> {
        match &self.kind {
            Kind::Object(members) => members.iter().map(|member| (member.start, member.value.end)).collect(),
            Kind::Array(items) => items.iter().map(|item| (item.start, item.end)).collect(),
            Kind::Scalar(_) => Vec::new(),
        }
    }
}

/// What stands at a path.
pub(crate) fn get(text: &str, path: &[&str]) -> Result<Option<Value>, Problem> {
    Ok(parse(text)?.at(path).map(Node::value))
}

/// The same; in an empty file there is nothing.
pub(crate) fn get_or_none(text: &str, path: &[&str]) -> Result<Option<Value>, Problem> {
    get(&begun(text), path)
}

/// The text with this at the path; objects on the way are made.
pub(crate) fn set(text: &str, path: &[&str], item: &Item) -> Result<String, Problem> {
    let text = begun(text);
    let root = parse(&text)?;
    if root.at(path).is_some_and(|node| node.value() == item.value()) {
        return Ok(text);
    }
    let style = style(&text, &root);
    let mut expected = root.value();
    put(&mut expected, path, item.value())?;
    let edited = match root.at(path) {
        Some(node) => {
            let rendered = item.render(&style, &indent_of(&text, node.start));
            format!("{}{rendered}{}", &text[..node.start], &text[node.end..])
        }
        None => insert(&text, &root, path, item, &style)?,
    };
    checked(edited, &expected)
}

/// The text with this at the end of the list at the path.
pub(crate) fn push(text: &str, path: &[&str], item: &Item) -> Result<String, Problem> {
    let text = begun(text);
    let root = parse(&text)?;
    let Some(node) = root.at(path) else {
        return set(&text, path, &Item::List(vec![item.clone()]));
    };
    let Kind::Array(items) = &node.kind else {
        return Err(not_a("list", path));
    };
    let mut expected = root.value();
    let mut longer: Vec<Value> = items.iter().map(Node::value).collect();
    longer.push(item.value());
    put(&mut expected, path, longer.into())?;
    let style = style(&text, &root);
    let edited = append(&text, node, &style, |style, indent| item.render(style, indent));
    checked(edited, &expected)
}

/// The text without what is at the path. Objects on the way that are left empty go too.
pub(crate) fn remove(text: &str, path: &[&str]) -> Result<String, Problem> {
    let root = parse(text)?;
    let Some((name, above)) = path.split_last() else { return Ok(text.to_owned()) };
    let Some(Node { kind: Kind::Object(members), .. }) = root.at(above) else { return Ok(text.to_owned()) };
    let Some(at) = members.iter().rposition(|member| member.name == *name) else {
        return Ok(text.to_owned());
    };
    if members.len() == 1 && !above.is_empty() {
        return remove(text, above);
    }
    let parent = root.at(above).ok_or_else(|| not_a("object", above))?;
    Ok(cut(text, &parent.spans(), at))
}

/// The text without the elements of the list at the path that are `unwanted`. A list that is left empty goes.
pub(crate) fn prune(text: &str, path: &[&str], unwanted: impl Fn(&Value) -> bool) -> Result<String, Problem> {
    let root = parse(text)?;
    let Some(node) = root.at(path) else { return Ok(text.to_owned()) };
    let Kind::Array(items) = &node.kind else { return Ok(text.to_owned()) };
    match items.iter().rposition(|item| unwanted(&item.value())) {
        None => Ok(text.to_owned()),
        Some(_) if items.len() == 1 => remove(text, path),
        Some(at) => prune(&cut(text, &node.spans(), at), path, unwanted),
    }
}

/// An empty file is an empty object.
fn begun(text: &str) -> String {
    match text.trim_start_matches('\u{feff}').trim().is_empty() {
        true => "{}\n".to_owned(),
        false => text.to_owned(),
    }
}

fn put(root: &mut Value, path: &[&str], value: Value) -> Result<(), Problem> {
    let mut place = root;
    for (depth, name) in path.iter().enumerate() {
        let object = place.as_object_mut().ok_or_else(|| not_a("object", &path[..depth]))?;
        place = object.entry(*name).or_insert_with(|| Value::Object(serde_json::Map::new()));
    }
    *place = value;
    Ok(())
}

fn not_a(what: &str, path: &[&str]) -> Problem {
    Problem(format!("what stands at `{}` is no {what}", path.join(".")))
}

/// The edit, if it says what it should.
fn checked(edited: String, expected: &Value) -> Result<String, Problem> {
    match parse(&edited)?.value() == *expected {
        true => Ok(edited),
        false => Err(Problem("it is laid out in a way that cannot be edited safely".into())),
    }
}

fn insert(text: &str, root: &Node, path: &[&str], item: &Item, style: &Style) -> Result<String, Problem> {
    let (mut node, mut depth) = (root, 0);
    while let Some(member) = path.get(depth).and_then(|name| node.member(name)) {
        node = &member.value;
        depth += 1;
    }
    if !matches!(node.kind, Kind::Object(_)) {
        return Err(not_a("object", &path[..depth]));
    }
    Ok(append(text, node, style, |style, indent| {
        let space = if style.unit.is_empty() { "" } else { " " };
        let mut text = String::new();
        let mut inner = indent.to_owned();
        let names = &path[depth..];
        for (number, name) in names.iter().enumerate() {
            write!(text, "{}:{space}", Value::from(*name)).unwrap_or_default();
            if number + 1 < names.len() {
                inner += &style.unit;
                let newline = if style.unit.is_empty() { "" } else { style.newline };
                write!(text, "{{{newline}{inner}").unwrap_or_default();
            }
        }
        text += &item.render(style, &inner);
        for _ in 1..names.len() {
            inner.truncate(inner.len() - style.unit.len());
            let newline = if style.unit.is_empty() { "" } else { style.newline };
            write!(text, "{newline}{inner}}}").unwrap_or_default();
        }
        text
    }))
}

/// Adds a part behind the last one, on a line of its own unless all is on one line.
fn append(text: &str, node: &Node, style: &Style, part: impl Fn(&Style, &str) -> String) -> String {
    let spans = node.spans();
    let outer = indent_of(text, node.start);
    let close = node.end - 1;
    let kept = node.start + 1 + text[node.start + 1..close].trim_end().len();
    let is_flat = style.unit.is_empty() || (!spans.is_empty() && !text[node.start..node.end].contains('\n'));
    let indent = match spans.first() {
        _ if is_flat => String::new(),
        Some((start, _)) => indent_of(text, *start),
        None => format!("{outer}{}", style.unit),
    };
    let newline = if is_flat { "" } else { style.newline };
    let flat = Style { unit: String::new(), newline };
    let part = part(if is_flat { &flat } else { style }, &indent);
    let Some((_, last)) = spans.last().copied() else {
        let end = if is_flat { "" } else { outer.as_str() };
        return format!("{}{newline}{indent}{part}{newline}{end}{}", &text[..kept], &text[close..]);
    };
    // Behind a comma that is there already, and behind what is noted about the last part.
    let has_comma = comma_after(text, last, close).is_some();
    let (comma, end) = if has_comma { ("", ",") } else { (",", "") };
    let end = if is_flat { "" } else { end };
    let between = &text[last..kept];
    let space = if is_flat && !style.unit.is_empty() { " " } else { "" };
    format!("{}{comma}{between}{newline}{space}{indent}{part}{end}{}", &text[..last], &text[kept..])
}

/// Takes a part out, with its comma and, if it had one to itself, its line.
fn cut(text: &str, spans: &[(usize, usize)], at: usize) -> String {
    let (start, end) = spans[at];
    let behind = comma_after(text, end, text.len());
    let mut edited = text.to_owned();
    let end = behind.map_or(end, |comma| comma + 1);
    let line = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let is_alone = text[line..start].trim().is_empty() && line > 0;
    let rest = text[end..].find('\n').map_or("", |newline| &text[end..end + newline]);
    let from = if is_alone && rest.trim().is_empty() { line - 1 } else { start };
    let from = if from > 0 && from < start && text.as_bytes()[from - 1] == b'\r' { from - 1 } else { from };
    edited.replace_range(from..end, "");
    if behind.is_none() && at > 0 {
        // The last one: the comma before it has nothing left to divide.
        if let Some(comma) = comma_after(text, spans[at - 1].1, start) {
            edited.remove(comma);
        }
    }
    edited
}

/// The comma behind a place, if nothing but notes and blanks stands between.
fn comma_after(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut reader = Reader { text: &text[..to], at: from };
    reader.skip().ok()?;
    text[reader.at..to].starts_with(',').then_some(reader.at)
}

/// The blanks with which the line of a place begins.
fn indent_of(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line..at].chars().take_while(|c| *c == ' ' || *c == '\t').collect()
}

fn style(text: &str, root: &Node) -> Style {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let spans = root.spans();
    let inside = &text[root.start..root.end];
    let unit = match spans.first() {
        Some(_) if !inside.contains('\n') => String::new(),
        Some((start, _)) => {
            let indent = indent_of(text, *start);
            if indent.is_empty() { "  ".to_owned() } else { indent }
        }
        None => "  ".to_owned(),
    };
    Style { unit, newline }
}

fn parse(text: &str) -> Result<Node, Problem> {
    let mut reader = Reader { text, at: 0 };
    if text.starts_with('\u{feff}') {
        reader.at = '\u{feff}'.len_utf8();
    }
    let node = reader.value(0)?;
    reader.skip()?;
    match reader.at == text.len() && matches!(node.kind, Kind::Object(_)) {
        true => Ok(node),
        false if reader.at < text.len() => Err(reader.problem("there is more behind the end")),
        false => Err(Problem("it is no object: settings begin with {".into())),
    }
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn problem(&self, what: &str) -> Problem {
        let before = &self.text[..self.at];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        Problem(format!("line {line}, column {column}: {what}"))
    }

    /// Passes blanks and notes.
    fn skip(&mut self) -> Result<(), Problem> {
        loop {
            let rest = self.rest();
            let blank = rest.len() - rest.trim_start().len();
            if blank > 0 {
                self.at += blank;
            } else if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                let end = rest.find("*/").ok_or_else(|| self.problem("a comment that does not end"))?;
                self.at += end + 2;
            } else {
                return Ok(());
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        if depth > MAX_DEPTH {
            return Err(self.problem("it is nested too deeply"));
        }
        self.skip()?;
        let start = self.at;
        let kind = match self.peek() {
            Some('{') => self.object(depth)?,
            Some('[') => self.array(depth)?,
            Some('"' | '\'') => Kind::Scalar(self.string()?.into()),
            Some(_) => Kind::Scalar(self.bare()?),
            None => return Err(self.problem("it ends too early")),
        };
        Ok(Node { start, end: self.at, kind })
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Problem> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some('}') {
                self.at += 1;
                return Ok(Kind::Object(members));
            }
            let start = self.at;
            let name = match self.peek() {
                Some('"' | '\'') => self.string()?,
                _ => self.word("a name or } is expected")?,
            };
            self.skip()?;
            if self.peek() != Some(':') {
                return Err(self.problem("a colon is expected"));
            }
            self.at += 1;
            let value = self.value(depth + 1)?;
            members.push(Member { start, name, value });
            self.comma_or('}')?;
        }
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Problem> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip()?;
            if self.peek() == Some(']') {
                self.at += 1;
                return Ok(Kind::Array(items));
            }
            items.push(self.value(depth + 1)?);
            self.comma_or(']')?;
        }
    }

    fn comma_or(&mut self, close: char) -> Result<(), Problem> {
        self.skip()?;
        match self.peek() {
            Some(',') => self.at += 1,
            Some(other) if other == close => {}
            _ => return Err(self.problem(&format!("a comma or {close} is expected"))),
        }
        Ok(())
    }

    fn string(&mut self) -> Result<String, Problem> {
        let quote = self.peek().unwrap_or('"');
        let inside = &self.rest()[1..];
        let mut escaped = false;
        let mut length = None;
        for (at, c) in inside.char_indices() {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '\n' => break,
                c if c == quote => {
                    length = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let length = length.ok_or_else(|| self.problem("a text that does not end"))?;
        let inside = &inside[..length];
        let text = match quote {
            '"' => serde_json::from_str(&format!("\"{inside}\"")).ok(),
            _ => {
                let double = inside.replace("\\'", "'").replace('"', "\\\"");
                serde_json::from_str(&format!("\"{double}\"")).ok()
            }
        };
        let text = text.ok_or_else(|| self.problem("a text that cannot be read"))?;
        self.at += length + 2;
        Ok(text)
    }

    /// A number, true, false, null, or what else JSON5 knows.
    fn bare(&mut self) -> Result<Value, Problem> {
        let word = self.word("a value is expected")?;
        Ok(serde_json::from_str(&word).unwrap_or_else(|_| Value::String(format!("\u{0}{word}"))))
    }

    fn word(&mut self, what: &str) -> Result<String, Problem> {
        let is_part = |c: char| c.is_alphanumeric() || "_$+-.".contains(c);
        let rest = self.rest();
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        if length == 0 {
            return Err(self.problem(what));
        }
        let word = rest[..length].to_owned();
        self.at += length;
        Ok(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry() -> Item {
        Item::Fields(vec![("command", Item::text("selfsame")), ("args", Item::List(vec![Item::text("mcp")]))])
    }

    const PATH: [&str; 2] = ["mcpServers", "selfsame"];

    #[track_caller]
    fn becomes(before: &str, after: &str) {
        let edited = set(before, &PATH, &entry()).unwrap();
        assert_eq!(edited, after);
        assert_eq!(set(&edited, &PATH, &entry()).unwrap(), edited, "twice is as once");
        let removed = remove(&edited, &PATH).unwrap();
        assert_eq!(get(&removed, &PATH).unwrap(), None);
        let mut rest = parse(&begun(before)).unwrap().value();
        if let Some(servers) = rest.get_mut("mcpServers").and_then(Value::as_object_mut) {
            servers.remove("selfsame");
        }
        if rest.get("mcpServers").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
            rest.as_object_mut().unwrap().remove("mcpServers");
        }
        assert_eq!(parse(&removed).unwrap().value(), rest, "{removed}");
    }

    #[test]
    fn what_is_there_keeps_its_looks() {
        let all = "{\n  \"mcpServers\": {\n    \"selfsame\": {\n      \"command\": \"selfsame\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n";
        becomes("", all);
        becomes("{}\n", all);
        becomes("  \n", all);
        becomes(
            "{\n\t\"a\": 1, // one\n\t\"b\": [1,\n2] // two\n\t// the end\n}",
            "{\n\t\"a\": 1, // one\n\t\"b\": [1,\n2], // two\n\t// the end\n\t\"mcpServers\": {\n\t\t\"selfsame\": {\n\t\t\t\"command\": \"selfsame\",\n\t\t\t\"args\": [\"mcp\"]\n\t\t}\n\t}\n}",
        );
        becomes(
            "{\"a\":1}",
            "{\"a\":1,\"mcpServers\":{\"selfsame\":{\"command\":\"selfsame\",\"args\":[\"mcp\"]}}}",
        );
        becomes(
            "{\r\n    \"mcpServers\": {\r\n        \"other\": {},\r\n    },\r\n}\r\n",
            "{\r\n    \"mcpServers\": {\r\n        \"other\": {},\r\n        \"selfsame\": {\r\n            \"command\": \"selfsame\",\r\n            \"args\": [\"mcp\"]\r\n        },\r\n    },\r\n}\r\n",
        );
        becomes(
            "\u{feff}// mine\n{\n  mcpServers: { 'other': { command: 'x' } }, /* all */\n}\n",
            "\u{feff}// mine\n{\n  mcpServers: { 'other': { command: 'x' }, \"selfsame\":{\"command\":\"selfsame\",\"args\":[\"mcp\"]} }, /* all */\n}\n",
        );
        becomes(
            "{\n  \"mcpServers\": {\n    // none yet\n  }\n}\n",
            "{\n  \"mcpServers\": {\n    // none yet\n    \"selfsame\": {\n      \"command\": \"selfsame\",\n      \"args\": [\"mcp\"]\n    }\n  }\n}\n",
        );
        becomes(
            "{\"mcpServers\": {\"selfsame\": {\"command\": \"old\"}, \"z\": 1}}",
            "{\"mcpServers\": {\"selfsame\": {\"command\":\"selfsame\",\"args\":[\"mcp\"]}, \"z\": 1}}",
        );
    }

    #[test]
    fn lists_grow_and_shrink() {
        let path = ["hooks", "Stop"];
        let ours = |value: &Value| value["command"] == "selfsame";
        let item = Item::Fields(vec![("command", Item::text("selfsame"))]);
        for before in [
            "{}",
            "{\"hooks\": {}}",
            "{\n  \"hooks\": {\n    \"Stop\": [\n      {\"command\": \"x\"} // theirs\n    ]\n  }\n}\n",
            "{\"hooks\": {\"Stop\": [{\"command\": \"x\"}]}}",
            "{\n  \"hooks\": {\n    \"Stop\": [],\n    \"End\": []\n  }\n}\n",
        ] {
            let edited = push(before, &path, &item).unwrap();
            let found = get(&edited, &path).unwrap().unwrap();
            assert!(found.as_array().unwrap().iter().any(ours), "{edited}");
            assert_eq!(edited.contains("// theirs"), before.contains("// theirs"));
            let pruned = prune(&edited, &path, ours).unwrap();
            let left = get(&pruned, &path).unwrap().unwrap_or_else(|| Value::Array(Vec::new()));
            let was = get(before, &path).unwrap().unwrap_or_else(|| Value::Array(Vec::new()));
            assert_eq!(left, was, "{pruned}");
        }
        let two = "{\"hooks\": {\"Stop\": [{\"command\": \"selfsame\"}, {\"command\": \"x\"}, {\"command\": \"selfsame\"}]}}";
        assert_eq!(prune(two, &path, ours).unwrap(), "{\"hooks\": {\"Stop\": [ {\"command\": \"x\"} ]}}");
    }

    #[test]
    fn what_is_broken_is_told_where() {
        for (text, said) in [
            ("[]", "it is no object: settings begin with {"),
            ("{", "line 1, column 2: a name or } is expected"),
            ("{\n  \"a\" 1}", "line 2, column 7: a colon is expected"),
            ("{\"a\": 1 \"b\": 2}", "line 1, column 9: a comma or } is expected"),
            ("{\"a\": \"x\n\"}", "line 1, column 7: a text that does not end"),
            ("{} x", "line 1, column 4: there is more behind the end"),
            ("{} /* ", "line 1, column 4: a comment that does not end"),
            ("{\"mcpServers\": []}", "what stands at `mcpServers` is no object"),
            ("{\"mcpServers\": 1}", "what stands at `mcpServers` is no object"),
        ] {
            assert_eq!(set(text, &PATH, &entry()).unwrap_err().to_string(), said, "{text}");
        }
        assert!(set(&"{\"a\":[".repeat(100), &PATH, &entry()).is_err());
        assert!(set(&"[".repeat(100_000), &PATH, &entry()).is_err());
    }
}
