//! Secrets that their issuers mark with a prefix, and numbers that prove themselves: tokens and cards.

use super::{Found, begins_word, is_token, run};

/// Of which letters a token consists after its prefix.
#[derive(Clone, Copy)]
enum Letters {
    /// Letters and digits.
    Plain,
    /// Capitals and digits.
    Capital,
    /// Digits and a to f, in small letters.
    Hex,
    /// Letters, digits, `_` and `-`.
    Token,
    /// The same with dots inside.
    Dotted,
}

impl Letters {
    const fn has(self, byte: u8) -> bool {
        match self {
            Letters::Plain => byte.is_ascii_alphanumeric(),
            Letters::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Letters::Hex => byte.is_ascii_digit() || matches!(byte, b'a'..=b'f'),
            Letters::Token => is_token(byte),
            Letters::Dotted => is_token(byte) || byte == b'.',
        }
    }
}

/// A kind of token: how it begins, of what it consists, how long that is.
struct Rule {
    kind: &'static str,
    prefix: &'static str,
    letters: Letters,
    /// Letters after the prefix.
    least: usize,
    most: usize,
}

const fn rule(kind: &'static str, prefix: &'static str, letters: Letters, least: usize, most: usize) -> Rule {
    Rule { kind, prefix, letters, least, most }
}

const ANY: usize = usize::MAX;

/// Longer prefixes before those that they begin with.
const RULES: &[Rule] = &[
    rule("selfsame key", "ssk_", Letters::Token, 16, ANY),
    rule("aws key", "AKIA", Letters::Capital, 16, 16),
    rule("aws key", "ASIA", Letters::Capital, 16, 16),
    rule("aws key", "ABIA", Letters::Capital, 16, 16),
    rule("aws key", "ACCA", Letters::Capital, 16, 16),
    rule("github token", "github_pat_", Letters::Token, 22, ANY),
    rule("github token", "ghp_", Letters::Plain, 36, ANY),
    rule("github token", "gho_", Letters::Plain, 36, ANY),
    rule("github token", "ghu_", Letters::Plain, 36, ANY),
    rule("github token", "ghs_", Letters::Plain, 36, ANY),
    rule("github token", "ghr_", Letters::Plain, 36, ANY),
    rule("gitlab token", "glpat-", Letters::Dotted, 20, ANY),
    rule("gitlab token", "gldt-", Letters::Token, 20, ANY),
    rule("gitlab token", "glrt-", Letters::Dotted, 20, ANY),
    rule("gitlab token", "glptt-", Letters::Token, 20, ANY),
    rule("gitlab token", "glcbt-", Letters::Token, 20, ANY),
    rule("gitlab token", "glsoat-", Letters::Token, 20, ANY),
    rule("slack token", "xoxb-", Letters::Token, 20, ANY),
    rule("slack token", "xoxp-", Letters::Token, 20, ANY),
    rule("slack token", "xoxa-", Letters::Token, 20, ANY),
    rule("slack token", "xoxr-", Letters::Token, 20, ANY),
    rule("slack token", "xoxs-", Letters::Token, 20, ANY),
    rule("slack token", "xoxe-", Letters::Token, 20, ANY),
    rule("slack token", "xapp-", Letters::Token, 20, ANY),
    rule("stripe key", "sk_live_", Letters::Plain, 16, ANY),
    rule("stripe key", "sk_test_", Letters::Plain, 16, ANY),
    rule("stripe key", "rk_live_", Letters::Plain, 16, ANY),
    rule("stripe key", "rk_test_", Letters::Plain, 16, ANY),
    rule("stripe key", "whsec_", Letters::Plain, 24, ANY),
    rule("anthropic key", "sk-ant-", Letters::Token, 20, ANY),
    rule("openrouter key", "sk-or-", Letters::Token, 20, ANY),
    rule("openai key", "sk-proj-", Letters::Token, 20, ANY),
    rule("openai key", "sk-svcacct-", Letters::Token, 20, ANY),
    rule("openai key", "sk-admin-", Letters::Token, 20, ANY),
    rule("openai key", "sk-", Letters::Plain, 32, ANY),
    rule("google key", "AIza", Letters::Token, 35, 35),
    rule("google key", "GOCSPX-", Letters::Token, 24, ANY),
    rule("google key", "ya29.", Letters::Token, 20, ANY),
    rule("npm token", "npm_", Letters::Plain, 36, 36),
    rule("pypi token", "pypi-AgE", Letters::Token, 40, ANY),
    rule("hugging face token", "hf_", Letters::Plain, 30, ANY),
    rule("sendgrid key", "SG.", Letters::Dotted, 60, ANY),
    rule("twilio key", "SK", Letters::Hex, 32, 32),
    rule("mailgun key", "key-", Letters::Hex, 32, 32),
    rule("digitalocean token", "dop_v1_", Letters::Hex, 64, 64),
    rule("digitalocean token", "doo_v1_", Letters::Hex, 64, 64),
    rule("digitalocean token", "dor_v1_", Letters::Hex, 64, 64),
    rule("shopify token", "shpat_", Letters::Plain, 32, 32),
    rule("shopify token", "shpca_", Letters::Plain, 32, 32),
    rule("shopify token", "shppa_", Letters::Plain, 32, 32),
    rule("shopify token", "shpss_", Letters::Plain, 32, 32),
    rule("databricks token", "dapi", Letters::Hex, 32, 32),
    rule("docker token", "dckr_pat_", Letters::Token, 20, ANY),
    rule("atlassian token", "ATATT3", Letters::Token, 40, ANY),
    rule("linear key", "lin_api_", Letters::Plain, 32, ANY),
    rule("notion token", "ntn_", Letters::Plain, 40, ANY),
    rule("figma token", "figd_", Letters::Token, 32, ANY),
    rule("postman key", "PMAK-", Letters::Token, 40, ANY),
    rule("new relic key", "NRAK-", Letters::Capital, 27, 27),
    rule("square token", "sq0atp-", Letters::Token, 20, ANY),
    rule("square token", "sq0csp-", Letters::Token, 20, ANY),
    rule("vault token", "hvs.", Letters::Token, 24, ANY),
    rule("vault token", "hvb.", Letters::Token, 24, ANY),
    rule("age key", "AGE-SECRET-KEY-1", Letters::Capital, 50, ANY),
    rule("doppler token", "dp.pt.", Letters::Plain, 40, ANY),
    rule("grafana token", "glsa_", Letters::Token, 32, ANY),
    rule("supabase token", "sbp_", Letters::Hex, 40, 40),
    rule("replicate token", "r8_", Letters::Plain, 37, 37),
    rule("perplexity key", "pplx-", Letters::Plain, 40, ANY),
    rule("groq key", "gsk_", Letters::Plain, 40, ANY),
    rule("xai key", "xai-", Letters::Plain, 40, ANY),
    rule("heroku key", "HRKU-", Letters::Token, 30, ANY),
    rule("netlify token", "nfp_", Letters::Plain, 36, ANY),
    rule("planetscale password", "pscale_pw_", Letters::Token, 32, ANY),
    rule("planetscale token", "pscale_tkn_", Letters::Token, 32, ANY),
    rule("rubygems key", "rubygems_", Letters::Hex, 48, 48),
    rule("sentry token", "sntrys_", Letters::Token, 40, ANY),
    rule("airtable token", "pat", Letters::Dotted, 79, 79),
];

