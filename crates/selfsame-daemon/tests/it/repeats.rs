//! Requests that come again: one effect, one answer.

use crate::house::{House, REMEMBER, Reply};
use serde_json::{Value, json};
use std::sync::Barrier;

const FORGET: &str = "/v1/agents/main/forget";

fn post(house: &House, path: &str, key: &str, body: &Value) -> Reply {
    house.ask("POST", path).header("idempotency-key", key).json(body).send()
}

/// Sends the same request many times at once, and gives the different answers.
fn at_once(house: &House, times: usize, path: &str, key: &str, body: &Value) -> Vec<(u16, Value)> {
    let together = Barrier::new(times);
    let mut answers: Vec<(u16, Value)> = std::thread::scope(|scope| {
        let senders: Vec<_> = (0..times)
            .map(|_| {
                scope.spawn(|| {
                    together.wait();
                    let reply = post(house, path, key, body);
                    (reply.status, reply.json())
                })
            })
            .collect();
        senders.into_iter().map(|sender| sender.join().unwrap()).collect()
    });
    answers.dedup();
    answers
}

#[test]
fn the_same_request_again_gets_the_first_answer() {
    let house = House::open();
    let body = json!({ "content": "sent twice, meant once" });
    let first = post(&house, REMEMBER, "key-1", &body);
    assert_eq!(first.status, 200, "{first:?}");
    let second = post(&house, REMEMBER, "key-1", &body);
    assert_eq!((first.status, first.json()), (second.status, second.json()));
    assert_eq!(house.memories(), 1);
}

#[test]
fn the_order_of_fields_does_not_make_another_request() {
    let house = House::open();
    let bodies = [r#"{"content":"sent twice","type":"plan"}"#, r#"{"type":"plan","content":"sent twice"}"#];
    let answers = bodies.map(|body| {
        let ask = house.ask("POST", REMEMBER).header("idempotency-key", "key-1");
        let reply = ask.body("application/json", body.as_bytes()).send();
        (reply.status, reply.json())
    });
    assert_eq!(answers[0].0, 200, "{answers:?}");
    assert_eq!(answers[0], answers[1]);
}

#[test]
fn another_request_under_the_same_key_is_a_mistake() {
    let house = House::open();
    assert_eq!(post(&house, REMEMBER, "key-1", &json!({ "content": "one" })).status, 200);
    let other = post(&house, REMEMBER, "key-1", &json!({ "content": "another" }));
    assert_eq!((other.status, other.code().as_str()), (422, "idempotency_mismatch"));
    assert_eq!(house.memories(), 1);
}

#[test]
fn another_key_is_another_request() {
    let house = House::open();
    let body = json!({ "content": "said twice" });
    let outcome = |key| post(&house, REMEMBER, key, &body).json()["outcome"].as_str().unwrap().to_owned();
    assert_eq!(["key-1", "key-2", "key-1", "key-2"].map(outcome), ["stored", "known", "stored", "known"]);
    assert_eq!(house.memories(), 1);
}

#[test]
fn a_request_that_failed_may_be_mended_under_its_key() {
    let house = House::open();
    assert_eq!(post(&house, REMEMBER, "key-1", &json!({ "content": "" })).status, 400);
    assert_eq!(post(&house, REMEMBER, "key-1", &json!({ "content": "mended" })).status, 200);
}

#[test]
fn twenty_at_once_have_one_effect_and_one_answer() {
    let house = House::open();
    let answers = at_once(&house, 20, REMEMBER, "key-1", &json!({ "content": "sent by twenty" }));
    assert_eq!(answers.len(), 1, "{answers:?}");
    assert_eq!(answers[0].0, 200, "{answers:?}");
    assert_eq!(house.memories(), 1);
}

#[test]
fn forgetting_at_once_has_one_effect_and_one_answer() {
    let house = House::open();
    for round in 0..5 {
        let stored =
            post(&house, REMEMBER, &format!("store-{round}"), &json!({ "content": "to be forgotten" }));
        let body = json!({ "id": stored.json()["id"] });
        let answers = at_once(&house, 8, FORGET, &format!("forget-{round}"), &body);
        assert_eq!(answers.len(), 1, "{answers:?}");
        assert_eq!((answers[0].0, &answers[0].1["memories"]), (200, &json!(1)), "{answers:?}");
    }
    assert_eq!(house.memories(), 0);
}

#[test]
fn what_is_gone_cannot_be_forgotten_again_under_a_new_key() {
    let house = House::open();
    let stored = post(&house, REMEMBER, "store", &json!({ "content": "to be forgotten" }));
    let body = json!({ "id": stored.json()["id"] });
    assert_eq!(post(&house, FORGET, "first", &body).status, 200);
    for key in ["second", "second", "third"] {
        let again = post(&house, FORGET, key, &body);
        assert_eq!((again.status, again.code().as_str()), (410, "gone"));
    }
    // And the first key still has its first answer.
    assert_eq!(post(&house, FORGET, "first", &body).json()["memories"], 1);
}

/// Two agents' hosts count their requests from 1: one must not be taken for the other, nor hear of it.
#[test]
fn keys_of_two_agents_do_not_meet() {
    let house = House::open();
    house.agent("other");
    for agent in ["main", "other"] {
        let key = house.key(agent, Some(agent), "agent", &["read", "write"]);
        let reply = house
            .stranger("POST", &format!("/v1/agents/{agent}/memories"))
            .key(&key.secret)
            .header("idempotency-key", "1")
            .json(&json!({ "content": format!("first words of {agent}") }))
            .send();
        assert_eq!(reply.status, 200, "{agent}: {reply:?}");
    }
}

#[test]
fn a_key_that_cannot_be_one_is_refused() {
    let house = House::open();
    let body = json!({ "content": "x" });
    for key in [String::new(), "a".repeat(256), "tab\there".into()] {
        let reply = post(&house, REMEMBER, &key, &body);
        assert_eq!((reply.status, reply.code().as_str()), (400, "bad_idempotency_key"), "{key:?}");
    }
    let reply = post(&house, REMEMBER, "caf\u{e9}", &body);
    assert_eq!((reply.status, reply.code().as_str()), (400, "bad_header"));
    assert_eq!(house.memories(), 0);
    assert_eq!(post(&house, REMEMBER, &"a".repeat(255), &body).status, 200);
}
