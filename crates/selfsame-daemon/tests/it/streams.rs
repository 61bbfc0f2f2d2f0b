//! Clients that watch: a stream of server-sent events by hand, and a WebSocket with the operator's key.

use crate::house::{House, connect};
use selfsame_testkit::{EVENTS, Watcher};
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpStream;

/// A WebSocket with the operator's key.
pub fn watch(house: &House, query: &str) -> Watcher {
    Watcher::with(house.address(), house.operator(), &format!("{EVENTS}{query}")).unwrap()
}

/// A stream of server-sent events.
pub struct Stream {
    lines: BufReader<TcpStream>,
    /// The id of the last event that had one.
    pub last_id: Option<String>,
}

impl Stream {
    pub fn of(house: &House, query: &str, headers: &[(&str, &str)]) -> Stream {
        let ask = house.ask("GET", &format!("{EVENTS}{query}")).header("accept", "text/event-stream");
        let ask = headers.iter().fold(ask, |ask, (name, value)| ask.header(name, value));
        let mut stream = connect(house.address());
        stream.write_all(&ask.bytes()).unwrap();
        let mut stream = Stream { lines: BufReader::new(stream), last_id: None };
        let head = stream.head();
        assert!(head.starts_with("HTTP/1.1 200"), "{head}");
        assert!(head.contains("content-type: text/event-stream\r\n"), "{head}");
        stream
    }

    fn head(&mut self) -> String {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert_ne!(self.lines.read_line(&mut head).unwrap(), 0, "{head}");
        }
        head
    }

    /// The next frame; none at the end of the stream.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(id) = line.strip_prefix("id: ") {
                self.last_id = Some(id.trim().to_owned());
            }
            if let Some(data) = line.strip_prefix("data: ") {
                return Some(serde_json::from_str(data).unwrap());
            }
            // The rest are lengths of chunks, comments and empty lines.
            if line == "0\r\n" {
                return None;
            }
        }
    }
}
