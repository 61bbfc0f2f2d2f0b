//! Secrets that stand in a frame: blocks of private keys, passwords in addresses, headers, webhooks.

use super::assigned::looks_carried;
use super::{Found, run};

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    blocks(text, found);
    addresses(text, found);
    headers(text, found);
}

/// `-----BEGIN ... PRIVATE KEY-----` to its end; one that is cut off reaches to the end of the text.
fn blocks(text: &str, found: &mut Vec<Found>) {
    const BEGIN: &str = "-----BEGIN ";
    let mut from = 0;
    while let Some(start) = text[from..].find(BEGIN).map(|place| from + place) {
        let head = &text[start + BEGIN.len()..];
        let title = head.find("-----").map_or(head, |end| &head[..end]);
        from = start + BEGIN.len();
        if title.len() > 64 || !title.contains("PRIVATE KEY") {
            continue;
        }
        let footer = format!("-----END {title}-----");
        let end = text[from..].find(&footer).map_or(text.len(), |place| from + place + footer.len());
        found.push(Found { place: start..end, kind: "private key" });
        from = end;
    }
}

/// `scheme://user:password@host`: only the password is masked, so that the rest still says what it is. And addresses that are
/// themselves the secret.
fn addresses(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut from = 0;
    while let Some(place) = text[from..].find("://").map(|place| from + place) {
        let authority = place + 3;
        from = authority;
        if place == 0 || !bytes[place - 1].is_ascii_alphanumeric() {
            continue;
        }
        let length = run(bytes, authority, |byte| {
            !byte.is_ascii_whitespace()
                && !matches!(byte, b'/' | b'?' | b'#' | b'"' | b'\'' | b'<' | b'>' | b'`')
        });
        let Some(at) = text[authority..authority + length].rfind('@') else {
            webhook(text, authority, found);
            continue;
        };
        let user = &text[authority..authority + at];
        let Some(colon) = user.find(':') else { continue };
        let password = &user[colon + 1..];
        if !password.is_empty() && !is_placeholder(password) {
            let start = authority + colon + 1;
            found.push(Found { place: start..authority + at, kind: "password in a url" });
        }
    }
}

/// Who knows such an address may post there.
const WEBHOOKS: [&str; 4] = [
    "hooks.slack.com/services/",
    "discord.com/api/webhooks/",
    "discordapp.com/api/webhooks/",
    "hooks.slack.com/workflows/",
];

fn webhook(text: &str, authority: usize, found: &mut Vec<Found>) {
    let rest = &text[authority..];
    let Some(known) = WEBHOOKS.iter().find(|known| rest.starts_with(**known)) else { return };
    let start = authority + known.len();
    let length = run(text.as_bytes(), start, |byte| {
        byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-')
    });
    if length >= 20 {
        found.push(Found { place: start..start + length, kind: "webhook" });
    }
}

const BEARER: &str = "bearer token";

/// `Bearer ...` and `Basic ...` as a header has them.
fn headers(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    // Without their first letter, which may be a capital.
    for (word, kind, least) in [("earer ", BEARER, 20), ("asic ", "basic credentials", 12)] {
        let mut from = 0;
        while let Some(place) = text[from..].find(word).map(|place| from + place) {
            let start = place + word.len();
            from = start;
            let is_word = place > 0 && bytes[place - 1].eq_ignore_ascii_case(&b'b');
            let length = run(bytes, start, |byte| {
                byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'+' | b'/' | b'=' | b'~')
            });
            let body = text[start..start + length].trim_end_matches('.');
            // *Basic* is a word like any other outside a header.
            let in_header = kind == BEARER || (place > 2 && text[..place - 1].ends_with(": "));
            if is_word && in_header && body.len() >= least && looks_carried(body) {
                found.push(Found { place: start..start + body.len(), kind });
                from = start + body.len();
            }
        }
    }
}

/// Whether it only says that a password goes here.
pub(super) fn is_placeholder(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let opens = lower.starts_with(['<', '{', '[', '$', '%', '*', '(', '@', '\\']);
    let words = [
        "password",
        "passwd",
        "pass",
        "secret",
        "xxx",
        "changeme",
        "example",
        "placeholder",
        "redacted",
        "todo",
    ];
    opens
        || lower.contains("${")
        || lower.contains("{{")
        || lower.contains("***")
        || lower.contains("...")
        || lower.contains('…')
        || words.contains(&lower.as_str())
        || lower.starts_with("your")
        || lower.starts_with("xxx")
        || lower.starts_with("my-")
}
