//! Secrets of every kind are masked, whatever stands around them, and what only looks like chance stays as it is.

use selfsame_core::secrets::{mask, mask_value};
use serde_json::json;

/// A small seeded source of letters: equal in every run.
struct Chance(u64);

impl Chance {
    fn next(&mut self, most: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % most as u64) as usize
    }

    fn of(&mut self, letters: &str, count: usize) -> String {
        let letters: Vec<char> = letters.chars().collect();
        (0..count).map(|_| letters[self.next(letters.len())]).collect()
    }
}

const LOWER: &str = "abcdefghijklmnopqrstuvwxyz0123456789";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const MIXED: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
const HEX: &str = "0123456789abcdef";

type Maker = fn(&mut Chance) -> (String, String);

fn plain(secret: String) -> (String, String) {
    (secret.clone(), secret)
}

/// Each kind: what it is called, and how one is made, as the whole text and as what must not be left of it.
const KINDS: &[(&str, Maker)] = &[
    ("aws key", |c| plain(format!("AKIA{}", c.of(UPPER, 16)))),
    ("github token", |c| plain(format!("ghp_{}", c.of(MIXED, 36)))),
    ("github token", |c| plain(format!("github_pat_{}_{}", c.of(MIXED, 22), c.of(MIXED, 59)))),
    ("gitlab token", |c| plain(format!("glpat-{}", c.of(MIXED, 20)))),
    ("slack token", |c| {
        plain(format!("xoxb-{}-{}-{}", c.of("123456789", 12), c.of("123456789", 12), c.of(MIXED, 24)))
    }),
    ("stripe key", |c| plain(format!("sk_live_{}", c.of(MIXED, 24)))),
    ("openai key", |c| plain(format!("sk-proj-{}", c.of(MIXED, 48)))),
    ("openai key", |c| plain(format!("sk-{}", c.of(MIXED, 48)))),
    ("anthropic key", |c| plain(format!("sk-ant-api03-{}", c.of(MIXED, 93)))),
    ("google key", |c| plain(format!("AIza{}", c.of(MIXED, 35)))),
    ("json web token", |c| {
        plain(format!("eyJ{}.eyJ{}.{}", c.of(MIXED, 20), c.of(MIXED, 40), c.of(MIXED, 43)))
    }),
    ("private key", |c| {
        let body = c.of(MIXED, 200);
        (format!("-----BEGIN RSA PRIVATE KEY-----\n{body}\n-----END RSA PRIVATE KEY-----"), body)
    }),
    ("private key", |c| {
        let body = c.of(MIXED, 120);
        (format!("-----BEGIN OPENSSH PRIVATE KEY-----\n{body}"), body)
    }),
    ("bearer token", |c| {
        let token = c.of(MIXED, 40);
        (format!("Authorization: Bearer {token}"), token)
    }),
    ("basic credentials", |c| {
        let token = format!("{}==", c.of(MIXED, 22));
        (format!("Authorization: Basic {token}"), token)
    }),
    ("password in a url", |c| {
        let password = c.of(MIXED, 16);
        (format!("postgres://maya:{password}@db.example.com:5432/app"), password)
    }),
    ("webhook", |c| {
        let path = format!("T{}/B{}/{}", c.of(UPPER, 8), c.of(UPPER, 8), c.of(MIXED, 24));
        (format!("https://hooks.slack.com/services/{path}"), path)
    }),
    ("npm token", |c| plain(format!("npm_{}", c.of(MIXED, 36)))),
    ("pypi token", |c| plain(format!("pypi-AgEIcHlwaS5vcmc{}", c.of(MIXED, 70)))),
    ("hugging face token", |c| plain(format!("hf_{}", c.of(MIXED, 34)))),
    ("sendgrid key", |c| plain(format!("SG.{}.{}", c.of(MIXED, 22), c.of(MIXED, 43)))),
    ("twilio key", |c| plain(format!("SK{}", c.of(HEX, 32)))),
    ("mailgun key", |c| plain(format!("key-{}", c.of(HEX, 32)))),
    ("digitalocean token", |c| plain(format!("dop_v1_{}", c.of(HEX, 64)))),
    ("shopify token", |c| plain(format!("shpat_{}", c.of(HEX, 32)))),
    ("telegram token", |c| plain(format!("{}:AA{}", c.of("123456789", 9), c.of(MIXED, 33)))),
    ("age key", |c| plain(format!("AGE-SECRET-KEY-1{}", c.of(UPPER, 58)))),
    ("selfsame key", |c| plain(format!("ssk_{}_{}", c.of(LOWER, 26), c.of(LOWER, 43)))),
    ("card number", |c| {
        let number = card(c, "4", 16);
        let spaced = format!("{} {} {} {}", &number[..4], &number[4..8], &number[8..12], &number[12..]);
        (spaced.clone(), spaced)
    }),
    ("card number", |c| plain(card(c, "37", 15))),
    ("password", |c| {
        let password = format!("{}7!", c.of(MIXED, 10));
        (format!("DB_PASSWORD={password}"), password)
    }),
    ("password", |c| {
        let password = format!("{}9", c.of(MIXED, 8));
        (format!("my password is {password}, keep it"), password)
    }),
    ("api key", |c| {
        let key = format!("{}1z", c.of(LOWER, 30));
        (format!("{{\"api_key\": \"{key}\", \"n\": 1}}"), key)
    }),
    ("client secret", |c| {
        let key = format!("{}1z", c.of(MIXED, 32));
        (format!("clientSecret: '{key}'"), key)
    }),
    ("access key", |c| {
        let key = format!("{}1z", c.of(MIXED, 38));
        (format!("aws_secret_access_key = {key}"), key)
    }),
];

