//! A secret in what is asked is masked at the door, and the reply says so.

use crate::house::{House, REMEMBER};
use serde_json::json;

const FORGET: &str = "/v1/agents/main/forget";

/// Over HTTP the reply names the kind, and a question is not touched.
#[test]
fn the_reply_names_what_was_masked() {
    let house = House::open();
    let said =
        json!({ "content": "the key is AKIAIOSFODNN7EXAMPLE and ghp_1234567890abcdefghijABCDEFGHIJ123456" });
    let reply = house.ask("POST", REMEMBER).json(&said).send().json();
    assert_eq!(reply["masked"], json!(["aws key", "github token"]));
    let memory = house.ask("GET", &format!("{REMEMBER}/{}", reply["id"].as_str().unwrap())).send().json();
    assert_eq!(memory["content"], "the key is [secret: aws key] and [secret: github token]");
    let plain = house.ask("POST", REMEMBER).json(&json!({ "content": "tea is warm" })).send().json();
    assert_eq!(plain.get("masked"), None);
}

/// The token of a dry run looks like a secret and is none: it comes back as it was given, or a query could never be forgotten.
#[test]
fn what_was_looked_at_can_be_forgotten_by_its_token() {
    let house = House::open();
    let kept =
        house.ask("POST", REMEMBER).json(&json!({ "content": "the zanzibarium opens at noon" })).send();
    let place = format!("{REMEMBER}/{}", kept.json()["id"].as_str().unwrap());
    let ask = |request: serde_json::Value| house.ask("POST", FORGET).json(&request).send().json();
    let looked = ask(json!({ "query": "zanzibarium", "dry_run": true }));
    let done = ask(json!({ "query": "zanzibarium", "token": looked["token"] }));
    assert_eq!((&done["outcome"], done.get("masked")), (&json!("forgotten"), None), "{done}");
    assert!(!house.ask("GET", &place).send().json().to_string().contains("zanzibarium"));
}
