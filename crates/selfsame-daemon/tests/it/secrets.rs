//! A secret in what is asked is masked at the door, and the reply says so.

use crate::house::{House, REMEMBER};
use serde_json::json;

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
