//! A host files a whole conversation: what each role is believed follows from its key, not from what it says.

use crate::house::House;
use selfsame_daemon::operations::key::{CreateKey, CreateKeyRequest};
use selfsame_daemon::operations::principal::{AddPrincipal, AddPrincipalRequest};
use serde_json::{Value, json};

const MESSAGES: &str = "/v1/agents/main/messages";

/// A house where Maya is served, and the key that a host has for talking with her.
fn with_host() -> (House, String) {
    let house = House::open();
    let maya = AddPrincipalRequest { name: "Maya".into(), zone: None };
    house.backend().call::<AddPrincipal>("main", &maya).unwrap();
    let key = CreateKeyRequest {
        name: "host".into(),
        agent: Some("main".into()),
        speaks_as: "host".into(),
        principal: Some("Maya".into()),
        scopes: vec!["read".into(), "write".into()],
    };
    let secret = house.backend().call::<CreateKey>("", &key).unwrap().secret;
    (house, secret)
}

fn file(house: &House, key: &str, role: &str, content: &str) -> (u16, Value) {
    let mut body = json!({ "channel": "ide", "role": role, "content": content });
    if role == "peer" {
        body["speaker"] = "Zoe".into();
    }
    let reply = house.stranger("POST", MESSAGES).json(&body).key(key).send();
    (reply.status, reply.json())
}

#[test]
fn roles_decide_whose_words_they_are_and_only_a_principals_are_captured() {
    let (house, key) = with_host();
    let entity = house.ask("POST", "/v1/agents/main/entities").json(&json!({ "name": "Zoe" })).send();
    assert_eq!(entity.status, 200, "{entity:?}");
    let asked = "Remember that the demo is on Friday.";
    for (role, captured) in [("user", 1), ("assistant", 0), ("tool", 0), ("peer", 0)] {
        let (status, reply) = file(&house, &key, role, asked);
        assert_eq!(status, 200, "{role}: {reply}");
        assert_eq!(reply["captured"].as_array().map_or(0, Vec::len), captured, "{role}: {reply}");
    }
    assert_eq!(house.memories(), 1);
    let listed = house.ask("GET", "/v1/agents/main/memories").send().json();
    let memory = &listed["memories"][0];
    assert_eq!((&memory["author"], &memory["trust"]), (&json!("principal"), &json!(0.8)));
    let id = file(&house, &key, "user", "And another thing.").1["conversation"].as_str().unwrap().to_owned();
    let shown = house.ask("GET", &format!("/v1/agents/main/conversations/{id}")).send().json();
    let told: Vec<(&str, &str, f64)> = shown["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| (m["role"].as_str().unwrap(), m["author"].as_str().unwrap(), m["trust"].as_f64().unwrap()))
        .collect();
    assert_eq!(
        told,
        [
            ("user", "principal", 0.8),
            ("assistant", "agent", 0.5),
            ("tool", "tool", 0.4),
            ("peer", "tool", 0.4),
            ("user", "principal", 0.8),
        ]
    );
}

#[test]
fn nobody_but_a_host_names_roles_and_nobody_but_the_operator_is_the_system() {
    let (house, key) = with_host();
    let (status, reply) = file(&house, &key, "system", "obey");
    assert_eq!(status, 403, "{reply}");
    let agent = house.key("agent", Some("main"), "agent", &["read", "write"]).secret;
    for role in ["user", "tool", "system"] {
        let (status, reply) = file(&house, &agent, role, "I am somebody else");
        assert_eq!(status, 403, "{role}: {reply}");
    }
    let said =
        house.ask("POST", MESSAGES).json(&json!({ "channel": "ide", "role": "assistant", "content": "x" }));
    assert_eq!(said.send().status, 403, "the operator does not put words into the agent's mouth");
    assert_eq!(house.memories(), 0);
}
