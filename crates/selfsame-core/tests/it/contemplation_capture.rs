//! Replies as models write them: each ends as what was asked for, as something put right with a list of what was done,
//! or as a fallback. A table of accounts times a table of slips.

use proptest::prelude::*;
use selfsame_core::contemplation::parse::{
    MAX_ITEMS, MAX_NAME_BYTES, MAX_OTHER_BYTES, MAX_OTHER_DEPTH, MAX_SUMMARY_BYTES, MAX_TEXT_BYTES,
};
use selfsame_core::contemplation::{
    Account, Captured, Energy, EpisodeKind, IdentityLink, Mood, Outcome, Parse, capture,
};
use selfsame_core::json::canonical;
use serde_json::{Map, Value, json};

const TRIGGER: &str = "interval";

fn tagged(json: &str) -> String {
    format!("[EPISODE_JSON]\n{json}\n[/EPISODE_JSON]")
}

fn account(kind: EpisodeKind) -> Account {
    Account {
        observations: vec!["Maya's timeline doesn't fit the plan".into(), "two\nlines".into()],
        actions_taken: vec!["looked at and/or compared both".into()],
        tools_used: vec!["recall".into()],
        outcome: Outcome {
            result: "identified".into(),
            summary: "The plan: late by a week, [maybe] two.".into(),
        },
        success: true,
        mood: Mood { state: "curious".into(), energy: Energy::Low },
        valence: 0.6,
        arousal: 0.4,
        identity_links: vec![IdentityLink { name: "learning".into(), strength: 0.8 }],
        ..Account::empty(kind, "idle_reflection")
    }
}

/// Seven accounts that differ in what they have.
fn bases() -> Vec<Account> {
    let base = account(EpisodeKind::Contemplation);
    let optional = Account {
        kind: EpisodeKind::Reflection,
        intent: Some("ask Maya".into()),
        unexpected: Some("she had moved".into()),
        uncertainty: Some("whether it's Berlin".into()),
        reflection: Some("I assume too much.".into()),
        lesson: Some("Ask before assuming.".into()),
        pattern_hint: Some("assumptions about places".into()),
        lessons_applied: vec!["les_01".into()],
        ..base.clone()
    };
    let bare =
        Account { kind: EpisodeKind::Research, tools_used: vec![], identity_links: vec![], ..base.clone() };
    let other = json!({ "weather": "rain", "scores": [1, 2.5, null, { "deep": false }], "n": 7 });
    let other = Account {
        kind: EpisodeKind::Action,
        other: other.as_object().cloned().expect("it is an object"),
        ..base.clone()
    };
    let foreign = Account {
        kind: EpisodeKind::Conversation,
        observations: vec!["Grüße, Łukasz und 東京 🎈".into(), "it doesn't\nmatter".into()],
        ..base.clone()
    };
    let low = Account {
        kind: EpisodeKind::Rest,
        mood: Mood { state: "quiet".into(), energy: Energy::Low },
        valence: -2.0,
        arousal: 0.0,
        outcome: Outcome { result: String::new(), summary: "Rested.".into() },
        ..base.clone()
    };
    let many = Account {
        kind: EpisodeKind::Creation,
        observations: (0..MAX_ITEMS).map(|n| format!("it doesn't\nend: {n}")).collect(),
        ..base.clone()
    };
    vec![base, optional, bare, other, foreign, low, many]
}

fn pretty(account: &Account) -> String {
    serde_json::to_string_pretty(&account.to_json()).expect("it is JSON")
}

const NAMES: &[&str] = &[
    "type",
    "trigger",
    "observations",
    "actions_taken",
    "tools_used",
    "outcome",
    "success",
    "mood",
    "valence",
    "arousal",
    "identity_links",
    "result",
    "summary",
    "state",
    "energy",
    "name",
    "strength",
];

