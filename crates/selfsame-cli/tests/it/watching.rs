//! Those who watch what happens: a crowd of which most do not read, a daemon that is killed under them, and two daemons on
//! one server. What each was told is held against the log: in order, nothing left out, nothing twice.

use crate::cli::{World, wait_until};
use crate::crash::{Victim, send};
use crate::editor::Editor;
use crate::postgres::Database;
use selfsame_testkit::{EVENTS, Watcher, number};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Beyond what is under way to a client and what is held for all.
const ENOUGH: i64 = 256 + 1024 + 200;
/// What the daemon may grow by, whoever stands still in front of it.
const GROWTH: u64 = 64 << 20;

/// So many who do not read, and so many who do.
fn crowd() -> (usize, usize) {
    match std::env::var("SELFSAME_SOAK_SOCKETS") {
        Ok(_) => (1000, 100),
        Err(_) => (200, 20),
    }
}

fn watch(daemon: &Victim, query: &str) -> Watcher {
    let address: SocketAddr = daemon.address.parse().unwrap();
    Watcher::with(address, &daemon.key, &format!("{EVENTS}{query}")).unwrap()
}

fn post(daemon: &Victim, path: &str, body: &Value) -> Option<Value> {
    let path = format!("/v1/agents/main/{path}");
    let answer = send(&daemon.address, &daemon.key, "POST", &path, &body.to_string(), None)?;
    (answer.status == 200).then(|| serde_json::from_str(&answer.body).unwrap())
}

/// Something happens.
fn happen(daemon: &Victim, what: &str) {
    let added = post(daemon, "todos", &json!({ "title": what }));
    assert!(added.is_some(), "{what} was not added");
}

fn get(daemon: &Victim, path: &str) -> String {
    send(&daemon.address, &daemon.key, "GET", path, "", None).unwrap().body
}

fn head(daemon: &Victim) -> i64 {
    let log: Value = serde_json::from_str(&get(daemon, &format!("{EVENTS}?limit=1"))).unwrap();
    log["head"].as_i64().unwrap()
}

fn metric(daemon: &Victim, name: &str) -> u64 {
    let text = get(daemon, "/metrics");
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    value.unwrap_or_else(|| panic!("no {name} in {text}")).parse().unwrap()
}

/// Microseconds since an event happened, by our clock.
fn delay(frame: &Value) -> i64 {
    let at: selfsame::time::Time = frame["at"].as_str().unwrap().parse().unwrap();
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    now.as_micros() as i64 - at.micros()
}

fn percentiles(mut delays: Vec<i64>) -> String {
    delays.sort_unstable();
    let at = |part: f64| delays[((delays.len() - 1) as f64 * part) as usize] / 1000;
    format!("p50 {} ms, p99 {} ms, longest {} ms", at(0.5), at(0.99), at(1.0))
}

/// Reads until an event; gives all numbers in the order in which they came, and how long each was on its way.
fn follow(watcher: &mut Watcher, last: &AtomicI64) -> (Vec<i64>, Vec<i64>) {
    let (mut numbers, mut delays) = (Vec::new(), Vec::new());
    loop {
        let frame = watcher.next();
        numbers.push(number(&frame));
        delays.push(delay(&frame));
        if numbers.last() == Some(&last.load(Ordering::SeqCst)) {
            return (numbers, delays);
        }
    }
}