/// Which bytes a rule begins with: most of a text is passed over by one look.
const BEGINS: [bool; 256] = {
    let mut begins = [false; 256];
    let mut at = 0;
    while at < RULES.len() {
        begins[RULES[at].prefix.as_bytes()[0] as usize] = true;
        at += 1;
    }
    begins
};

pub(super) fn find(text: &str, found: &mut Vec<Found>) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let length = match begins_word(bytes, at) {
            true if byte == b'e' && bytes[at..].starts_with(b"eyJ") => web_token(bytes, at, found),
            true if byte.is_ascii_digit() => {
                telegram(bytes, at, found).max(card(bytes, at, found)).max(run(bytes, at, is_token))
            }
            true if BEGINS[byte as usize] => prefixed(bytes, at, found),
            _ => 1,
        };
        at += length.max(1);
    }
}

/// A token with a known prefix; gives its length.
fn prefixed(bytes: &[u8], at: usize, found: &mut Vec<Found>) -> usize {
    let rest = &bytes[at..];
    for Rule { kind, prefix, letters, least, most } in RULES {
        if !rest.starts_with(prefix.as_bytes()) {
            continue;
        }
        let body = at + prefix.len();
        let mut length = run(bytes, body, |byte| letters.has(byte));
        while length > 0 && matches!(bytes[body + length - 1], b'.' | b'-') {
            length -= 1;
        }
        let ends = bytes.get(body + length).is_none_or(|next| !next.is_ascii_alphanumeric());
        if ends && length >= *least && length <= *most && looks_drawn(&bytes[body..body + length]) {
            found.push(Found { place: at..body + length, kind });
            return prefix.len() + length;
        }
    }
    1
}

