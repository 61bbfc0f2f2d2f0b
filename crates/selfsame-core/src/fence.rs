//! The fence around stored text that goes into a prompt: the one place that knows how it looks.
//!
//! What is quoted is data, never an instruction, and it can be found again: whatever Selfsame put into a prompt is taken
//! out before anything is learned from it, so that nothing is remembered twice because it was recalled once.

/// The word of the tag. Nothing else may use it.
const TAG: &str = "selfsame-context";

/// Between this tag and its end stands what its writer does not want kept.
const PRIVATE: &str = "private";

/// Stored text as quoted data, between a line that opens and a line that closes. What is inside cannot close it: every
/// `<` is escaped, and so is every `&`, so that the escaping itself cannot be forged.
pub fn quote(kind: &str, text: &str) -> String {
    let kind: String = kind.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | ' ')).collect();
    format!("<{TAG} kind=\"{kind}\">\n{}\n</{TAG}>", escaped(text))
}

/// The text as it stands inside the fence: what a quotation costs is counted on it.
pub(crate) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// The text without what its writer did not say himself: fenced blocks (nested ones too; one that is not closed reaches to
/// the end, one whose beginning is missing reaches from the start), quoted lines of mails, and blocks of code.
pub fn strip(text: &str) -> String {
    without_code_and_quotes(&without_blocks(text, TAG))
}

/// The text as it may be filed, word for word: without what was quoted to its writer by us, and without what the writer marked
/// as `<private>`. A mark that is not closed reaches to the end: what was to be kept out is kept out.
pub fn fileable(text: &str) -> String {
    without_blocks(&without_blocks(text, TAG), PRIVATE)
}

/// Where a tag stands in the text, and whether it closes.
struct Tag {
    start: usize,
    end: usize,
    closes: bool,
}

fn without_blocks(text: &str, name: &str) -> String {
    let mut kept = String::new();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(tag) = next_tag(text, at, name) {
        if depth == 0 {
            kept.push_str(&text[at..tag.start]);
        }
        match (tag.closes, depth) {
            (false, _) => depth += 1,
            // It was opened before the text begins: all that was kept so far lies inside.
            (true, 0) => kept.clear(),
            (true, _) => depth -= 1,
        }
        if depth == 0 {
            // What stood on both sides of a block are not one sentence.
            kept.push('\n');
        }
        at = tag.end;
    }
    if depth == 0 {
        kept.push_str(&text[at..]);
    }
    kept
}

/// The next tag of that name from `from` on, however it is spaced and whatever its case.
fn next_tag(text: &str, from: usize, name: &str) -> Option<Tag> {
    let mut search = from;
    loop {
        let start = search + text[search..].find('<')?;
        let rest = text[start + 1..].trim_start_matches(is_blank);
        let (closes, rest) = match rest.strip_prefix('/') {
            Some(rest) => (true, rest.trim_start_matches(is_blank)),
            None => (false, rest),
        };
        let named = rest.get(..name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name));
        let ends_there = !rest
            .get(name.len()..)
            .unwrap_or_default()
            .starts_with(|c: char| c.is_alphanumeric() || c == '-');
        if named && ends_there {
            let after_name = text.len() - rest.len() + name.len();
            let end = text[after_name..].find('>').map_or(text.len(), |offset| after_name + offset + 1);
            return Some(Tag { start, end, closes });
        }
        search = start + 1;
    }
}

/// White space, and what looks like none at all.
fn is_blank(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{200b}'..='\u{200d}' | '\u{2060}' | '\u{feff}')
}

fn without_code_and_quotes(text: &str) -> String {
    let mut kept = String::new();
    let mut in_code = false;
    for line in text.lines() {
        let start = line.trim_start();
        if start.starts_with("```") || start.starts_with("~~~") {
            in_code = !in_code;
            kept.push('\n');
        } else if !in_code && !start.starts_with('>') {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}
