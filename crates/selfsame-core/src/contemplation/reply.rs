//! A thinker's reply: where in it the blocks stand that were asked for, and what was only thought aloud.

use super::lenient::{Read, Repairs, read, strict_prefix};
use serde_json::Value;

/// So many blocks of one name are looked at, the last ones: a reply with more is no answer but an echo.
const MAX_BLOCKS: usize = 64;

/// What stands between `[NAME_JSON]` and `[/NAME_JSON]`, in order, each as the value that it begins with. `name` is the
/// first word of the tag, in capitals. Case, spaces and the sort of bracket do not matter, a block need not be closed,
/// and a fence of code may be inside.
pub(crate) fn blocks(reply: &str, name: &str) -> Vec<Read> {
    let tags = tags(reply, name);
    let openings = tags.iter().filter(|tag| !tag.closes).count();
    let mut passed_over = openings.saturating_sub(MAX_BLOCKS);
    let mut found = Vec::new();
    let mut until = 0;
    for (place, tag) in tags.iter().enumerate().filter(|(_, tag)| !tag.closes) {
        // What was read to its end may itself speak of tags.
        if passed_over > 0 {
            passed_over -= 1;
        } else if tag.start >= until {
            let (read, end) = block(reply, tag, &tags[place + 1..]);
            until = end;
            found.extend(read);
        }
    }
    found
}

/// What is said before the first tag.
pub(crate) fn before_blocks<'r>(reply: &'r str, name: &str) -> &'r str {
    let first = reply.match_indices(['[', '<']).find_map(|(start, _)| tag_at(reply, start, name));
    first.map_or(reply, |tag| &reply[..tag.start])
}

/// A tag of the name that is looked for.
struct Tag {
    start: usize,
    end: usize,
    closes: bool,
    exact: bool,
}

fn tags(reply: &str, name: &str) -> Vec<Tag> {
    reply.match_indices(['[', '<']).filter_map(|(start, _)| tag_at(reply, start, name)).collect()
}

/// The tag that begins at a bracket, if one does.
fn tag_at(reply: &str, start: usize, name: &str) -> Option<Tag> {
    let blank = |c: char| matches!(c, ' ' | '\t' | '\\' | '*' | '`');
    let rest = reply[start + 1..].trim_start_matches(blank);
    let (closes, rest) = match rest.strip_prefix('/') {
        Some(rest) => (true, rest.trim_start_matches(blank)),
        None => (false, rest),
    };
    let rest = without_word(rest, name)?;
    let rest = rest.trim_start_matches([' ', '_', '-', '\\']);
    let rest = without_word(rest, "JSON")?.trim_start_matches(blank);
    let rest = rest.strip_prefix([']', '>'])?;
    let end = reply.len() - rest.len();
    let slash = if closes { "/" } else { "" };
    let exact = reply[start..end] == format!("[{slash}{name}_JSON]");
    Some(Tag { start, end, closes, exact })
}

fn without_word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    let found = text.get(..word.len())?.eq_ignore_ascii_case(word);
    found.then(|| &text[word.len()..])
}

/// What a block says, and where it ends. `after` are the tags that follow.
fn block(reply: &str, tag: &Tag, after: &[Tag]) -> (Option<Read>, usize) {
    let mut repairs = Repairs::default();
    if !tag.exact {
        repairs.note("tags put right");
    }
    let inside = &reply[tag.end..];
    let (unfenced, fenced) = without_fence_line(inside);
    if let Some((value, length)) = strict_prefix(unfenced).filter(|(value, _)| !value.is_string()) {
        let start = reply.len() - unfenced.len();
        let end = start + length;
        let closing = after.iter().find(|tag| tag.start >= end);
        note_closing(closing, &mut repairs);
        let between = &reply[end..closing.map_or(reply.len(), |closing| closing.start)];
        if fenced {
            repairs.note("a fence of code removed");
        }
        if closing.is_some_and(|closing| closing.closes) && !is_only_fence(between) {
            repairs.note("text after the JSON left out");
        }
        return (Some(Read { value, repairs }), end);
    }
    let closing = after.first();
    note_closing(closing, &mut repairs);
    let end = closing.map_or(reply.len(), |closing| closing.start);
    (read_body(&reply[tag.end..end], repairs), end)
}

fn note_closing(closing: Option<&Tag>, repairs: &mut Repairs) {
    match closing {
        Some(closing) if closing.closes && closing.exact => {}
        Some(closing) if closing.closes => repairs.note("tags put right"),
        _ => repairs.note("a block that was not closed"),
    }
}

