//! Keys and the log: what stands in an address or a header never stands there.

use crate::cli::World;
use crate::crash::send;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

/// One request as it is, without a key in its headers; gives the whole answer.
fn ask(address: &str, line: &str, headers: &str) -> String {
    let mut stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(std::time::Duration::from_secs(20))).unwrap();
    let request = format!("{line} HTTP/1.1\r\nhost: {address}\r\n{headers}connection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer
}

#[test]
fn a_key_is_in_no_log_however_it_was_sent() {
    let world = World::with_mind().with("SELFSAME_LOG_LEVEL", "trace");
    let daemon = world.serve(&[]);
    let (address, key) = (daemon.address.as_str(), daemon.key.as_str());
    let secret = key.rsplit('_').next().unwrap();
    let socket =
        "upgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    for way in ["key", "access_token", "token"] {
        for path in ["/v1/agents", "/v1/agents/main/events", "/metrics", "/mcp", "/v1/keys", "/nowhere"] {
            let answer = ask(address, &format!("GET {path}?{way}={key}"), "");
            assert!(answer.starts_with("HTTP/1.1 401") || path == "/nowhere", "{path}: {answer}");
        }
        let answer = ask(address, &format!("GET /v1/agents/main/events?{way}={key}"), socket);
        assert!(answer.starts_with("HTTP/1.1 401"), "{answer}");
        // A good key beside it: the address is refused in words that do not repeat it.
        let refused = send(address, key, "GET", &format!("/v1/agents/main?{way}={key}"), "", None).unwrap();
        assert_eq!(refused.status, 400, "{}", refused.body);
        assert!(!refused.body.contains(secret), "{}", refused.body);
    }
    assert_eq!(send(address, key, "GET", "/v1/agents", "", None).unwrap().status, 200);
    assert_eq!(send(address, &format!("{key}x"), "GET", "/v1/agents", "", None).unwrap().status, 401);
    let log = daemon.log();
    assert!(log.contains("refused"), "there is a log: {log}");
    assert!(!log.contains(secret), "a key is in the log");
    assert_eq!(daemon.stop(), 0);
}
