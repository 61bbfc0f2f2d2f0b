//! MCP over HTTP: who may come in, and for how long.

use crate::house::{Ask, House};
use serde_json::{Value, json};

fn ask(house: &House, method: &str, params: &Value) -> Ask {
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    house.ask("POST", "/mcp").json(&body).header("accept", "application/json, text/event-stream")
}

fn hello(house: &House) -> Ask {
    let client = json!({ "name": "somebody", "version": "1" });
    let params = json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client });
    ask(house, "initialize", &params)
}

#[test]
fn only_who_has_a_key_and_comes_from_here_is_answered() {
    let house = House::open();
    let welcome = hello(&house).send();
    assert_eq!(welcome.status, 200, "{welcome:?}");
    assert!(welcome.text.contains(r#""protocolVersion":"2025-11-25""#), "{welcome:?}");
    assert_eq!(hello(&house).without("authorization").send().status, 401);
    assert_eq!(hello(&house).key("ssk_nobody").send().status, 401);
    assert_eq!(hello(&house).header("origin", "https://evil.example").send().status, 403);
    assert_eq!(hello(&house).header("origin", "null").send().status, 403);
    assert_eq!(hello(&house).without("host").header("host", "evil.example").send().status, 403);
}

#[test]
fn a_revoked_key_calls_no_tool_any_more() {
    let house = House::open();
    let key = house.key("guest", Some("main"), "agent", &["read", "write"]);
    let params = json!({ "name": "remember", "arguments": { "content": "Said by a guest." } });
    let remember = || ask(&house, "tools/call", &params).header("mcp-protocol-version", "2025-11-25");
    let stored = remember().key(&key.secret).send();
    assert_eq!(stored.status, 200, "{stored:?}");
    assert_eq!(house.memories(), 1);
    assert_eq!(house.ask("DELETE", &format!("/v1/keys/{}", key.key.id)).send().status, 200);
    assert_eq!(remember().key(&key.secret).send().status, 401);
    assert_eq!(house.memories(), 1);
}

#[test]
fn a_key_that_may_only_read_writes_nothing() {
    let house = House::open();
    let key = house.key("reader", Some("main"), "agent", &["read"]).secret;
    let params = json!({ "name": "remember", "arguments": { "content": "Said by a reader." } });
    let refused =
        ask(&house, "tools/call", &params).header("mcp-protocol-version", "2025-11-25").key(&key).send();
    assert!(refused.text.contains("scope"), "{refused:?}");
    assert_eq!(house.memories(), 0);
}