/// Whether it may have been drawn by lot: no words, no row of equal letters.
fn looks_drawn(body: &[u8]) -> bool {
    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[*byte as usize] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    different >= 6 && (digits > 0 || body.iter().any(u8::is_ascii_uppercase))
}

/// Three parts with dots, the first two JSON in base64: `eyJ` is how `{"` looks.
fn web_token(bytes: &[u8], at: usize, found: &mut Vec<Found>) -> usize {
    let first = run(bytes, at, is_token);
    let second_at = at + first + 1;
    if first < 10 || bytes.get(at + first) != Some(&b'.') || !bytes[second_at..].starts_with(b"eyJ") {
        return first;
    }
    let second = run(bytes, second_at, is_token);
    let third_at = second_at + second + 1;
    if second < 10 || bytes.get(second_at + second) != Some(&b'.') {
        return first;
    }
    let third = run(bytes, third_at, is_token);
    if third < 10 {
        return first;
    }
    found.push(Found { place: at..third_at + third, kind: "json web token" });
    third_at + third - at
}

/// `123456789:AA...`: a number, a colon and 35 letters.
fn telegram(bytes: &[u8], at: usize, found: &mut Vec<Found>) -> usize {
    let number = run(bytes, at, |byte| byte.is_ascii_digit());
    if !(8..=10).contains(&number) || !bytes[at + number..].starts_with(b":AA") {
        return 0;
    }
    let token = run(bytes, at + number + 1, is_token);
    if token != 35 {
        return 0;
    }
    found.push(Found { place: at..at + number + 1 + token, kind: "telegram token" });
    number + 1 + token
}

/// A card's number: of a known sort, in one piece or in groups as it is printed, with a fitting check digit.
fn card(bytes: &[u8], at: usize, found: &mut Vec<Found>) -> usize {
    if at > 0 && matches!(bytes[at - 1], b'.' | b'+' | b'#' | b'/' | b':' | b',') {
        return 0;
    }
    let (digits, length, groups) = grouped(bytes, at);
    let after = bytes.get(at + length);
    let goes_on = after.is_some_and(|next| is_token(*next))
        || (after.is_some_and(|next| matches!(next, b'.' | b','))
            && bytes.get(at + length + 1).is_some_and(u8::is_ascii_digit));
    let is_printed = groups.len() == 1 || groups == [4, 4, 4, 4] || groups == [4, 6, 5];
    if goes_on || !is_printed || !is_card(&digits) {
        return 0;
    }
    found.push(Found { place: at..at + length, kind: "card number" });
    length
}

/// Digits that stand together, perhaps in groups with one and the same sign between: the digits, their length in the text, the
/// groups.
fn grouped(bytes: &[u8], at: usize) -> (Vec<u8>, usize, Vec<usize>) {
    let (mut digits, mut groups) = (Vec::new(), Vec::new());
    let (mut place, mut sign) = (at, None);
    loop {
        let group = run(bytes, place, |byte| byte.is_ascii_digit());
        digits.extend(bytes[place..place + group].iter().map(|digit| digit - b'0'));
        groups.push(group);
        place += group;
        let next = bytes.get(place).copied().filter(|next| matches!(next, b' ' | b'-'));
        let same_sign = next.is_some() && (sign.is_none() || sign == next);
        let more = bytes.get(place + 1).is_some_and(u8::is_ascii_digit);
        if !same_sign || !more || digits.len() >= 19 {
            return (digits, place - at, groups);
        }
        sign = next;
        place += 1;
    }
}

fn is_card(digits: &[u8]) -> bool {
    if !(13..=19).contains(&digits.len()) || digits.iter().all(|digit| *digit == digits[0]) {
        return false;
    }
    let head = |count: usize| digits[..count].iter().fold(0_u32, |all, digit| all * 10 + u32::from(*digit));
    let is_sort = match digits.len() {
        13 | 19 => head(1) == 4,
        14 => head(2) == 36 || head(2) == 38 || (300..=305).contains(&head(3)),
        15 => head(2) == 34 || head(2) == 37,
        16 => {
            head(1) == 4
                || (51..=55).contains(&head(2))
                || (2221..=2720).contains(&head(4))
                || head(4) == 6011
                || (644..=659).contains(&head(3))
                || (3528..=3589).contains(&head(4))
        }
        _ => false,
    };
    is_sort && has_check_digit(digits)
}

/// The sum of the digits, every second one from the right doubled, ends in nought.
fn has_check_digit(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let counted = u32::from(*digit) * if place % 2 == 1 { 2 } else { 1 };
            if counted > 9 { counted - 9 } else { counted }
        })
        .sum();
    sum.is_multiple_of(10)
}
