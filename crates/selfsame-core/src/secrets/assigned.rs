//! Secrets that are given to a name: `password=...`, `"api_key": "..."`, `my password is ...`. The name alone proves nothing:
//! what is given must look like chance, or the sentence that speaks of passwords would lose its words.

use super::framed::is_placeholder;
use super::{Found, MARK};

/// What a name ends with, without `_`, `-` and capitals, and what it then holds.
const NAMES: &[(&str, &str)] = &[
    ("password", "password"),
    ("passwd", "password"),
    ("passwort", "password"),
    ("passphrase", "password"),
    ("pwd", "password"),
    ("apikey", "api key"),
    ("apisecret", "api key"),
    ("apitoken", "api key"),
    ("accesskey", "access key"),
    ("secretaccesskey", "access key"),
    ("secretkey", "secret key"),
    ("accountkey", "access key"),
    ("sharedaccesskey", "access key"),
    ("signingkey", "secret key"),
    ("encryptionkey", "secret key"),
    ("privatekey", "private key"),
    ("clientsecret", "client secret"),
    ("webhooksecret", "secret"),
    ("accesstoken", "token"),
    ("authtoken", "token"),
    ("refreshtoken", "token"),
    ("bearertoken", "token"),
    ("sessiontoken", "token"),
    ("bottoken", "token"),
    ("credentials", "credentials"),
    ("secret", "secret"),
    ("token", "token"),
];

/// Letters of a value, at least.
const LEAST: usize = 8;
/// Letters of a password that is spoken of in prose, at least.
const LEAST_SPOKEN: usize = 6;

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices(['=', ':']) {
        let after = at + 1;
        // `==`, `=>`, `::` and `://` give nothing to anything.
        if matches!(bytes.get(after), Some(b'=' | b':')) || text[after..].starts_with("//") {
            continue;
        }
        if at > 0 && matches!(bytes[at - 1], b'=' | b'!' | b'<' | b'>' | b':') && bytes[at] == b'=' {
            // `:=` does.
            if bytes[at - 1] != b':' {
                continue;
            }
        }
        let Some(kind) = kind_of_name(name_before(text, at)) else { continue };
        let start = after + usize::from(bytes.get(after) == Some(&b'>'));
        if let Some(found_value) = value_at(text, start, kind) {
            found.push(found_value);
        }
    }
    spoken(text, found);
}

/// The name that stands before a sign, without quotes and white space.
fn name_before(text: &str, at: usize) -> &str {
    let before = text[..at].trim_end_matches(':').trim_end_matches([' ', '\t', '"', '\'', '`']);
    let start = before.rfind(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.')));
    let start = start.map_or(0, |place| place + before[place..].chars().next().map_or(1, char::len_utf8));
    &before[start..]
}

fn kind_of_name(name: &str) -> Option<&'static str> {
    if name.is_empty() || name.len() > 80 {
        return None;
    }
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    NAMES.iter().find(|(ending, _)| plain.ends_with(ending)).map(|(_, kind)| *kind)
}

/// What a field of this name holds, if its whole value is a secret.
pub(super) fn kind_of_value(name: &str, value: &str) -> Option<&'static str> {
    let kind = kind_of_name(name)?;
    let value = value.trim();
    (!value.contains(char::is_whitespace) && is_secret(value, kind)).then_some(kind)
}

/// The value that begins after a sign, if it is a secret.
fn value_at(text: &str, from: usize, kind: &'static str) -> Option<Found> {
    let spaces = text[from..].len() - text[from..].trim_start_matches([' ', '\t']).len();
    let start = from + spaces;
    let quote = text[start..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
    let start = start + quote.map_or(0, char::len_utf8);
    let ends = |c: char| match quote {
        Some(quote) => c == quote || c == '\n',
        None => {
            c.is_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | ';' | '<' | '>' | ')' | ']' | '}' | '&')
        }
    };
    let rest = &text[start..];
    let length = rest.find(ends).unwrap_or(rest.len());
    let value = &rest[..length];
    let value = if quote.is_none() { value.trim_end_matches(['.', '!', '?']) } else { value };
    is_secret(value, kind).then(|| Found { place: start..start + value.len(), kind })
}

