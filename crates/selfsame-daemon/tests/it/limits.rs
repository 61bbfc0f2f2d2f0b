//! What one client may take from the others: nothing that they would notice.

use crate::house::{House, REMEMBER, connect};
use crate::streams::{Stream, watch};
use selfsame::config::ThinkerKind;
use selfsame_testkit::{Raw, number};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

#[test]
fn a_key_that_asks_too_often_is_told_when_to_come_back_and_others_are_not() {
    let house = House::with(|settings| (settings.server.rate, settings.server.burst) = (1, 5));
    let other = house.key("other", None, "operator", &["admin"]).secret;
    let ask = |key: &str| house.stranger("GET", "/v1/agents").key(key).send();
    // The first of a key that is not known yet is on strangers.
    let statuses: Vec<u16> = (0..12).map(|_| ask(house.operator()).status).collect();
    assert_eq!(statuses[..6], [200; 6]);
    assert!(statuses[6..].contains(&429), "{statuses:?}");
    let refused = loop {
        let reply = ask(house.operator());
        if reply.status == 429 {
            break reply;
        }
    };
    assert_eq!(refused.code(), "too_many_requests");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(ask(&other).status, 200, "somebody else's bucket");
    // As long as it was told to wait, and a little.
    std::thread::sleep(Duration::from_millis(1100));
    assert_eq!(ask(house.operator()).status, 200);
}

#[test]
fn guessing_at_keys_is_slow_and_slows_down_nobody() {
    let house = House::with(|settings| (settings.server.rate, settings.server.burst) = (10, 50));
    assert_eq!(house.ask("GET", "/v1/agents").send().status, 200);
    let guess = |number: usize| {
        let key = format!("ssk_01k6000000e008000000000000_{number:052}");
        house.stranger("GET", "/v1/agents").key(&key).send().status
    };
    let statuses: Vec<u16> = (0..300).map(guess).collect();
    assert!(statuses.iter().all(|status| [401, 429].contains(status)), "{statuses:?}");
    assert!(statuses.contains(&429), "300 guesses were all looked up");
    assert_eq!(house.ask("GET", "/v1/agents").send().status, 200);
}

/// Clients that began to send a head and go no further.
fn half_open(house: &House, count: usize) -> Vec<TcpStream> {
    let begin = |_| {
        let mut stream = connect(house.address());
        stream.write_all(b"GET /v1/agents HTTP/1.1\r\nhost: 127.0.0.1\r\nx-slow: ").unwrap();
        stream
    };
    (0..count).map(begin).collect()
}

#[test]
fn who_only_waits_makes_room_for_who_asks_and_never_the_other_way_round() {
    let house = House::with(|settings| settings.server.max_connections = 8);
    let mut stream = Stream::of(&house, "", &[]);
    stream.next();
    let mut socket = watch(&house, "");
    socket.next();
    let mut slow = half_open(&house, 40);
    for _ in 0..10 {
        assert_eq!(house.ask("GET", "/v1/agents").send().status, 200);
    }
    // The one that has waited longest is closed without a word.
    assert!(matches!(slow[0].read(&mut [0; 16]), Ok(0) | Err(_)), "it is still there");
    let reply = house.ask("POST", REMEMBER).json(&json!({ "content": "Those who watch still do." })).send();
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(number(&stream.next().unwrap()), number(&socket.next()));
    let metrics = house.ask("GET", "/metrics").send().text;
    assert!(!metrics.contains("selfsame_connections_refused_total 0\n"), "{metrics}");
}

#[test]
fn five_hundred_half_open_connections_hold_up_nobody() {
    let house = House::open();
    let _slow = half_open(&house, 500);
    for _ in 0..20 {
        assert_eq!(house.ask("GET", "/v1/agents").send().status, 200);
    }
}