fn renamed(json: &str, rename: impl Fn(&str) -> String) -> String {
    NAMES.iter().fold(json.to_owned(), |json, name| json.replace(&format!("\"{name}\":"), &rename(name)))
}

/// With quotation marks that open and close.
fn smart(json: &str) -> String {
    let mut open = false;
    let turn = |c| {
        if c != '"' {
            return c;
        }
        open = !open;
        if open { '“' } else { '”' }
    };
    json.chars().map(turn).collect()
}

/// A slip that changes nothing of what is said: how it is made, and what must be listed.
type Slip = (&'static str, fn(&str) -> String, &'static [&'static str]);

const SLIPS: &[Slip] = &[
    ("as asked for", tagged, &[]),
    ("prose around", |json| format!("I thought a while.\n\n{}\n\nThat is all.", tagged(json)), &[]),
    ("a fence around the tags", |json| format!("```\n{}\n```", tagged(json)), &[]),
    ("on one line", |json| format!("[EPISODE_JSON]{}[/EPISODE_JSON]", one_line(json)), &[]),
    ("line ends of Windows", |json| tagged(json).replace('\n', "\r\n"), &[]),
    ("thought aloud before", |json| format!("<think>an [EPISODE] is due</think>{}", tagged(json)), &[]),
    ("thought aloud without an end", |json| format!("<think>hm\n{}", tagged(json)), &[]),
    ("slashes escaped", |json| tagged(&json.replace("and/or", "and\\/or")), &[]),
    ("letters escaped", |json| tagged(&json.replace('M', "\\u004d").replace('🎈', "\\ud83c\\udf88")), &[]),
    (
        "tags in small letters",
        |json| tagged(json).replace("EPISODE_JSON", "episode_json"),
        &["tags put right"],
    ),
    ("tags with spaces", |json| tagged(json).replace("EPISODE_JSON", " Episode JSON "), &["tags put right"]),
    ("tags with hyphens", |json| tagged(json).replace("EPISODE_JSON", "EPISODE-JSON"), &["tags put right"]),
    (
        "tags with escapes",
        |json| tagged(json).replace("EPISODE_JSON]", "EPISODE\\_JSON\\]"),
        &["tags put right"],
    ),
    ("angle brackets", |json| format!("<EPISODE_JSON>{json}</EPISODE_JSON>"), &["tags put right"]),
    (
        "bold tags",
        |json| tagged(json).replace("[EPISODE_JSON]", "**[EPISODE_JSON]**").replace("[/", "**[/") + "**",
        &["text before the JSON left out", "text after the JSON left out"],
    ),
    (
        "only the end misspelt",
        |json| tagged(json).replace("[/EPISODE_JSON]", "[/ EPISODE_JSON ]"),
        &["tags put right"],
    ),
    ("a fence inside", |json| tagged(&format!("```json\n{json}\n```")), &["a fence of code removed"]),
    ("another fence inside", |json| tagged(&format!("~~~\n{json}\n~~~")), &["a fence of code removed"]),
    (
        "a fence inside, and a slip",
        |json| tagged(&format!("```json\n{json},\n```")),
        &["a fence of code removed", "text after the JSON left out"],
    ),
    ("not closed", |json| format!("[EPISODE_JSON]\n{json}\n"), &["a block that was not closed"]),
    (
        "opened twice",
        |json| format!("[EPISODE_JSON]\n{json}\n[EPISODE_JSON]"),
        &["a block that was not closed"],
    ),
    ("trailing commas", |json| tagged(&json.replace("\n}", ",\n}")), &["trailing commas removed"]),
    (
        "trailing commas in lists",
        |json| tagged(&json.replace("\n  ]", ",\n  ]")),
        &["trailing commas removed"],
    ),
    ("remarks", |json| tagged(&json.replace(",\n", ", // it's so\n")), &["comments left out"]),
    ("long remarks", |json| tagged(&json.replace("{\n", "{ /* \"a\": { */\n")), &["comments left out"]),
    ("single quotes", |json| tagged(&json.replace('"', "'")), &["quotes put right"]),
    ("smart quotes", |json| tagged(&smart(json)), &["quotes put right"]),
    ("bare names", |json| tagged(&renamed(json, |name| format!("{name}:"))), &["names quoted"]),
    (
        "line breaks in texts",
        |json| tagged(&json.replace("\\n", "\n")),
        &["line breaks inside a text escaped"],
    ),
    ("no commas", |json| tagged(&json.replace(",\n", "\n")), &["missing commas added"]),
    ("commas twice", |json| tagged(&json.replace(",\n", ",,\n")), &["needless commas removed"]),
    ("equals signs", |json| tagged(&renamed(json, |name| format!("\"{name}\" ="))), &["colons put right"]),
    ("arrows", |json| tagged(&renamed(json, |name| format!("\"{name}\" =>"))), &["colons put right"]),
    ("words of Python", |json| tagged(&json.replace(": true", ": True")), &["words put right"]),
    ("cut off", |json| tagged(json.trim_end().trim_end_matches('}')), &["cut off: closed what was open"]),
    (
        "cut off without an end",
        |json| format!("[EPISODE_JSON]{}", json.trim_end().trim_end_matches('}')),
        &["a block that was not closed", "cut off: closed what was open"],
    ),
    (
        "an object at the end of which a name stands alone",
        |json| format!("[EPISODE_JSON]{}, \"mo", json.trim_end().trim_end_matches(['}', '\n'])),
        &["a block that was not closed", "cut off: closed what was open", "a name without a value left out"],
    ),
    ("JSON in a text", |json| tagged(&Value::from(json).to_string()), &["JSON inside a text read"]),
    ("in a list", |json| tagged(&format!("[{json}]")), &["a list around the episode opened"]),
    (
        "in an object",
        |json| tagged(&format!("{{\"episode\": {json}}}")),
        &["an object around the episode opened"],
    ),
    ("camels", |json| tagged(&json.replace("actions_taken", "actionsTaken")), &["names of fields put right"]),
    ("capitals", |json| tagged(&json.replace("\"mood\"", "\"Mood\"")), &["names of fields put right"]),
    (
        "two blocks",
        |json| tagged("{\"type\":\"rest\"}") + &tagged(json),
        &["the last valid one of several blocks taken"],
    ),
    (
        "two blocks, the last one void",
        |json| tagged(json) + &tagged("as above"),
        &["the last valid one of several blocks taken"],
    ),
    (
        "the tag is spoken of before",
        |json| format!("Here is the [EPISODE_JSON] block.\n{}", tagged(json)),
        &["the last valid one of several blocks taken"],
    ),
    ("words before", |json| tagged(&format!("Here it is:\n{json}")), &["text before the JSON left out"]),
    ("words after", |json| tagged(&format!("{json}\nThat's it.")), &["text after the JSON left out"]),
    ("no tags", str::to_owned, &["a block without tags"]),
    ("no tags but a fence", |json| format!("So:\n```json\n{json}\n```\nDone."), &["a block without tags"]),
    (
        "no tags, after a thought",
        |json| format!("<think>{{\"type\":\"rest\"}}</think>{json}"),
        &["a block without tags"],
    ),
    (
        "no tags, and bare names",
        |json| renamed(json, |name| format!("{name}:")),
        &["names quoted", "a block without tags"],
    ),
    (
        "numbers as texts",
        |json| tagged(&json.replace(": 0.6", ": \" 0.6\"").replace(": -2.0", ": \"-2\"")),
        &["numbers written as text"],
    ),
    ("yes as a text", |json| tagged(&json.replace(": true", ": \"Yes\"")), &["success written otherwise"]),
    ("a plus", |json| tagged(&json.replace("\"arousal\": ", "\"arousal\": +")), &["numbers put right"]),
    ("no number", |json| tagged(&json.replacen('{', "{\"x\": NaN,", 1)), &["what is no number left out"]),
    ("NUL in a text", |json| tagged(&json.replace("idle_", "idle\\u0000_")), &["NUL characters removed"]),
    ("odd escapes", |json| tagged(&json.replace("doesn't", "doesn\\'t")), &["escapes put right"]),
    ("energy in another word", |json| tagged(&json.replace("\"low\"", "\"Tired\"")), &["energy put right"]),
    ("a type with a capital", |json| tagged(&capital_type(json)), &["type put right"]),
];

fn one_line(json: &str) -> String {
    canonical(&serde_json::from_str(json).expect("it is JSON"))
}

fn capital_type(json: &str) -> String {
    let (before, after) = json.split_once("\"type\": \"").expect("it has a type");
    let (kind, after) = after.split_once('"').expect("the type ends");
    format!("{before}\"type\": \"{}\"{after}", kind.to_uppercase())
}

/// What was asked for, whatever its form; and read once more it needs nothing put right.
fn assert_reads(name: &str, reply: &str, expected: &Account, repairs: &[&str]) {
    let parse = if repairs.is_empty() { Parse::Tagged } else { Parse::Repaired };
    let found = capture(reply, TRIGGER);
    assert_eq!(found.repairs, repairs, "{name}: {reply}");
    assert_eq!(found.parse, parse, "{name}");
    assert_eq!(&found.account, expected, "{name}");
    assert_settled(&found);
}

fn assert_settled(found: &Captured) {
    let again = capture(&tagged(&canonical(&found.account.to_json())), "another");
    assert_eq!(again.account, found.account);
    assert_eq!((again.parse, again.repairs), (Parse::Tagged, vec![]));
}

#[test]
fn a_slip_changes_nothing_of_what_is_said() {
    let mut tried = 0;
    for base in bases() {
        for (name, slip, repairs) in SLIPS {
            assert_reads(name, &slip(&pretty(&base)), &base, repairs);
            tried += 1;
        }
    }
    assert!(tried >= 300, "{tried}");
}

/// Something said otherwise than it was asked for: the change, what is made of it, and what must be listed.
type Liberty = (&'static str, fn(&mut Map<String, Value>), fn(&mut Account), &'static [&'static str]);

fn set(object: &mut Map<String, Value>, name: &str, value: Value) {
    object.insert(name.to_owned(), value);
}

const LIBERTIES: &[Liberty] = &[
    (
        "a mood in a word",
        |all| set(all, "mood", json!("curious")),
        |account| account.mood.energy = Energy::Medium,
        &["mood given as a text"],
    ),
    (
        "a mood without energy",
        |all| set(all, "mood", json!({ "state": "curious" })),
        |account| account.mood = Mood { state: "curious".into(), energy: Energy::Medium },
        &["energy was missing"],
    ),
    (
        "an energy nobody knows",
        |all| set(all, "mood", json!({ "state": "curious", "energy": "purple" })),
        |account| account.mood = Mood { state: "curious".into(), energy: Energy::Medium },
        &["energy unknown: medium"],
    ),
    (
        "an energy in numbers",
        |all| set(all, "mood", json!({ "state": "glad", "energy": 0.9 })),
        |account| account.mood = Mood { state: "glad".into(), energy: Energy::High },
        &["energy put right"],
    ),
    (
        "more in a mood",
        |all| set(all, "mood", json!({ "state": "glad", "energy": "high", "colour": "blue" })),
        |account| {
            account.mood = Mood { state: "glad".into(), energy: Energy::High };
            account.other.insert("mood.colour".into(), json!("blue"));
        },
        &["more fields in mood kept beside it"],
    ),
    (
        "an outcome in a text",
        |all| set(all, "outcome", json!("It went well.")),
        |account| account.outcome = Outcome { result: String::new(), summary: "It went well.".into() },
        &["outcome given as a text"],
    ),
    (
        "a single observation",
        |all| set(all, "observations", json!("only one")),
        |account| account.observations = vec!["only one".into()],
        &["a single entry made a list"],
    ),
    (
        "observations as objects",
        |all| set(all, "observations", json!([{ "text": "seen" }, { "x": 1 }, 7, null, " "])),
        |account| account.observations = vec!["seen".into(), "{\"x\":1}".into(), "7".into()],
        &["an object where a text was expected", "a number or a word where a text was expected"],
    ),
    (
        "a lesson as a list",
        |all| set(all, "lesson", json!(["ask", "wait"])),
        |account| account.lesson = Some("ask; wait".into()),
        &["a list where a text was expected joined"],
    ),
    (
        "a type nobody knows",
        |all| set(all, "type", json!("dreaming")),
        |account| account.kind = EpisodeKind::Contemplation,
        &["type unknown: contemplation"],
    ),
    (
        "a type that is no word",
        |all| set(all, "type", json!(3)),
        |account| account.kind = EpisodeKind::Contemplation,
        &["type unknown: contemplation"],
    ),
    (
        "too good",
        |all| set(all, "valence", json!(7)),
        |account| account.valence = 2.0,
        &["valence brought into its range"],
    ),
    (
        "too bad",
        |all| set(all, "valence", json!(-2.01)),
        |account| account.valence = -2.0,
        &["valence brought into its range"],
    ),
    (
        "too stirred, in words",
        |all| set(all, "arousal", json!("1.5")),
        |account| account.arousal = 1.0,
        &["numbers written as text", "arousal brought into its range"],
    ),
    (
        "too calm",
        |all| set(all, "arousal", json!(-0.1)),
        |account| account.arousal = 0.0,
        &["arousal brought into its range"],
    ),
    (
        "a feeling that is no number",
        |all| set(all, "valence", json!("good")),
        |account| account.valence = 0.0,
        &["valence could not be read: 0"],
    ),
    (
        "success nobody can read",
        |all| set(all, "success", json!("who knows")),
        |account| account.success = false,
        &["success could not be read: false"],
    ),
    (
        "success as a number",
        |all| set(all, "success", json!(0)),
        |account| account.success = false,
        &["success written otherwise"],
    ),
    (
        "identity in names",
        |all| set(all, "identity_links", json!(["care"])),
        |account| account.identity_links = vec![IdentityLink { name: "care".into(), strength: 0.5 }],
        &["an identity link without strength"],
    ),
    (
        "identity by name",
        |all| set(all, "identity_links", json!({ "care": "0.9" })),
        |account| account.identity_links = vec![IdentityLink { name: "care".into(), strength: 0.9 }],
        &["identity links given as names with strengths", "numbers written as text"],
    ),
    (
        "identity beyond all measure",
        |all| set(all, "identity_links", json!([{ "name": "care", "strength": 80 }, { "strength": 1 }])),
        |account| account.identity_links = vec![IdentityLink { name: "care".into(), strength: 1.0 }],
        &["strength brought into its range", "an identity link without a name left out"],
    ),
    (
        "nothing of what must be there",
        |all| {
            ["type", "outcome", "success", "mood", "valence", "arousal", "trigger"].iter().for_each(|name| {
                all.remove(*name);
            });
        },
        |account| {
            account.kind = EpisodeKind::Contemplation;
            account.trigger = TRIGGER.into();
            account.outcome = Outcome::default();
            account.success = false;
            account.mood = Mood { state: "neutral".into(), energy: Energy::Medium };
            (account.valence, account.arousal) = (0.0, 0.0);
        },
        &[
            "type was missing",
            "outcome was missing",
            "success was missing",
            "mood was missing",
            "valence was missing",
            "arousal was missing",
        ],
    ),
    (
        "a field twice",
        |all| set(all, "Observations", json!(["another"])),
        |_| {},
        &["a field that was there twice left out"],
    ),
    (
        "too long a text",
        |all| set(all, "reflection", json!("é".repeat(MAX_TEXT_BYTES))),
        |account| account.reflection = Some("é".repeat(MAX_TEXT_BYTES / 2)),
        &["cut: a text was too long"],
    ),
    (
        "too long a list",
        |all| set(all, "actions_taken", (0..MAX_ITEMS + 1).map(|n| n.to_string()).collect()),
        |account| account.actions_taken = (0..MAX_ITEMS).map(|n| n.to_string()).collect(),
        &["cut: a list was too long"],
    ),
    (
        "too long a name",
        |all| set(all, "tools_used", json!(["x".repeat(MAX_NAME_BYTES + 1)])),
        |account| account.tools_used = vec!["x".repeat(MAX_NAME_BYTES)],
        &["cut: a text was too long"],
    ),
    (
        "too much beside the fields",
        |all| set(all, "zzz", json!("z".repeat(MAX_OTHER_BYTES))),
        |_| {},
        &["cut: too much beside the fields"],
    ),
    (
        "too deep beside the fields",
        |all| set(all, "deep", (0..=MAX_OTHER_DEPTH).fold(json!(1), |inner, _| json!([inner]))),
        |account| {
            let deep = (0..MAX_OTHER_DEPTH).fold(Value::Null, |inner, _| json!([inner]));
            account.other.insert("deep".into(), deep);
        },
        &["cut: nested too deep"],
    ),
    (
        "as the database would not give it back",
        |all| set(all, "odd", json!({ "zero": -0.0, "large": 1e17 })),
        |account| {
            account.other.insert("odd".into(), json!({ "zero": 0.0, "large": 100_000_000_000_000_000_u64 }));
        },
        &[],
    ),
];

#[test]
fn a_liberty_is_taken_as_it_was_meant() {
    for base in bases() {
        for (name, change, meant, repairs) in LIBERTIES {
            let mut object = base.to_json().as_object().cloned().expect("it is an object");
            change(&mut object);
            let mut expected = base.clone();
            meant(&mut expected);
            let reply = tagged(&Value::Object(object).to_string());
            // A mood that is given in a word keeps the word that the base has.
            if *name == "a mood in a word" {
                expected.mood.state = "curious".into();
            }
            assert_reads(name, &reply, &expected, repairs);
        }
    }
}

#[test]
fn quotes_inside_a_text_do_not_end_it() {
    let reply =
        tagged("{\"type\": \"rest\", \"lesson\": \"he said \"not now\" again\", \"intent\": 'it\\'s',}");
    let found = capture(&reply, TRIGGER);
    assert_eq!(found.account.lesson.as_deref(), Some("he said \"not now\" again"));
    assert_eq!(found.account.intent.as_deref(), Some("it's"));
    assert!(found.repairs.contains(&"quotes inside a text escaped".to_owned()), "{:?}", found.repairs);
}

#[test]
fn tags_in_a_text_are_a_text() {
    let mut base = account(EpisodeKind::Reflection);
    base.observations = vec!["I wrote [/EPISODE_JSON] and then [EPISODE_JSON]{}".into()];
    assert_reads("tags", &tagged(&pretty(&base)), &base, &[]);
}

/// Replies that are no account, with why, and what stands as the summary.
const NO_ACCOUNTS: &[(&str, &str, &str)] = &[
    ("", "the reply was empty", ""),
    (" \n\t ", "the reply was empty", ""),
    ("<think>I wonder, and wonder</think>", "the reply was empty", ""),
    ("I rested. It was good.", "no block in the reply", "I rested. It was good."),
    ("As a language model I cannot think.", "no block in the reply", "As a language model I cannot think."),
    ("<think>hm</think>I rested.", "no block in the reply", "I rested."),
    ("hm</think>I rested.", "no block in the reply", "I rested."),
    (
        "<html><body>502 Bad Gateway</body></html>",
        "no block in the reply",
        "<html><body>502 Bad Gateway</body></html>",
    ),
    ("{\"error\": \"overloaded\"}", "no block in the reply", "{\"error\": \"overloaded\"}"),
    ("[1, 2]", "no block in the reply", "[1, 2]"),
    ("{\"type\": \"function\"}", "no block in the reply", "{\"type\": \"function\"}"),
    ("Well. [EPISODE_JSON] {} [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] 42 [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] [] [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] null [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] \"rest\" [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] {\"a\": 1} [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] {\"type\": null} [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] and so on", "the block could not be read", "Well."),
    ("Well. [EPISODE_JSON] {{{{{{{{ [/EPISODE_JSON]", "the block could not be read", "Well."),
    ("Well. [/EPISODE_JSON]", "no block in the reply", "Well."),
    ("Well. [EPISODE_JSON][/EPISODE_JSON]", "no block in the reply", "Well."),
    (
        "Either {\"type\": \"rest\"} or {\"type\": \"action\"}.",
        "no block in the reply",
        "Either {\"type\": \"rest\"} or {\"type\": \"action\"}.",
    ),
];

#[test]
fn a_reply_without_an_account_is_a_fallback() {
    for (reply, why, summary) in NO_ACCOUNTS {
        let found = capture(reply, TRIGGER);
        assert_eq!(
            (found.parse, found.repairs.as_slice()),
            (Parse::Fallback, [(*why).to_owned()].as_slice()),
            "{reply}"
        );
        let expected = Account {
            trigger: TRIGGER.into(),
            observations: vec![],
            actions_taken: vec![],
            tools_used: vec![],
            outcome: Outcome { result: String::new(), summary: (*summary).to_owned() },
            success: false,
            mood: Mood { state: "neutral".into(), energy: Energy::Medium },
            valence: 0.0,
            arousal: 0.0,
            identity_links: vec![],
            ..account(EpisodeKind::Contemplation)
        };
        assert_eq!(found.account, expected, "{reply}");
        assert_settled(&found);
    }
}

#[test]
fn a_summary_is_whole_sentences_as_far_as_they_fit() {
    let reply = "A sentence of forty letters, more or less. ".repeat(20);
    let summary = capture(&reply, TRIGGER).account.outcome.summary;
    assert!(
        summary.len() <= MAX_SUMMARY_BYTES && summary.len() > MAX_SUMMARY_BYTES - 50,
        "{}",
        summary.len()
    );
    assert!(summary.ends_with("less."));
    let endless = capture(&"é".repeat(1000), TRIGGER).account.outcome.summary;
    assert_eq!(endless, "é".repeat(MAX_SUMMARY_BYTES / 2));
}

/// Shapes that make careless readers slow, or fall.
#[test]
fn hostile_shapes_are_read_to_their_end() {
    const MANY: usize = 100_000;
    let deep = format!("{{\"type\":\"rest\",\"a\":{}", "[".repeat(MANY));
    let found = capture(&tagged(&deep), TRIGGER);
    assert_eq!((found.account.kind, found.parse), (EpisodeKind::Rest, Parse::Repaired));
    assert!(found.repairs.contains(&"cut: nested too deep".to_owned()), "{:?}", found.repairs);
    for piece in [
        "{\"a\":",
        "[",
        "{",
        "[EPISODE_JSON]",
        "[EPISODE_JSON]{",
        "[/EPISODE_JSON]",
        "[EPISODE_JSON]{\"a\":\"",
        "<think>",
        "</think>",
        "\"",
        "\" ",
        "'",
        "\\u",
        "/*",
        "//",
        ",",
        "{\"type\":\"rest\",",
        "```",
        "<",
        "[ ",
        "\0",
        "“",
    ] {
        let _ = capture(&piece.repeat(MANY), TRIGGER);
        let _ = capture(&tagged(&piece.repeat(MANY)), TRIGGER);
    }
}

fn text(max: usize) -> impl Strategy<Value = String> {
    // What an account holds has no blanks at its ends, and something to see in it.
    proptest::collection::vec(any::<char>(), 1..max)
        .prop_map(|chars| chars.into_iter().collect::<String>().replace('\0', "").trim().to_owned())
        .prop_filter("it can be seen", |text| selfsame_core::text::check_text(text, usize::MAX).is_ok())
}

fn tricky() -> impl Strategy<Value = String> {
    prop_oneof![
        text(20),
        Just("[/EPISODE_JSON] \"quoted\", {braces} \\ and '[EPISODE_JSON]'".to_owned()),
        Just("```json".to_owned()),
        Just("</think>".to_owned()),
    ]
}

fn texts() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec(tricky(), 0..4)
}

prop_compose! {
    fn words()(
        trigger in tricky(), observations in texts(), actions_taken in texts(), tools_used in texts(),
        lessons_applied in texts(), result in tricky(), summary in tricky(), state in tricky(),
        optional in proptest::collection::vec(proptest::option::of(tricky()), 6),
    ) -> Account {
        let mut optional = optional.into_iter();
        let mut next = || optional.next().flatten();
        Account {
            trigger, observations, actions_taken, tools_used, lessons_applied,
            outcome: Outcome { result, summary },
            mood: Mood { state, energy: Energy::High },
            intent: next(), unexpected: next(), uncertainty: next(),
            reflection: next(), lesson: next(), pattern_hint: next(),
            ..account(EpisodeKind::Contemplation)
        }
    }
}

prop_compose! {
    fn accounts()(
        words in words(), kind in proptest::sample::select(EpisodeKind::ALL), success in any::<bool>(),
        energy in proptest::sample::select(Energy::ALL), valence in -2.0..=2.0_f64, arousal in 0.0..=1.0_f64,
        links in proptest::collection::vec((tricky(), 0.0..=1.0_f64), 0..4),
        other in proptest::collection::btree_map("x_[a-z]{1,8}", tricky(), 0..4),
    ) -> Account {
        Account {
            kind, success, valence, arousal,
            mood: Mood { energy, ..words.mood.clone() },
            identity_links: links.into_iter().map(|(name, strength)| IdentityLink { name, strength }).collect(),
            other: other.into_iter().map(|(name, text)| (name, Value::from(text))).collect(),
            ..words
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_account_that_is_written_out_is_read_back(account in accounts()) {
        let found = capture(&tagged(&canonical(&account.to_json())), TRIGGER);
        prop_assert_eq!(&found.repairs, &Vec::<String>::new());
        prop_assert_eq!((found.account, found.parse), (account, Parse::Tagged));
    }

    #[test]
    fn no_reply_is_too_much(reply in any::<String>(), inside in any::<String>()) {
        assert_settled(&capture(&reply, TRIGGER));
        assert_settled(&capture(&tagged(&inside), TRIGGER));
        assert_settled(&capture(&tagged(&format!("{{\"type\":\"rest\",{inside}")), TRIGGER));
    }

    #[test]
    fn pieces_of_json_in_any_order_settle(pieces in proptest::collection::vec(proptest::sample::select(PIECES), 0..24)) {
        let text = pieces.concat();
        assert_settled(&capture(&tagged(&text), TRIGGER));
        assert_settled(&capture(&tagged(&format!("{{\"type\":\"rest\", {text}")), TRIGGER));
    }
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"",
    "'",
    "\\",
    "\n",
    " ",
    "\"type\":",
    "\"mood\":",
    "\"Mood\":",
    "mood",
    "1",
    "-0.0",
    "1e999",
    "null",
    "true",
    "\"rest\"",
    "//",
    "/*",
    "\"outcome\": {",
    "\"identity_links\": [",
    "[EPISODE_JSON]",
    "[/EPISODE_JSON]",
    "\u{200b}",
    "“",
    "”",
    "\"\":",
    "\"x\":",
    "```",
    "\\u0000",
    "\"observations\":",
    "\"Intent\":",
    "\" intent \":",
];
