//! The HTTP door of a daemon, over connections that stay open: any operation of the table, and any tool by MCP.

use selfsame_daemon::operations::{Entry, Method};
use serde_json::{Map, Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

/// Nothing here takes long; whatever does is stuck.
const PATIENCE: Duration = Duration::from_secs(60);

/// A request to be.
#[derive(Clone, Debug)]
pub struct Asked {
    pub method: &'static str,
    pub path: String,
    pub body: String,
    /// The caller's word for it, so that it can be repeated.
    pub repeat: Option<String>,
}

impl Asked {
    /// An operation of the table, about an agent.
    pub fn of(entry: &Entry, agent: &str, request: &Value) -> Asked {
        let mut fields: Map<String, Value> = request.as_object().unwrap().clone();
        let parts = entry.route.path.split('/').map(|part| match part {
            "{agent}" => escaped(agent),
            part => match part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) {
                Some(name) => escaped(&written(&fields.remove(name).unwrap_or_default())),
                None => part.to_owned(),
            },
        });
        let mut path = parts.collect::<Vec<_>>().join("/");
        let method = entry.route.method;
        let mut body = String::new();
        if method == Method::Post {
            body = Value::Object(fields).to_string();
        } else if !fields.is_empty() {
            let pairs = fields.iter().map(|(name, value)| format!("{name}={}", escaped(&written(value))));
            path = format!("{path}?{}", pairs.collect::<Vec<_>>().join("&"));
        }
        Asked { method: method.as_str(), path, body, repeat: None }
    }

    /// Something of MCP, about the agent that the key is bound to or another.
    pub fn of_mcp(method: &str, params: &Value, agent: Option<&str>) -> Asked {
        let agent = agent.map_or_else(String::new, |agent| format!("&agent={}", escaped(agent)));
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        Asked {
            method: "POST",
            path: format!("/mcp?profile=mind{agent}"),
            body: body.to_string(),
            repeat: None,
        }
    }

    /// Only an address.
    pub fn get(path: &str) -> Asked {
        Asked { method: "GET", path: path.into(), body: String::new(), repeat: None }
    }
}

/// As a query has it.
fn written(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn escaped(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte);
    let one = |byte: u8| if plain(byte) { (byte as char).to_string() } else { format!("%{byte:02X}") };
    text.bytes().map(one).collect()
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answered {
    pub status: u16,
    /// The status line and the headers.
    pub head: String,
    pub body: String,
}

impl Answered {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// What a tool answered, unless it refused.
    pub fn structured(&self) -> Option<Value> {
        let result = self.json()["result"].take();
        (self.status == 200 && result.is_object() && result["isError"] != true)
            .then(|| result["structuredContent"].clone())
    }
}

/// A connection that is used again and again.
pub struct Line {
    address: String,
    stream: BufReader<TcpStream>,
}

impl Line {
    pub fn to(address: &str) -> Line {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Line { address: address.to_owned(), stream: BufReader::new(stream) }
    }

    /// Asks and reads the whole answer.
    pub fn ask(&mut self, key: &str, asked: &Asked) -> Answered {
        let repeat =
            asked.repeat.as_ref().map_or_else(String::new, |key| format!("idempotency-key: {key}\r\n"));
        // Whoever takes a stream elsewhere is given one, without an end.
        let accepts = match asked.path.starts_with("/mcp") {
            true => "accept: application/json, text/event-stream\r\nmcp-protocol-version: 2025-11-25\r\n",
            false => "",
        };
        let request = format!(
            "{} {} HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {key}\r\n{repeat}{accepts}\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{}",
            asked.method,
            asked.path,
            self.address,
            asked.body.len(),
            asked.body
        );
        self.stream.get_mut().write_all(request.as_bytes()).unwrap();
        let answered = self.answer(asked);
        if answered.head.to_ascii_lowercase().contains("connection: close") {
            *self = Line::to(&self.address);
        }
        answered
    }

    fn answer(&mut self, asked: &Asked) -> Answered {
        let mut head = String::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap_or_else(|error| panic!("{error}: {asked:?}"));
            assert!(!line.is_empty(), "no answer to {asked:?}");
            if line == "\r\n" {
                break;
            }
            head += &line;
        }
        let status = head.split(' ').nth(1).and_then(|code| code.parse().ok());
        let status = status.unwrap_or_else(|| panic!("no status: {head:?}"));
        Answered { status, body: self.body(&head), head }
    }

    fn body(&mut self, head: &str) -> String {
        let header = |name: &str| {
            let pairs = head.lines().filter_map(|line| line.split_once(':'));
            pairs.filter(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim()).next()
        };
        let length = header("content-length").map(|length| length.parse::<usize>().unwrap());
        let bytes = match length {
            Some(length) => self.bytes(length),
            None => self.chunks(),
        };
        String::from_utf8(bytes).unwrap()
    }

    fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes).unwrap();
        bytes
    }

    /// Parts with their lengths before them, the last of them empty.
    fn chunks(&mut self) -> Vec<u8> {
        let mut all = Vec::new();
        loop {
            let mut line = String::new();
            self.stream.read_line(&mut line).unwrap();
            let length = usize::from_str_radix(line.trim(), 16).unwrap();
            all.extend(self.bytes(length));
            assert_eq!(self.bytes(2), b"\r\n");
            if length == 0 {
                return all;
            }
        }
    }
}
