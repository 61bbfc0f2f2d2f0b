//! Keys: who gets in, what they may do, and that a refusal tells a stranger nothing.

use crate::house::{House, RECALL, REMEMBER};
use selfsame::key::Scope;
use selfsame_daemon::operations::key::{RevokeKey, RevokeKeyRequest};
use selfsame_daemon::operations::{Entry, TABLE};
use selfsame_testkit::EVENTS;
use serde_json::json;

const ALL: [&str; 3] = ["read", "write", "admin"];

/// A path of the operation about an agent, with an id where one is due.
fn path_of(entry: &Entry, agent: &str) -> String {
    let id = match entry.name {
        "key_revoke" => "key_00000000000000000000000000",
        _ => "mem_00000000000000000000000000",
    };
    entry.route.path.replace("{agent}", agent).replace("{id}", id)
}

/// Every way not to have a good key.
fn bad_credentials(house: &House) -> Vec<(&'static str, Option<String>)> {
    let revoked = house.key("revoked", None, "operator", &ALL);
    let request = RevokeKeyRequest { id: revoked.key.id.clone() };
    house.backend().call::<RevokeKey>("", &request).unwrap();
    let good = house.operator();
    let bearer = |key: &str| Some(format!("Bearer {key}"));
    let (id, secret) = good.rsplit_once('_').unwrap();
    vec![
        ("no key", None),
        ("an empty one", bearer("")),
        ("no scheme", Some(good.to_owned())),
        ("another scheme", Some(format!("Basic {good}"))),
        ("no key at all", bearer("nonsense")),
        ("another prefix", bearer(&good.replacen("ssk", "sk", 1))),
        ("no secret", bearer(id)),
        ("an empty secret", bearer(&format!("{id}_"))),
        ("a wrong secret", bearer(&format!("{id}_{}", "0".repeat(secret.len())))),
        ("a secret too many", bearer(&format!("{good}0"))),
        ("an unknown id", bearer(&format!("ssk_{}_{secret}", "0".repeat(26)))),
        ("a revoked key", bearer(&revoked.secret)),
        ("a very long one", bearer(&"a".repeat(8000))),
        ("a list of two", bearer(&format!("{good}, {good}"))),
        ("letters that are no ASCII", bearer("ssk_\u{e9}")),
    ]
}

#[test]
fn without_a_good_key_every_route_says_the_same() {
    let house = House::open();
    let mut said = Vec::new();
    for (case, credentials) in bad_credentials(&house) {
        for entry in TABLE {
            let mut ask = house.stranger(entry.route.method.as_str(), &path_of(entry, "main"));
            if let Some(credentials) = &credentials {
                ask = ask.header("authorization", credentials);
            }
            let reply = ask.send();
            assert_eq!(reply.status, 401, "{case} at {}: {reply:?}", entry.name);
            assert_eq!(reply.code(), "unauthenticated", "{case} at {}", entry.name);
            assert_eq!(reply.header("www-authenticate"), Some("Bearer"), "{case}");
            said.push((case, entry.name, reply.without_request_id()));
        }
    }
    let first = said[0].2.clone();
    for (case, operation, body) in said {
        assert_eq!(body, first, "{case} at {operation}");
    }
}

type Headers = &'static [(&'static str, &'static str)];

/// What is no operation of the table: its method, its path, and what else a client of it sends.
const BESIDE_THE_TABLE: [(&str, &str, Headers); 6] = [
    ("GET", "/metrics", &[]),
    (
        "POST",
        "/mcp",
        &[("accept", "application/json, text/event-stream"), ("content-type", "application/json")],
    ),
    ("GET", "/mcp", &[("accept", "text/event-stream")]),
    ("DELETE", "/mcp", &[]),
    ("GET", EVENTS, &[("accept", "text/event-stream")]),
    (
        "GET",
        EVENTS,
        &[
            ("connection", "upgrade"),
            ("upgrade", "websocket"),
            ("sec-websocket-version", "13"),
            ("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ=="),
        ],
    ),
];