/// What is not correct JSON: from the first bracket on, if there is one.
fn read_body(body: &str, mut repairs: Repairs) -> Option<Read> {
    let (unfenced, fenced) = without_fence_line(body);
    if fenced {
        repairs.note("a fence of code removed");
    }
    let unfenced = without_last_fence(unfenced);
    let start = unfenced.find(['{', '[', '"']).unwrap_or(0);
    if !unfenced[..start].trim().is_empty() {
        repairs.note("text before the JSON left out");
    }
    let Read { value, repairs: more } = read(&unfenced[start..])?;
    let repairs = repairs.and(more);
    // JSON that was written into a text is read once more; one that is no JSON is no answer either.
    match &value {
        Value::String(inner) if inner.trim_start().starts_with(['{', '[']) => {
            let mut inner = read(inner)?;
            inner.repairs = repairs.and(inner.repairs);
            inner.repairs.note("JSON inside a text read");
            Some(inner)
        }
        _ => Some(Read { value, repairs }),
    }
}

/// Without a line such as "```json" that it begins with.
fn without_fence_line(text: &str) -> (&str, bool) {
    let trimmed = text.trim_start();
    let Some(rest) = trimmed.strip_prefix("```").or_else(|| trimmed.strip_prefix("~~~")) else {
        return (trimmed, false);
    };
    (rest.trim_start_matches(|c: char| c.is_alphanumeric()).trim_start(), true)
}

fn without_last_fence(text: &str) -> &str {
    let trimmed = text.trim_end();
    trimmed.strip_suffix("```").or_else(|| trimmed.strip_suffix("~~~")).unwrap_or(trimmed).trim_end()
}

fn is_only_fence(text: &str) -> bool {
    matches!(text.trim(), "" | "```" | "~~~")
}

/// So many places are tried for an object that stands in a reply without a tag.
const MAX_PLACES: usize = 64;

/// The objects that stand in a reply without any tag and that `fits` takes for what was asked for.
pub(crate) fn untagged(reply: &str, fits: impl Fn(&Value) -> bool) -> Vec<Read> {
    let mut found: Vec<Read> = Vec::new();
    let mut at = 0;
    for _ in 0..MAX_PLACES {
        let Some(start) = reply[at..].find('{').map(|offset| at + offset) else { break };
        at = match strict_prefix(&reply[start..]) {
            Some((value, length)) => {
                found.push(Read { value, repairs: Repairs::default() });
                start + length
            }
            None => start + 1,
        };
    }
    found.retain(|read| fits(&read.value));
    if found.is_empty() {
        found.extend(loose_object(reply).filter(|read| fits(&read.value)));
    }
    found.iter_mut().for_each(|read| read.repairs.note("a block without tags"));
    found
}

/// Everything from the first brace to the last, read leniently.
fn loose_object(reply: &str) -> Option<Read> {
    let start = reply.find('{')?;
    let end = reply.rfind('}').filter(|end| *end > start).map_or(reply.len(), |end| end + 1);
    read(&reply[start..end])
}

/// A reply without what a model thought aloud before it answered: `<think>...</think>`, also one whose beginning the
/// server has already taken. One that never ends is all thought.
pub(crate) fn without_thinking(reply: &str) -> String {
    let mut kept = String::new();
    let mut rest = reply;
    while let Some((at, length, closes)) = next_thought(rest) {
        match closes {
            true => kept.clear(),
            false => kept.push_str(&rest[..at]),
        }
        rest = &rest[at + length..];
        if !closes {
            let end = thoughts(rest).find(|(_, _, closes)| *closes);
            rest = end.map_or("", |(at, length, _)| &rest[at + length..]);
        }
    }
    kept.push_str(rest);
    kept
}

fn next_thought(text: &str) -> Option<(usize, usize, bool)> {
    thoughts(text).next()
}

/// Where a thought begins or ends, how long its tag is, and which of both it is.
fn thoughts(text: &str) -> impl Iterator<Item = (usize, usize, bool)> + '_ {
    const TAGS: &[(&str, bool)] =
        &[("<think>", false), ("</think>", true), ("<thinking>", false), ("</thinking>", true)];
    text.match_indices('<').filter_map(move |(at, _)| {
        let tag = TAGS.iter().find(|(tag, _)| {
            text.get(at..at + tag.len()).is_some_and(|found| found.eq_ignore_ascii_case(tag))
        });
        tag.map(|(tag, closes)| (at, tag.len(), *closes))
    })
}
