//! Named parameters into numbered ones: the agent is `$1`, the others follow in the order in which they first appear.
//! Only those that are used get a number: PostgreSQL cannot tell the type of one that nothing is compared with.

use super::bounds::Bounds;
use selfsame_core::nearest::nearest;
use std::fmt::Write as _;

/// A text with numbered parameters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Numbered {
    /// The text.
    pub text: String,
    /// The names of `$2` and on.
    pub params: Vec<String>,
}

/// A text that cannot be used.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct BadText(pub String);

/// Numbers the parameters of a text. Strings, quoted names and comments are left alone.
pub(super) fn numbered(sql: &str) -> Result<Numbered, BadText> {
    let mut out = Numbered { text: String::with_capacity(sql.len()), params: Vec::new() };
    for piece in pieces(sql) {
        match piece.strip_prefix(':') {
            Some(name) if !name.is_empty() && !name.starts_with(':') => {
                let number = number(&mut out.params, name)?;
                write!(out.text, "${number}").unwrap_or_default();
            }
            _ => out.text.push_str(piece),
        }
    }
    Ok(out)
}

/// A text without what may hold anything.
pub(super) fn without_quotes_and_comments(sql: &str) -> String {
    let says_anything = |piece: &&str| ["'", "\"", "--", "/*"].iter().any(|start| piece.starts_with(start));
    pieces(sql).filter(|piece| !says_anything(piece)).collect()
}

/// A text cut into strings, quoted names, comments, parameters and single characters.
fn pieces(sql: &str) -> impl Iterator<Item = &str> {
    let mut rest = sql;
    std::iter::from_fn(move || {
        let first = rest.chars().next()?;
        let len = match first {
            '\'' | '"' => rest[1..].find(first).map_or(rest.len(), |end| end + 2),
            '-' if rest.starts_with("--") => rest.find('\n').unwrap_or(rest.len()),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            // PostgreSQL's cast is no parameter.
            ':' if rest.starts_with("::") => 2,
            ':' => 1 + name(&rest[1..]).len(),
            other => other.len_utf8(),
        };
        let (piece, after) = rest.split_at(len);
        rest = after;
        Some(piece)
    })
}

fn name(text: &str) -> &str {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len());
    &text[..end]
}

fn number(params: &mut Vec<String>, name: &str) -> Result<usize, BadText> {
    if name == "agent" {
        return Ok(1);
    }
    if !Bounds::names().any(|known| known == name) {
        let near = nearest(name, Bounds::names()).map(|near| format!(": did you mean :{near}?"));
        let all = || format!(": known are :{}", Bounds::names().collect::<Vec<_>>().join(", :"));
        return Err(BadText(format!(":{name} is no parameter{}", near.unwrap_or_else(all))));
    }
    let place = params.iter().position(|known| known == name).unwrap_or_else(|| {
        params.push(name.to_owned());
        params.len() - 1
    });
    Ok(place + 2)
}