#[test]
fn what_is_no_operation_needs_a_key_as_well() {
    let house = House::open();
    for (case, credentials) in bad_credentials(&house) {
        for (method, path, headers) in BESIDE_THE_TABLE {
            let mut ask = house.stranger(method, path);
            for (name, value) in headers.iter().copied() {
                ask = ask.header(name, value);
            }
            if let Some(credentials) = &credentials {
                ask = ask.header("authorization", credentials);
            }
            let reply = ask.send();
            assert_eq!(reply.status, 401, "{case} at {method} {path}: {reply:?}");
            assert!(
                reply.text.contains(r#""code":"unauthenticated""#),
                "{case} at {method} {path}: {reply:?}"
            );
        }
        // Health is for everybody, but whoever shows a key shows a good one.
        if let Some(credentials) = credentials.filter(|shown| shown.starts_with("Bearer ")) {
            let reply = house.stranger("GET", "/readyz").header("authorization", &credentials).send();
            assert_eq!(reply.status, 401, "{case} at /readyz");
        }
    }
}

/// Every address that answers a stranger; whatever is added stands here or needs a key.
#[test]
fn a_stranger_is_shown_health_the_description_of_the_door_and_static_files() {
    let house = House::open();
    let public =
        ["/healthz", "/readyz", "/openapi.json", "/docs", "/docs/page.js", "/docs/page.css", "/dashboard"];
    for path in public {
        assert_eq!(house.stranger("GET", path).send().status, 200, "{path}");
    }
    // Whether one is in, which says nothing of any mind.
    assert_eq!(house.stranger("GET", "/dashboard/session").send().json(), json!({ "open": false }));
    for path in ["/dashboard/code", "/dashboard/close"] {
        assert_eq!(house.stranger("POST", path).send().status, 404, "{path}");
    }
    let said = house.stranger("GET", "/readyz").send().json();
    assert!(said.get("troubles").is_none(), "{said}");
}

/// What stands in an address stands in logs, histories and proxies, so a key that stands there is none.
#[test]
fn a_key_in_an_address_opens_nothing() {
    let house = House::open();
    let good = house.operator();
    let ways = ["key", "access_token", "token", "api_key", "authorization"];
    for way in ways {
        for entry in TABLE {
            let path = format!("{}?{way}={good}", path_of(entry, "main"));
            let reply = house.stranger(entry.route.method.as_str(), &path).send();
            assert_eq!(
                (reply.status, reply.code().as_str()),
                (401, "unauthenticated"),
                "{way} at {}",
                entry.name
            );
            assert!(!reply.text.contains(good), "{way} at {}: {reply:?}", entry.name);
        }
        for (method, path, headers) in BESIDE_THE_TABLE {
            let ask = house.stranger(method, &format!("{path}?{way}={good}"));
            let ask = headers.iter().fold(ask, |ask, (name, value)| ask.header(name, value));
            let reply = ask.send();
            assert_eq!(reply.status, 401, "{way} at {method} {path}: {reply:?}");
            assert!(!reply.text.contains(good), "{way} at {method} {path}: {reply:?}");
        }
    }
    let named = house.stranger("GET", "/v1/agents").header("cookie", &format!("key={good}")).send();
    assert_eq!(named.status, 401);
}

#[test]
fn a_stranger_does_not_learn_what_is_wrong_with_a_body() {
    let house = House::open();
    for body in ["", "{", r#"{"content": "x"}"#, r#"{"nonsense": 1}"#] {
        let ask = house.stranger("POST", REMEMBER).key("ssk_wrong");
        let reply = ask.body("application/json", body.as_bytes()).send();
        assert_eq!((reply.status, reply.code().as_str()), (401, "unauthenticated"), "{body}");
    }
    let reply = house.stranger("POST", REMEMBER).key("ssk_wrong").body("text/plain", b"x").send();
    assert_eq!((reply.status, reply.code().as_str()), (401, "unauthenticated"));
}

#[test]
fn a_revoked_key_is_refused_from_the_next_request_on() {
    let house = House::open();
    let key = house.key("short-lived", None, "operator", &ALL);
    let ask = || house.stranger("GET", "/v1/agents").key(&key.secret).send();
    assert_eq!(ask().status, 200);
    let revoke = || house.ask("DELETE", &format!("/v1/keys/{}", key.key.id)).send();
    assert_eq!(revoke().json()["outcome"], "revoked");
    assert_eq!(ask().status, 401);
    assert_eq!(revoke().json()["outcome"], "already_revoked");
}

#[test]
fn every_operation_needs_its_scope() {
    let house = House::open();
    for needed in [Scope::Read, Scope::Write, Scope::Admin] {
        let others: Vec<&str> = ALL.into_iter().filter(|scope| *scope != needed.as_str()).collect();
        let key = house.key("limited", None, "operator", &others);
        for entry in TABLE.iter().filter(|entry| entry.scope == needed) {
            let ask = house.stranger(entry.route.method.as_str(), &path_of(entry, "main"));
            let reply = ask.key(&key.secret).send();
            assert_eq!((reply.status, reply.code().as_str()), (403, "missing_scope"), "{}", entry.name);
            let names_it = format!("scope {}", needed.as_str());
            assert!(reply.text.contains(&names_it), "{}: {}", entry.name, reply.text);
        }
    }
}

#[test]
fn a_scope_is_enough_for_its_operations() {
    let house = House::open();
    for scope in [Scope::Read, Scope::Write, Scope::Admin] {
        let key = house.key("one scope", None, "operator", &[scope.as_str()]);
        let own = house.key("the agent's own", None, "agent", &[scope.as_str()]);
        for entry in TABLE.iter().filter(|entry| entry.scope == scope) {
            let ask = house.stranger(entry.route.method.as_str(), &path_of(entry, "main"));
            // Nobody else takes care of an agent, whatever their scopes.
            let key = if entry.name == "self_care" { &own } else { &key };
            let reply = ask.key(&key.secret).send();
            assert!(![401, 403].contains(&reply.status), "{}: {reply:?}", entry.name);
        }
    }
}

/// Of these the other agent exists and the missing one does not: nobody may see the difference.
#[test]
fn another_agent_looks_like_a_missing_one() {
    let house = House::open();
    house.agent("other");
    let other_id = house.ask("GET", "/v1/agents/other").send().json()["id"].as_str().unwrap().to_owned();
    for voice in ["operator", "principal", "agent", "host"] {
        let key = house.key("bound", Some("main"), voice, &["read", "write"]);
        for entry in TABLE {
            if !entry.route.path.contains("{agent}") || entry.scope == Scope::Admin {
                continue;
            }
            let ask = |agent: &str| {
                let asked = house.stranger(entry.route.method.as_str(), &path_of(entry, agent));
                let reply = asked.key(&key.secret).send();
                assert_eq!(
                    (reply.status, reply.code().as_str()),
                    (404, "no_such_agent"),
                    "{voice} at {} of {agent}",
                    entry.name
                );
                reply.without_request_id().to_string().replace(agent, "AGENT")
            };
            let missing = ask("missing");
            assert_eq!(ask("other"), missing, "{voice} at {}", entry.name);
            assert_eq!(ask(&other_id), missing, "{voice} at {}", entry.name);
        }
    }
}

#[test]
fn a_bound_key_opens_its_own_agent() {
    let house = House::open();
    house.agent("other");
    let key = house.key("bound", Some("other"), "agent", &["read", "write"]);
    let path = "/v1/agents/other/memories";
    let stored = house
        .stranger("POST", path)
        .key(&key.secret)
        .json(&json!({ "content": "the other agent's own" }))
        .send();
    assert_eq!(stored.status, 200, "{stored:?}");
    let read = |path: String, key: &str| house.stranger("GET", &path).key(key).send();
    let id = stored.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(read(format!("{path}/{id}"), &key.secret).status, 200);
    // The id of one agent's memory is no memory of another's, whoever asks.
    let elsewhere = read(format!("{REMEMBER}/{id}"), house.operator());
    assert_eq!((elsewhere.status, elsewhere.code().as_str()), (404, "not_found"));
}

#[test]
fn a_bound_key_administers_nothing() {
    let house = House::open();
    let key = house.key("bound", Some("main"), "operator", &ALL);
    for entry in TABLE.iter().filter(|entry| entry.scope == Scope::Admin) {
        let ask = house.stranger(entry.route.method.as_str(), &path_of(entry, "main"));
        let reply = ask.key(&key.secret).send();
        assert_eq!((reply.status, reply.code().as_str()), (403, "missing_scope"), "{}", entry.name);
    }
}

#[test]
fn whose_words_they_are_follows_from_the_key() {
    let house = House::open();
    for (voice, author) in
        [("operator", "principal"), ("principal", "principal"), ("agent", "agent"), ("host", "agent")]
    {
        let key = house.key(voice, Some("main"), voice, &["read", "write"]);
        let content = json!({ "content": format!("told by a key of voice {voice}") });
        let stored = house.stranger("POST", REMEMBER).key(&key.secret).json(&content).send();
        assert_eq!(stored.status, 200, "{stored:?}");
        let id = stored.json()["id"].as_str().unwrap().to_owned();
        let memory = house.ask("GET", &format!("{REMEMBER}/{id}")).send().json();
        assert_eq!(memory["author"], author, "{voice}");
    }
}

/// The header that tells voices apart on the socket means nothing on the network.
#[test]
fn a_voice_is_not_chosen_by_a_header() {
    let house = House::open();
    let ask = house.stranger("GET", "/v1/agents").header("x-selfsame-speaks-as", "operator");
    assert_eq!(ask.send().status, 401);
    let key = house.key("reader", Some("main"), "agent", &["read"]);
    let ask = house.stranger("POST", REMEMBER).key(&key.secret);
    let reply = ask.header("x-selfsame-speaks-as", "operator").json(&json!({ "content": "x" })).send();
    assert_eq!(reply.status, 403, "{reply:?}");
}

#[test]
fn private_words_stay_with_who_said_them() {
    let house = House::open();
    let secret = json!({ "content": "the surprise party is on Friday", "private": true });
    let stored = house.ask("POST", REMEMBER).json(&secret).send();
    assert_eq!(stored.status, 200, "{stored:?}");
    let agent = house.key("agent", Some("main"), "agent", &["read", "write"]);
    let found = |key: &str| {
        let ask = house.stranger("POST", RECALL).key(key).json(&json!({ "query": "surprise party" }));
        ask.send().json()["hits"].as_array().unwrap().len()
    };
    assert_eq!(found(house.operator()), 1);
    assert_eq!(found(&agent.secret), 0);
    let path = format!("{REMEMBER}/{}", stored.json()["id"].as_str().unwrap());
    let reply = house.stranger("GET", &path).key(&agent.secret).send();
    assert_eq!((reply.status, reply.code().as_str()), (404, "not_found"));
}
