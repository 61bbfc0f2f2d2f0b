//! What happens, told while it happens: from where it is asked for, in order, to whoever may hear it, and to nobody longer.

use crate::house::{House, REMEMBER};
use crate::streams::{Stream, watch};
use selfsame_testkit::{EVENTS, Watcher, number};
use serde_json::{Value, json};
use std::time::Duration;
use tungstenite::Message;

fn remember(house: &House, content: &str) {
    let reply = house.ask("POST", REMEMBER).json(&json!({ "content": content })).send();
    assert_eq!(reply.status, 200, "{reply:?}");
}

/// The log as the list has it.
fn log(house: &House) -> Vec<Value> {
    let reply = house.ask("GET", &format!("{EVENTS}?limit=1000")).send();
    reply.json()["events"].as_array().unwrap().clone()
}

fn head(house: &House) -> i64 {
    house.ask("GET", &format!("{EVENTS}?limit=1")).send().json()["head"].as_i64().unwrap()
}

/// An event as the list has it.
fn bare(mut frame: Value) -> Value {
    assert_eq!(frame.as_object_mut().unwrap().remove("type"), Some("event".into()), "{frame}");
    frame
}

#[test]
fn a_socket_tells_what_happens_in_the_words_of_the_log() {
    let house = House::open();
    remember(&house, "Said before anybody watched.");
    let mut watcher = watch(&house, "");
    let before = head(&house);
    assert_eq!(watcher.next(), json!({ "type": "hello", "head": before }));
    remember(&house, "The demo is on Friday.");
    remember(&house, "The budget is 2000 euros.");
    let grown = head(&house);
    let told: Vec<Value> = (before..grown).map(|_| bare(watcher.next())).collect();
    assert_eq!(told, log(&house)[before as usize..]);
    assert!(told.iter().any(|event| event["act"] == "remembered"), "{told:?}");
}

#[test]
fn who_comes_back_gets_all_that_followed_first_from_the_log_and_then_as_it_happens() {
    let house = House::open();
    for number in 0..10 {
        remember(&house, &format!("Thing number {number} is in drawer {number}."));
    }
    let all = head(&house);
    let mut from_the_first = watch(&house, "?after=0");
    assert_eq!(from_the_first.next()["head"], all);
    assert_eq!(from_the_first.numbers(all as usize), (1..=all).collect::<Vec<_>>());
    let mut from_within = watch(&house, &format!("?after={}", all - 3));
    from_within.next();
    remember(&house, "And one while they watch.");
    let grown = head(&house);
    assert_eq!(from_within.numbers((grown - all + 3) as usize), (all - 2..=grown).collect::<Vec<_>>());
    assert_eq!(from_the_first.numbers((grown - all) as usize), (all + 1..=grown).collect::<Vec<_>>());
}

#[test]
fn a_number_of_another_log_is_not_taken_for_one_of_this() {
    let house = House::open();
    let head = head(&house);
    let mut watcher = watch(&house, &format!("?after={}", head + 1000));
    assert_eq!(watcher.next()["head"], head);
    assert_eq!(watcher.next(), json!({ "type": "resync", "after": head }));
    assert_eq!(watcher.frame().unwrap_err().unwrap().0, 4400);
    let mut stream = Stream::of(&house, &format!("?after={}", head + 1000), &[]);
    assert_eq!(stream.next().unwrap()["type"], "hello");
    assert_eq!(stream.next(), Some(json!({ "type": "resync", "after": head })));
    assert_eq!(stream.next(), None);
}

#[test]
fn a_stream_tells_the_same_and_takes_up_where_a_browser_was() {
    let house = House::open();
    remember(&house, "Said before anybody watched.");
    let before = head(&house);
    let mut stream = Stream::of(&house, "?after=0", &[]);
    assert_eq!(stream.next(), Some(json!({ "type": "hello", "head": before })));
    let told: Vec<Value> = (0..before).map(|_| bare(stream.next().unwrap())).collect();
    assert_eq!(told, log(&house));
    assert_eq!(stream.last_id, Some(before.to_string()));
    drop(stream);
    remember(&house, "Said while nobody watched.");
    let mut again = Stream::of(&house, "", &[("last-event-id", &before.to_string())]);
    again.next();
    assert_eq!(number(&again.next().unwrap()), before + 1);
}

#[test]
fn who_may_not_read_does_not_watch() {
    let house = House::open();
    house.agent("other");
    let (address, operator) = (house.address(), house.operator());
    let of_other = house.key("bound", Some("other"), "agent", &["read", "write"]).secret;
    let writer = house.key("writer", None, "operator", &["write"]).secret;
    let refused = |key: &str, path: &str| Watcher::with(address, key, path).err();
    assert_eq!(refused("ssk_nobody_at_all", EVENTS), Some(401));
    assert_eq!(refused(&of_other, EVENTS), Some(404), "another's agent is not there");
    assert_eq!(refused(&writer, EVENTS), Some(403));
    assert_eq!(refused(operator, "/v1/agents/nobody/events"), Some(404));
    for query in ["?after=-1", "?after=x", "?before=1", "?after=9999999999999999999"] {
        assert_eq!(refused(operator, &format!("{EVENTS}{query}")), Some(400), "{query}");
    }
    assert_eq!(refused("ssk_nobody_at_all", &format!("{EVENTS}?after=x")), Some(401), "not what is wrong");
    let foreign =
        house.ask("GET", EVENTS).header("accept", "text/event-stream").header("origin", "http://evil");
    assert_eq!(foreign.send().status, 403);
}