/// `password is hunter2`, as people say it: only of passwords, and only what no word looks like.
fn spoken(text: &str, found: &mut Vec<Found>) {
    const SPOKEN: [&str; 4] = ["password is ", "passphrase is ", "api key is ", "password was "];
    if !text.contains(" is ") && !text.contains(" was ") {
        return;
    }
    let lower = text.to_ascii_lowercase();
    for said in SPOKEN {
        for (place, _) in lower.match_indices(said) {
            let start = place + said.len();
            let quote = text[start..].chars().next().filter(|c| matches!(c, '"' | '\'' | '`'));
            let start = start + quote.map_or(0, char::len_utf8);
            let rest = &text[start..];
            let length =
                rest.find(|c: char| c.is_whitespace() || matches!(c, '"' | '`' | ',')).unwrap_or(rest.len());
            let word = rest[..length].trim_end_matches(['.', '!', '?', '\'', ')', ';']);
            let has = |of: fn(char) -> bool| word.chars().any(of);
            let looks = has(|c| c.is_ascii_digit()) && has(char::is_alphabetic);
            if word.len() >= LEAST_SPOKEN && looks && !is_placeholder(word) && !is_known_id(word) {
                found.push(Found { place: start..start + word.len(), kind: "password" });
            }
        }
    }
}

fn is_secret(value: &str, kind: &'static str) -> bool {
    let plain = value.len() >= LEAST
        && value.len() <= 4096
        && value.is_ascii()
        && !value.starts_with(MARK)
        && !is_placeholder(value)
        && !is_code(value)
        && !is_known_id(value);
    let is_password = kind == "password";
    plain && if is_password { looks_chosen(value) } else { looks_random(value) }
}

/// What stands for a value in a program: a call, a path, a name with dots.
fn is_code(value: &str) -> bool {
    let is_name = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphabetic() || c == '_');
    value.contains(['(', '[', '{'])
        || value.contains("://")
        || value.starts_with(['/', '~'])
        || value.starts_with("./")
        || value.split(['.', ':']).all(is_name)
        || value.contains("process.env")
        || value.contains("->")
}

/// Our own ids: three letters and 26 of the alphabet that leaves out what is mistaken.
fn is_known_id(value: &str) -> bool {
    let Some((prefix, body)) = value.split_once('_') else { return false };
    prefix.len() == 3
        && prefix.bytes().all(|byte| byte.is_ascii_lowercase())
        && body.len() == 26
        && body.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_lowercase())
}

/// What a person would choose: of two sorts of letters, at least.
fn looks_chosen(value: &str) -> bool {
    sorts(value) >= 2 && value.bytes().any(|byte| !byte.is_ascii_alphabetic())
}

/// What nobody would choose: letters and digits, and hardly one of them twice as often as chance has it.
pub(super) fn looks_random(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_letter = value.bytes().any(|byte| byte.is_ascii_alphabetic());
    has_digit && has_letter && bits(value) >= if value.len() < 16 { 2.75 } else { 3.2 }
}

/// What a header carries: no word of prose, whatever letters it has.
pub(super) fn looks_carried(value: &str) -> bool {
    let has = |of: fn(&u8) -> bool| value.as_bytes().iter().any(of);
    looks_random(value) || (has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && bits(value) >= 3.5)
}

/// How many sorts of letters: small, capital, digits, signs.
fn sorts(value: &str) -> usize {
    let has = |of: fn(&u8) -> bool| usize::from(value.as_bytes().iter().any(of));
    has(u8::is_ascii_lowercase)
        + has(u8::is_ascii_uppercase)
        + has(u8::is_ascii_digit)
        + has(u8::is_ascii_punctuation)
}

/// Bits of surprise in a letter, by how often each is there.
fn bits(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[byte as usize] += 1);
    let all = value.len() as f64;
    let share = |count: &u32| {
        let share = f64::from(*count) / all;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(share).sum()
}