/// A number with its check digit.
fn card(chance: &mut Chance, head: &str, length: usize) -> String {
    let body = format!("{head}{}", chance.of("0123456789", length - 1 - head.len()));
    let sum: u32 = body
        .bytes()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let counted = u32::from(digit - b'0') * if place % 2 == 0 { 2 } else { 1 };
            if counted > 9 { counted - 9 } else { counted }
        })
        .sum();
    format!("{body}{}", (10 - sum % 10) % 10)
}

#[test]
fn generated_secrets_of_every_kind_are_masked() {
    let mut chance = Chance(7);
    let kinds: std::collections::BTreeSet<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
    assert!(kinds.len() >= 20, "{}", kinds.len());
    for (kind, make) in KINDS {
        for round in 0..100 {
            let (text, secret) = make(&mut chance);
            for around in [
                "§",
                "I found §.",
                "\"§\"",
                "(§)",
                "see\n§\nand go on",
                "日本 § 語",
                "key=§;",
                "<§>",
                "`§`, or so",
            ] {
                let said = around.replace('§', &text);
                let masked = mask(&said);
                let tail = &secret[secret.len() - 9..];
                assert!(!masked.text.contains(tail), "{kind} {round}: {said} -> {}", masked.text);
                assert!(masked.kinds.contains(kind), "{kind}: {said} -> {:?}", masked.kinds);
                let again = mask(&masked.text);
                assert_eq!(again.text, masked.text, "twice is as once");
            }
        }
    }
}