#[test]
fn what_was_asked_is_counted_by_what_it_was_and_how_it_ended() {
    let house = House::open();
    for body in [json!({ "content": "Counted." }), json!({ "content": "Counted too." }), json!({})] {
        let _ = house.ask("POST", REMEMBER).json(&body).send();
    }
    let _ = house.stranger("GET", "/nowhere").send();
    // Those who have just left may not be gone yet.
    let metrics = || house.ask("GET", "/metrics").send().text;
    let alone = |text: &String| text.lines().any(|line| line == "selfsame_connections_open 1");
    let text = std::iter::repeat_with(metrics).take(500).find(alone).expect("the others leave");
    for line in [
        r#"selfsame_requests_total{operation="remember",status="200"} 2"#,
        r#"selfsame_requests_total{operation="remember",status="400"} 1"#,
        r#"selfsame_requests_total{operation="other",status="404"} 1"#,
        r#"selfsame_request_seconds_count{operation="remember"} 3"#,
        r#"selfsame_request_seconds_bucket{operation="remember",le="+Inf"} 3"#,
        "selfsame_queue_depth 0",
        "selfsame_streams_open 0",
        "selfsame_rate_limited_total 0",
    ] {
        assert!(text.lines().any(|known| known == line), "no {line} in {text}");
    }
    // Every line is one that a monitor can read.
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (_, value) = line.rsplit_once(' ').unwrap_or_else(|| panic!("{line}"));
        assert!(value.parse::<f64>().is_ok(), "{line}");
    }
}

#[test]
fn whoever_has_a_key_to_the_house_is_told_what_is_late_or_broken() {
    let house = House::open();
    let broken =
        "UPDATE duties SET state = 'dead', last_error = 'the broom is broken' WHERE kind = 'sweep_replies'";
    assert_eq!(Raw::sqlite(&house.database()).run(broken), Ok(1));
    let bare = house.stranger("GET", "/readyz").send();
    assert_eq!((bare.status, bare.json().get("troubles")), (200, None));
    let told = house.ask("GET", "/readyz").send().json();
    let troubles = told["troubles"].as_array().unwrap();
    assert_eq!(troubles.len(), 1, "{told}");
    let trouble = troubles[0].as_str().unwrap();
    assert!(
        trouble.starts_with(
            "duty sweep_replies was given up (the broom is broken): `selfsame duty requeue dut_"
        ),
        "{trouble}"
    );
    assert_eq!(house.stranger("GET", "/readyz").key("ssk_nobody").send().status, 401);
    let bound = house.key("bound", Some("main"), "agent", &["read"]).secret;
    assert_eq!(house.stranger("GET", "/readyz").key(&bound).send().status, 403);
}

#[test]
fn what_came_to_nothing_of_thinking_is_told_where_one_looks() {
    let house = House::with(|settings| settings.thinker.kind = ThinkerKind::Command);
    assert!(!house.ask("GET", "/readyz").send().text.contains("thought"), "nothing is wrong yet");
    let failed = house.ask("POST", "/v1/agents/main/contemplate").json(&json!({})).send().json();
    assert_eq!(failed["outcome"], "failed", "{failed}");
    let parked = "INSERT INTO work_items (agent_id, id, kind, thinker, state, about, cycle_id, seed, created_at, ready_at, token,
        attempts) SELECT agent_id, randomblob(16), 'review_inbox', thinker, 'parked', about, NULL, seed, created_at,
        ready_at + 86400000000, token, attempts FROM work_items";
    assert_eq!(Raw::sqlite(&house.database()).run(parked), Ok(1));
    let words = "1 thought given up in 7 days, 1 thought waits for another day's budget (`selfsame work list` says why)";
    let told = house.ask("GET", "/readyz").send().json();
    assert_eq!(told["troubles"], json!([format!("agent main: {words}")]));
    let status = house.ask("GET", "/v1/status").send().json();
    assert_eq!(status["agents"][0]["thinking"], json!({"dead": 1, "parked": 1}));
    let metrics = house.ask("GET", "/metrics").send().text;
    for line in ["selfsame_thinking_dead 1", "selfsame_thinking_parked 1"] {
        assert!(metrics.lines().any(|known| known == line), "no {line} in {metrics}");
    }
    let doctor = house.ask("POST", "/v1/agents/main/doctor").json(&json!({})).send().json();
    let check =
        doctor["checks"].as_array().unwrap().iter().find(|check| check["name"] == "thinking").unwrap();
    assert_eq!((&check["ok"], check["detail"].as_str()), (&json!(true), Some(words)));
}