#[test]
fn those_who_read_keep_their_pace_whoever_stands_still() {
    let (stalled, live) = crowd();
    let world = World::with_mind().with("SELFSAME_SERVER_RATE", "0");
    let daemon = Victim::start(&world, None).unwrap();
    let start = head(&daemon);
    let alone = told_to(&daemon, live, 200);
    println!("{live} who read, alone: {}", percentiles(alone));
    let before = daemon.memory();
    daemon.forget_peak();
    let from = head(&daemon);
    let mut standing: Vec<Watcher> = (0..stalled).map(|_| watch(&daemon, "")).collect();
    for watcher in &mut standing {
        assert_eq!(watcher.next()["head"], from);
    }
    let beside = told_to(&daemon, live, ENOUGH as usize);
    let all = head(&daemon);
    println!("{live} who read, beside {stalled} who do not: {}", percentiles(beside));
    wait_until("nobody who stands still is waited for", || {
        (metric(&daemon, "selfsame_streams_open") == 0).then_some(())
    });
    assert_eq!(metric(&daemon, "selfsame_streams_dropped_total"), stalled as u64);
    // The most there ever was, and not what is left of it now that they are gone.
    let growth = daemon.peak().saturating_sub(before);
    println!("the daemon grew by {} KiB at most from {} KiB", growth >> 10, before >> 10);
    assert!(growth <= GROWTH, "the daemon grew by {growth} bytes");
    for watcher in &mut standing {
        let (numbers, resync, code) = watcher.to_the_end();
        assert!(numbers.len() <= 256, "{} events were under way to one who does not read", numbers.len());
        assert_eq!(numbers, (from + 1..=from + numbers.len() as i64).collect::<Vec<_>>());
        assert_eq!((resync, code), (numbers.last().copied(), Some(1013)));
    }
    // Who comes back with the number it was told has everything.
    let mut returned = watch(&daemon, &format!("?after={}", from + 256));
    returned.next();
    assert_eq!(returned.numbers((all - from - 256) as usize), (from + 257..=all).collect::<Vec<_>>());
    // Who comes from further back than anything is held has a full window at first, and is not taken for one who stands still.
    let mut whole = watch(&daemon, &format!("?after={start}"));
    std::thread::sleep(Duration::from_millis(300));
    whole.next();
    assert_eq!(whole.numbers((all - start) as usize), (start + 1..=all).collect::<Vec<_>>());
}

/// Lets so much happen while so many read: each of them gets all of it, in order. Gives how long events were on their way.
fn told_to(daemon: &Victim, live: usize, events: usize) -> Vec<i64> {
    let from = head(daemon);
    let last = AtomicI64::new(-1);
    let mut watchers: Vec<Watcher> = (0..live).map(|_| watch(daemon, "")).collect();
    for watcher in &mut watchers {
        assert_eq!(watcher.next()["head"], from);
    }
    let told = std::thread::scope(|scope| {
        let last = &last;
        let reading: Vec<_> =
            watchers.iter_mut().map(|watcher| scope.spawn(move || follow(watcher, last))).collect();
        std::thread::scope(|writers| {
            for writer in 0..4 {
                let share = events / 4;
                writers.spawn(move || {
                    for number in 0..share {
                        happen(daemon, &format!("{from}: errand {number} of {writer}"));
                    }
                });
            }
        });
        // The last one tells the readers where to stop: its number is known before it is there.
        last.store(head(daemon) + 1, Ordering::SeqCst);
        happen(daemon, &format!("{from}: the last errand"));
        reading.into_iter().map(|reader| reader.join().unwrap()).collect::<Vec<_>>()
    });
    let all: Vec<i64> = (from + 1..=last.into_inner()).collect();
    assert!(all.len() >= events, "{} events", all.len());
    told.into_iter()
        .flat_map(|(numbers, delays)| {
            assert_eq!(numbers, all, "somebody was told something else");
            delays
        })
        .collect()
}

/// Reads what comes until the connection breaks, and adds it.
fn read_on(watcher: &mut Watcher, numbers: &mut Vec<i64>) {
    while let Some(frame) = watcher.try_frame() {
        if frame["type"] == "event" {
            numbers.push(number(&frame));
        }
    }
}