/// What people and programs write all day, and what only looks like chance.
const BENIGN: &[&str] = &[
    "Maya moved to Lisbon on 2026-03-01 and likes her coffee black.",
    "My password is something I would rather not say.",
    "The password is wrong, please reset it. What is the password?",
    "password: see the vault",
    "token = parser.next_token()",
    "let token = self.tokens[12345678];",
    "if password == expected_password { return Ok(()) }",
    "api_key: process.env.OPENAI_API_KEY",
    "API_KEY=${API_KEY}",
    "secret_key = os.environ[\"SECRET_KEY_2026\"]",
    "password: <your-password-here>",
    "PASSWORD=changeme",
    "pwd=/home/maya/projects/selfsame",
    "max_tokens=200000, budget_tokens: 4000000",
    "the secret: be kind. The token: a small stone.",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "d41d8cd98f00b204e9800998ecf8427e  empty.txt",
    "id 550e8400-e29b-41d4-a716-446655440000 was deleted",
    "mem_01k9x2n6p7q8r9s0t1v2w3x4y5 and obs_01k9x2n6p7q8r9s0t1v2w3x4y6",
    "token: wrk_01k9x2n6p7q8r9s0t1v2w3x4y5",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
    "call me at +49 30 1234567 or (555) 010-9999, or 0171 2345678 90",
    "tel 4155550132, fax 4155550133, order 4000000000000000",
    "at 1731900000000 ms, which is 2024-11-18T03:20:00.000Z",
    "order 1234567890123456 was shipped; invoice 2026-0000-1111-2222",
    "version 4.111.1111.1111.1111 and 3.14159265358979323846",
    "https://example.com/path?user=maya&page=2#token",
    "ssh://git@host.example.com:22/repo.git and http://[::1]:8080/",
    "postgres://user:password@localhost/db",
    "postgres://user:<password>@localhost/db",
    "mailto:maya@example.com, see http://example.com:8080/@maya",
    "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
    "Bearer of good news: the basic plan is enough. A bearer token is a string.",
    "Basic understanding of authorization: basic arithmetic",
    "sk-learn and sk_learn are not keys; neither is hf_hub_download or npm_config_registry",
    "ghp_ is a prefix, AKIA too, and glpat- as well; xoxb-something-or-other",
    "SKETCHING the SKYLINE in SK; the DAPI stain; dapi",
    "keyboard-interactive, key-value-store, monkey-patching",
    "eyJhbGciOiJub25lIn0 is the head of a token",
    "use regex ^(?:sk|pk)_(?:test|live)_[0-9a-zA-Z]{10,99}$",
    "fn secret(&self) -> &str { &self.secret_name }",
    "passport: C01X00T47; the passphrase is in my head",
    "git rev 4b825dc642cb6eb9a060e54bf8d69288fbee4904 is the empty tree",
    "isbn 978-3-16-148410-0, 3.5 mm, 192.168.1.1:8080, fe80::1, 00:1A:2B:3C:4D:5E",
    "日本語のパスワードは長いほど良い。 пароль: скажу потом",
    "IBAN DE89 3704 0044 0532 0130 00 is on the letterhead",
    "{\"type\": \"knowledge\", \"tags\": [\"maya\"], \"trust\": 0.5}",
    "UPPER_CASE_CONSTANT=1, token_type: bearer, grant_type=client_credentials",
];

#[test]
fn what_is_no_secret_stays_as_it_is() {
    for text in BENIGN {
        let masked = mask(text);
        assert_eq!((masked.text.as_ref(), masked.kinds.len()), (*text, 0), "{:?}", masked.kinds);
    }
    // Hashes, commits, UUIDs, ids and images without end.
    let mut chance = Chance(11);
    for _ in 0..2000 {
        let hex = chance.of(HEX, 40);
        let uuid =
            format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..30]);
        let id = format!("mem_{}", chance.of("0123456789abcdefghjkmnpqrstvwxyz", 26));
        let image = chance.of(MIXED, 400);
        let text = format!(
            "commit {hex}\n{uuid} {id}\nsha {hex}{}\n![x](data:image/png;base64,{image})",
            &hex[..24]
        );
        assert_eq!(mask(&text).text, text);
    }
}

/// A field of a value says by its name what it holds.
#[test]
fn fields_are_masked_by_their_names_and_by_what_is_in_them() {
    let mut value = json!({
        "password": "correct-horse-7",
        "note": "my AWS key is AKIAIOSFODNN7EXAMPLE",
        "nested": [{ "AKIAIOSFODNN7EXAMPLE": 1 }, { "token": 12345678 }],
        "name": "Maya",
    });
    let kinds: Vec<&str> = mask_value(&mut value).into_iter().collect();
    assert_eq!(kinds, ["aws key", "password"]);
    assert_eq!(
        value,
        json!({
            "password": "[secret: password]",
            "note": "my AWS key is [secret: aws key]",
            "nested": [{ "[secret: aws key]": 1 }, { "token": 12345678 }],
            "name": "Maya",
        })
    );
}

/// Whatever it is given, it gives a text back.
#[test]
fn no_text_is_too_odd() {
    let mut chance = Chance(3);
    let parts = [
        "password=",
        "://",
        ":",
        "@",
        "=",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "eyJ",
        ".",
        "Bearer ",
        "é",
        "日",
        "\"",
        "sk-",
        "4111",
        " ",
        "is ",
        "password is ",
    ];
    for _ in 0..3000 {
        let text: String = (0..chance.next(14)).map(|_| parts[chance.next(parts.len())]).collect();
        let masked = mask(&text);
        assert_eq!(mask(&masked.text).text, masked.text, "{text:?}");
    }
}