#[test]
fn a_revoked_key_closes_its_sockets_at_once_and_no_others() {
    // Long enough that no ping and no look by the clock can be what closes it.
    let house = House::with(|settings| settings.server.ping = Duration::from_secs(3600));
    let key = house.key("guest", Some("main"), "agent", &["read"]);
    let mut sockets: Vec<Watcher> =
        (0..3).map(|_| Watcher::with(house.address(), &key.secret, EVENTS).unwrap()).collect();
    let mut other = watch(&house, "");
    other.next();
    for socket in &mut sockets {
        socket.next();
    }
    let revoked = house.ask("DELETE", &format!("/v1/keys/{}", key.key.id)).send();
    assert_eq!(revoked.status, 200, "{revoked:?}");
    for socket in &mut sockets {
        assert_eq!(socket.frame().unwrap_err().unwrap().0, 4401);
    }
    remember(&house, "The operator still watches.");
    assert_eq!(other.next()["type"], "event");
    assert_eq!(Watcher::with(house.address(), &key.secret, EVENTS).err(), Some(401));
}

#[test]
fn nothing_is_to_be_sent_and_whoever_does_is_told_so_while_others_go_on() {
    let house = House::open();
    let mut other = watch(&house, "");
    other.next();
    let big = "x".repeat(100 << 10);
    let wrong = [
        (Message::text("not json"), 1003),
        (Message::text(r#"{"type":"subscribe"}"#), 1008),
        (Message::binary(vec![1, 2, 3]), 1003),
        (Message::text(big), 1009),
    ];
    for (message, code) in wrong {
        let mut watcher = watch(&house, "");
        watcher.next();
        let said = format!("{message:.40?}");
        // The daemon may have had enough before all is sent.
        let _ = watcher.socket.send(message);
        assert_eq!(watcher.frame().unwrap_err().map(|(code, _)| code), Some(code), "{said}");
    }
    let mut flood = watch(&house, "");
    flood.next();
    for _ in 0..2000 {
        if flood.socket.send(Message::Ping(vec![7].into())).is_err() {
            break;
        }
    }
    assert_eq!(flood.frame().unwrap_err().map(|(code, _)| code), Some(1008));
    remember(&house, "Nobody else noticed.");
    assert_eq!(other.next()["type"], "event");
}

#[test]
fn who_does_not_answer_is_taken_for_gone() {
    // Long enough for one who reads to answer in time, however busy the machine is.
    let house = House::with(|settings| settings.server.ping = Duration::from_secs(1));
    let mut silent = watch(&house, "");
    silent.next();
    let mut talking = watch(&house, "");
    talking.next();
    // Reading is what answers a ping; the silent one does nothing until it is closed.
    talking.socket.get_ref().set_read_timeout(Some(Duration::from_millis(20))).unwrap();
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while open(&house) > 1 {
        assert!(std::time::Instant::now() < until, "the silent one is still there");
        let _ = talking.socket.read();
    }
    talking.socket.get_ref().set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    remember(&house, "The one that answers is still told.");
    assert_eq!(talking.next()["type"], "event");
    let (events, resync, code) = silent.to_the_end();
    assert_eq!((events.len(), resync.is_some(), code), (0, true, Some(1013)));
}

fn open(house: &House) -> u64 {
    metric(house, "selfsame_streams_open")
}

fn metric(house: &House, name: &str) -> u64 {
    let text = house.ask("GET", "/metrics").send().text;
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

#[test]
fn a_daemon_that_stops_says_goodbye_to_all_who_watch() {
    let mut house = House::open();
    let mut watcher = watch(&house, "");
    watcher.next();
    let mut stream = Stream::of(&house, "", &[]);
    stream.next();
    house.tell_to_stop();
    assert_eq!(watcher.frame().unwrap_err().unwrap().0, 1001);
    assert_eq!(stream.next(), None);
    assert_eq!(house.wait(), Ok(()));
}

#[test]
fn more_streams_than_allowed_are_turned_away_and_come_in_when_one_leaves() {
    let house = House::with(|settings| settings.server.max_streams = 2);
    let first = watch(&house, "");
    let _second = Stream::of(&house, "", &[]);
    assert_eq!(Watcher::with(house.address(), house.operator(), EVENTS).err(), Some(503));
    drop(first);
    let until = std::time::Instant::now() + Duration::from_secs(20);
    while Watcher::with(house.address(), house.operator(), EVENTS).is_err() {
        assert!(std::time::Instant::now() < until, "a place is free");
    }
}

#[test]
fn an_episode_tells_how_it_felt_to_those_who_may_see_it() {
    let house = House::open();
    let mut watcher = watch(&house, "");
    watcher.next();
    remember(&house, "The demo is on Friday and I want it to go well.");
    let thought = house.ask("POST", "/v1/agents/main/contemplate").json(&json!({})).send();
    assert_eq!(thought.status, 200, "{thought:?}");
    let episode = &thought.json()["episode"];
    let told = loop {
        let frame = watcher.next();
        if frame["act"] == "thought" {
            break frame;
        }
        assert_eq!(frame.get("detail"), None, "{frame}");
    };
    assert_eq!(told["subject"], episode["id"]);
    let felt = &episode["episode"];
    assert_eq!(
        told["detail"],
        json!({
            "mood": felt["mood"]["state"],
            "energy": felt["mood"]["energy"],
            "valence": felt["valence"],
            "arousal": felt["arousal"],
            "identity_links": felt["identity_links"],
        })
    );
}