#[test]
fn a_killed_daemon_loses_nothing_for_whoever_comes_back() {
    let world = World::with_mind();
    let mut numbers: Vec<i64> = Vec::new();
    let mut start = None;
    for life in 0..4 {
        let daemon = Victim::start(&world, None).unwrap();
        let start = *start.get_or_insert_with(|| head(&daemon));
        let seen = numbers.last().copied().unwrap_or(start);
        let mut watcher = watch(&daemon, &format!("?after={seen}"));
        std::thread::scope(|scope| {
            let reading = scope.spawn(|| read_on(&mut watcher, &mut numbers));
            for errand in 0..40 {
                happen(&daemon, &format!("errand {errand} of life {life}"));
            }
            // In the middle of one more.
            let writing =
                scope.spawn(|| while post(&daemon, "todos", &json!({ "title": "once more" })).is_some() {});
            std::thread::sleep(Duration::from_millis(30));
            daemon.die();
            writing.join().unwrap();
            reading.join().unwrap();
        });
        daemon.kill();
    }
    let daemon = Victim::start(&world, None).unwrap();
    let (start, seen, all) = (start.unwrap(), *numbers.last().unwrap(), head(&daemon));
    let mut watcher = watch(&daemon, &format!("?after={seen}"));
    watcher.next();
    numbers.extend(watcher.numbers((all - seen) as usize));
    assert_eq!(numbers, (start + 1..=all).collect::<Vec<_>>());
    assert!(all - start >= 160, "{start} to {all}");
}

#[test]
fn what_one_daemon_writes_reaches_the_clients_of_the_other_even_when_it_dies() {
    let database = Database::make();
    let worlds = [World::new(), World::new()];
    let (url, owner) = (database.url(), database.owner_url());
    worlds[0].run(&["--db", &url, "--db-owner", &owner, "init"]).succeeds();
    worlds[1].run(&["--db", &url, "init"]).succeeds();
    let here = Victim::start(&worlds[0], None).unwrap();
    let start = head(&here);
    let mut watcher = watch(&here, "");
    watcher.next();
    let mut numbers = Vec::new();
    for life in 0..3 {
        let there = Victim::start(&worlds[1], None).unwrap();
        for errand in 0..20 {
            happen(&there, &format!("errand {errand} of life {life}"));
            if errand % 5 == 0 {
                happen(&here, &format!("meanwhile {errand} of life {life}"));
            }
        }
        there.kill();
        let all = head(&here);
        numbers.extend(watcher.numbers((all - start) as usize - numbers.len()));
    }
    // A command of its own process tells as well.
    worlds[1].run(&["todo", "add", "by hand"]).succeeds();
    let all = head(&here);
    numbers.extend(watcher.numbers((all - start) as usize - numbers.len()));
    assert_eq!(numbers, (start + 1..=all).collect::<Vec<_>>());
    assert!(all - start >= 73, "{start} to {all}");
}

#[test]
fn a_key_revoked_by_one_daemon_closes_sockets_at_the_other() {
    let database = Database::make();
    let worlds = [World::new(), World::new()];
    let (url, owner) = (database.url(), database.owner_url());
    worlds[0].run(&["--db", &url, "--db-owner", &owner, "init"]).succeeds();
    worlds[1].run(&["--db", &url, "init"]).succeeds();
    let [here, there] = [0, 1].map(|n| Victim::start(&worlds[n], None).unwrap());
    let made = ["key", "create", "guest", "--speaks-as", "agent", "--scope", "read", "--json"];
    let made: Value = serde_json::from_str(&worlds[0].run(&made).succeeds()).unwrap();
    let address: SocketAddr = here.address.parse().unwrap();
    let mut watcher = Watcher::with(address, made["secret"].as_str().unwrap(), EVENTS).unwrap();
    watcher.next();
    let path = format!("/v1/keys/{}", made["id"].as_str().unwrap());
    let revoked = send(&there.address, &there.key, "DELETE", &path, "", None).unwrap();
    assert_eq!(revoked.status, 200, "{}", revoked.body);
    assert_eq!(watcher.frame().unwrap_err().unwrap().0, 4401);
}

