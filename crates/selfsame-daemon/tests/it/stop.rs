//! Stopping: what is under way is finished, nothing new is taken, nothing is left behind.

use crate::house::{House, REMEMBER, connect, read_reply};
use selfsame::config::ThinkerKind;
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::{Duration, Instant};

#[test]
fn a_request_under_way_is_finished() {
    let mut house = House::open();
    let body = json!({ "content": "said while the daemon was stopping" }).to_string();
    let mut stream = connect(house.address());
    let head = house
        .ask("POST", REMEMBER)
        .body("application/json", body.as_bytes())
        .header("expect", "100-continue");
    let bytes = head.bytes();
    let (head, body) = bytes.split_at(bytes.len() - body.len());
    stream.write_all(head).unwrap();
    // The daemon asks for the body: the request is under way.
    let go_on = b"HTTP/1.1 100 Continue\r\n\r\n";
    let mut said = vec![0; go_on.len()];
    stream.read_exact(&mut said).unwrap();
    assert_eq!(said, go_on);

    house.tell_to_stop();
    while TcpStream::connect(house.address()).is_ok() {
        std::thread::yield_now();
    }
    // It has heard: nothing new is taken. A daemon that does not wait for us has now time enough to be gone.
    std::thread::sleep(Duration::from_millis(100));
    stream.write_all(body).unwrap();
    let reply = read_reply(&mut stream);
    assert_eq!(reply.status, 200, "{reply:?}");
    assert_eq!(house.wait(), Ok(()));
}

#[test]
fn a_quiet_connection_does_not_hold_it_up() {
    let mut house = House::open();
    let mut quiet = connect(house.address());
    quiet.write_all(&house.stranger("GET", "/healthz").bytes()).unwrap();
    let mut first = [0; 15];
    quiet.read_exact(&mut first).unwrap();
    house.tell_to_stop();
    assert_eq!(house.wait(), Ok(()));
}

#[test]
fn nothing_is_left_behind() {
    let mut house = House::open();
    let socket = house.backend().home().folder().unwrap().socket();
    assert!(socket.exists());
    house.tell_to_stop();
    assert_eq!(house.wait(), Ok(()));
    assert!(!socket.exists(), "the socket is still there");
    assert!(TcpStream::connect(house.address()).is_err(), "somebody still listens");
    // Without the daemon the owner opens the folder, whose lock must be free.
    assert_eq!(house.backend().daemon_address(), None);
    house.backend().home().open().unwrap();
}

#[test]
fn a_second_daemon_is_told_who_is_there() {
    let house = House::open();
    let home = house.backend().home().clone();
    let refused = selfsame_daemon::serve::run(&home, async {}, |_| {}).unwrap_err();
    assert_eq!((refused.status, refused.code.as_str()), (503, "busy"));
    let owner = format!("in use by process {}", std::process::id());
    assert!(refused.detail.contains(&owner), "{refused}");
    assert_eq!(house.stranger("GET", "/readyz").send().status, 200, "the first goes on");
}

/// Who asks for a thought waits for it; nobody else does, and the daemon does not when it is to stop.
#[test]
fn a_thinker_that_hangs_keeps_nobody_waiting() {
    let mut house = House::with(|settings| {
        settings.server.workers = 1;
        settings.contemplation.seasoning = false;
        settings.thinker.kind = ThinkerKind::Command;
        settings.thinker.command = ["sleep", "30"].map(str::to_owned).to_vec();
    });
    let ask = house.ask("POST", "/v1/agents/main/contemplate").json(&json!({}));
    let waiting = std::thread::spawn(move || ask.send());
    let work = || house.ask("GET", "/v1/agents/main/work").send();
    let is_begun = || work().json()["work"][0]["state"] == "leased";
    assert!(std::iter::repeat_with(is_begun).take(1000).any(|begun| begun), "{:?}", work());
    assert_eq!(house.ask("POST", REMEMBER).json(&json!({"content": "meanwhile"})).send().status, 200);
    assert!(!waiting.is_finished(), "it still thinks");
    let told = Instant::now();
    house.tell_to_stop();
    assert_eq!(house.wait(), Ok(()));
    assert!(told.elapsed() < Duration::from_secs(5), "{:?}", told.elapsed());
    assert_eq!(waiting.join().unwrap().code(), "stopping");
}