/// Two editors, a person at the terminal and two programs write at the same time. Nobody started a daemon: the editors do, both
/// at once.
#[test]
fn whoever_writes_through_whichever_door_is_acknowledged_and_kept() {
    let world = World::with_mind().with("SELFSAME_SERVER_RATE", "0").in_the_background();
    let editors = std::thread::scope(|scope| {
        [0, 1].map(|_| scope.spawn(|| Editor::start(&world))).map(|editor| editor.join().unwrap())
    });
    let daemon = Door::of(&world);
    let time = match std::env::var("SELFSAME_SOAK_WRITERS") {
        Ok(_) => Duration::from_secs(60),
        Err(_) => Duration::from_secs(10),
    };
    let over = AtomicBool::new(false);
    let acknowledged: Vec<Vec<String>> = std::thread::scope(|scope| {
        let (world, daemon, over) = (&world, &daemon, &over);
        let mut writers: Vec<_> = Vec::new();
        for (number, editor) in editors.into_iter().enumerate() {
            writers.push(scope.spawn(move || by_mcp(editor, number, over)));
        }
        for program in 0..2 {
            writers.push(scope.spawn(move || by_http(daemon, program, over)));
        }
        writers.push(scope.spawn(move || by_hand(world, over)));
        std::thread::sleep(time);
        over.store(true, Ordering::SeqCst);
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let counts: Vec<usize> = acknowledged.iter().map(Vec::len).collect();
    println!("acknowledged in {} s: two editors, two programs, by hand: {counts:?}", time.as_secs());
    assert!(counts.iter().all(|count| *count > 0), "somebody was locked out: {counts:?}");
    let kept = all_memories(&daemon);
    for content in acknowledged.concat() {
        assert!(kept.contains(&content), "{content:?} was acknowledged and is not there");
    }
    world.run(&["verify"]).succeeds();
    let log = std::fs::read_to_string(world.data().join("daemon.log")).unwrap();
    assert_eq!(log.matches("selfsame is awake at").count(), 1, "one daemon for all: {log}");
}

/// A daemon that somebody else started.
struct Door {
    address: String,
    key: String,
}

impl Door {
    fn of(world: &World) -> Door {
        let address = wait_until("a daemon answers", || {
            let said: Value = serde_json::from_str(&world.run(&["--json"]).succeeds()).unwrap();
            said["daemon"].as_str().map(str::to_owned)
        });
        let key = std::fs::read_to_string(world.data().join("operator.key")).unwrap();
        Door { address, key: key.trim().to_owned() }
    }
}

fn all_memories(daemon: &Door) -> BTreeSet<String> {
    let (mut all, mut before) = (BTreeSet::new(), String::new());
    loop {
        let path = format!("/v1/agents/main/memories?limit=1000{before}");
        let page = send(&daemon.address, &daemon.key, "GET", &path, "", None).unwrap().body;
        let page: Value = serde_json::from_str(&page).unwrap();
        let page = page["memories"].as_array().unwrap();
        let Some(last) = page.last() else { return all };
        before = format!("&before={}", last["id"].as_str().unwrap());
        all.extend(page.iter().map(|memory| memory["content"].as_str().unwrap().to_owned()));
    }
}

/// Words that no other note has.
fn note(who: &str, number: usize) -> String {
    format!("Locker {who}{number} holds parcel {who}{}.", number * 7 + 1)
}

fn by_http(daemon: &Door, program: usize, over: &AtomicBool) -> Vec<String> {
    let mut kept = Vec::new();
    while !over.load(Ordering::SeqCst) {
        let content = note(["red", "blue"][program], kept.len());
        let body = json!({ "content": content }).to_string();
        let stored = send(&daemon.address, &daemon.key, "POST", "/v1/agents/main/memories", &body, None);
        assert!(stored.is_some_and(|stored| stored.status == 200), "{content} was refused");
        kept.push(content);
    }
    kept
}

fn by_hand(world: &World, over: &AtomicBool) -> Vec<String> {
    let mut kept = Vec::new();
    while !over.load(Ordering::SeqCst) {
        let content = note("hand", kept.len());
        world.run(&["remember", &content]).succeeds();
        kept.push(content);
    }
    kept
}

fn by_mcp(mut editor: Editor, number: usize, over: &AtomicBool) -> Vec<String> {
    let mut kept = Vec::new();
    while !over.load(Ordering::SeqCst) {
        let content = note(["left", "right"][number], kept.len());
        let stored = editor.call("remember", &json!({ "content": content }));
        assert_ne!(stored["result"]["isError"], true, "{stored}");
        assert!(stored["error"].is_null(), "{stored}");
        kept.push(content);
    }
    kept
}
