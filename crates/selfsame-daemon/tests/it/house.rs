//! A daemon on a thread of its own, and an HTTP/1.1 client that is plain enough to say wrong things.

use selfsame::config::Settings;
use selfsame_daemon::operations::agent::{CreateAgent, CreateAgentRequest};
use selfsame_daemon::operations::key::{CreateKey, CreateKeyReply, CreateKeyRequest};
use selfsame_daemon::{Backend, Failure, Home, serve};
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::sync::{OnceLock, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;
use tempfile::TempDir;
use tokio::sync::oneshot;

/// Nothing here takes long; whatever does is stuck.
const PATIENCE: Duration = Duration::from_secs(20);

pub const REMEMBER: &str = "/v1/agents/main/memories";
pub const RECALL: &str = "/v1/agents/main/recall";

/// A running daemon with a folder of its own. It stops when this is dropped.
pub struct House {
    home: Home,
    address: SocketAddr,
    operator: String,
    agents_key: OnceLock<String>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<Result<(), Failure>>>,
    // Last: the folder goes after the daemon.
    _folder: TempDir,
}

impl House {
    pub fn open() -> House {
        House::with(|_| {})
    }

    /// With settings of its own.
    pub fn with(change: impl FnOnce(&mut Settings)) -> House {
        let folder = tempfile::tempdir().unwrap();
        let home = home_in(&folder, change);
        let (stop, stopped) = oneshot::channel();
        let (ready, is_ready) = mpsc::channel();
        let daemon = home.clone();
        let thread = std::thread::spawn(move || {
            let stopped = async { drop(stopped.await) };
            serve::run(&daemon, stopped, |at| ready.send(at.address).unwrap())
        });
        let address = is_ready.recv_timeout(PATIENCE).expect("the daemon is ready");
        let mut house = House {
            home,
            address,
            operator: String::new(),
            agents_key: OnceLock::new(),
            stop: Some(stop),
            thread: Some(thread),
            _folder: folder,
        };
        house.operator = house.key("operator", None, "operator", &["read", "write", "admin"]).secret;
        house
    }

    /// The database file.
    pub fn database(&self) -> PathBuf {
        self.home.data.join("selfsame.db")
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// By the socket, as the owner.
    pub fn backend(&self) -> Backend {
        Backend::for_owner(self.home.clone())
    }

    /// A key that may do everything.
    pub fn operator(&self) -> &str {
        &self.operator
    }

    pub fn key(&self, name: &str, agent: Option<&str>, speaks_as: &str, scopes: &[&str]) -> CreateKeyReply {
        let request = CreateKeyRequest {
            name: name.into(),
            agent: agent.map(str::to_owned),
            speaks_as: speaks_as.into(),
            principal: None,
            scopes: scopes.iter().map(ToString::to_string).collect(),
        };
        self.backend().call::<CreateKey>("", &request).unwrap()
    }

    pub fn agent(&self, name: &str) {
        let request = CreateAgentRequest { name: name.into(), zone: None, family: false };
        self.backend().call::<CreateAgent>("", &request).unwrap();
    }

    /// A request with the operator's key.
    pub fn ask(&self, method: &str, path: &str) -> Ask {
        self.stranger(method, path).header("authorization", &format!("Bearer {}", self.operator))
    }

    /// Makes the key that speaks as the agent, of whichever agent.
    pub fn with_agents_key(&self) {
        self.agents_key.get_or_init(|| self.key("agent", None, "agent", &["read", "write"]).secret);
    }

    /// A request as the operator or as the agent.
    pub fn ask_as(&self, speaker: &str, method: &str, path: &str) -> Ask {
        let ask = self.ask(method, path);
        if speaker == "agent" {
            ask.key(self.agents_key.get().expect("the agent's key is made"))
        } else {
            ask
        }
    }

    /// By the socket, as the owner or as the agent.
    pub fn backend_as(&self, speaker: &str) -> Backend {
        if speaker == "agent" { Backend::for_agent(self.home.clone()) } else { self.backend() }
    }

    /// A request without a key.
    pub fn stranger(&self, method: &str, path: &str) -> Ask {
        Ask {
            address: self.address,
            first: format!("{method} {path} HTTP/1.1"),
            headers: vec![("host".into(), self.address.to_string())],
            body: Vec::new(),
        }
    }

    /// How many memories the default agent has: what a refused request must not change.
    pub fn memories(&self) -> u64 {
        let card = self.ask("GET", "/v1/agents/main").send();
        assert_eq!(card.status, 200, "{card:?}");
        card.json()["memories"].as_u64().unwrap()
    }

    /// Tells the daemon to stop, without waiting for it.
    pub fn tell_to_stop(&mut self) {
        drop(self.stop.take());
    }

    /// Waits until it has.
    pub fn wait(&mut self) -> Result<(), Failure> {
        self.thread.take().map_or(Ok(()), |thread| thread.join().expect("the daemon did not panic"))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.tell_to_stop();
        if let Some(thread) = self.thread.take() {
            // Another panic would hide the first.
            let _ = thread.join();
        }
    }
}

/// A home in a folder that nobody else can read, on a free port.
pub fn home_in(folder: &TempDir, change: impl FnOnce(&mut Settings)) -> Home {
    let mut settings = Settings::default();
    settings.server.address = "127.0.0.1:0".parse().unwrap();
    change(&mut settings);
    Home { data: folder.path().join("mind"), settings }
}

/// A request to be.
pub struct Ask {
    address: SocketAddr,
    first: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Ask {
    /// Whom it asks.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    pub fn header(mut self, name: &str, value: &str) -> Ask {
        self.headers.push((name.into(), value.into()));
        self
    }

    /// Without any header of this name.
    pub fn without(mut self, name: &str) -> Ask {
        self.headers.retain(|(known, _)| known != name);
        self
    }

    pub fn key(self, secret: &str) -> Ask {
        self.without("authorization").header("authorization", &format!("Bearer {secret}"))
    }

    pub fn json(self, value: &Value) -> Ask {
        self.body("application/json", value.to_string().as_bytes())
    }

    /// With a body, whatever it is, whose length is told.
    pub fn body(mut self, content_type: &str, bytes: &[u8]) -> Ask {
        self.body = bytes.to_vec();
        self.header("content-type", content_type).header("content-length", &bytes.len().to_string())
    }

    /// As it goes over the wire.
    pub fn bytes(&self) -> Vec<u8> {
        let mut text = format!("{}\r\n", self.first);
        for (name, value) in &self.headers {
            text += &format!("{name}: {value}\r\n");
        }
        let mut bytes = (text + "\r\n").into_bytes();
        bytes.extend(&self.body);
        bytes
    }

    /// Asks, and reads the answer to the end of the connection.
    pub fn send(self) -> Reply {
        let asked = self.header("connection", "close");
        send_bytes(asked.address, &asked.bytes())
    }
}

/// Sends bytes as they are and reads what is answered.
pub fn send_bytes(address: SocketAddr, bytes: &[u8]) -> Reply {
    let mut stream = connect(address);
    // A server that has seen enough may close before all is said; what it answered is still read.
    let _ = stream.write_all(bytes);
    read_reply(&mut stream)
}

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream
}

/// Reads to the end of the connection.
pub fn read_reply(stream: &mut TcpStream) -> Reply {
    let mut bytes = Vec::new();
    // A connection that is reset after the answer has answered all the same.
    let _ = stream.read_to_end(&mut bytes);
    Reply::parse(&bytes)
}

/// What came back.
#[derive(Clone, PartialEq, Debug)]
#[must_use]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub text: String,
}

impl Reply {
    pub fn parse(bytes: &[u8]) -> Reply {
        let text = String::from_utf8(bytes.to_vec()).expect("the answer is text");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {text:?}"));
        let mut lines = head.lines();
        let first = lines.next().unwrap_or_default();
        let status = first.split(' ').nth(1).and_then(|code| code.parse().ok());
        let headers = lines
            .filter_map(|line| line.split_once(": "))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned()));
        Reply {
            status: status.unwrap_or_else(|| panic!("no status: {first:?}")),
            headers: headers.collect(),
            text: body.to_owned(),
        }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known == name);
        found.map(|(_, value)| value.as_str())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {:?}", self.text))
    }

    /// An answer of MCP, which comes in one part with its length before it.
    pub fn rpc(&self) -> Value {
        let text = match self.header("transfer-encoding") {
            Some(_) => self.text.lines().find(|line| line.starts_with('{')).unwrap_or_default(),
            None => &self.text,
        };
        serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {:?}", self.text))
    }

    /// The stable word of a refusal, whose whole shape is checked on the way.
    #[track_caller]
    pub fn code(&self) -> String {
        assert_eq!(self.header("content-type"), Some("application/problem+json"), "{self:?}");
        let problem = self.json();
        // In whichever order: that of JSON's fields says nothing.
        let mut fields: Vec<&str> = problem.as_object().unwrap().keys().map(String::as_str).collect();
        fields.sort_unstable();
        assert_eq!(fields, ["code", "detail", "request_id", "status", "title", "type"]);
        assert_eq!(problem["status"], self.status);
        assert!(!problem["title"].as_str().unwrap().is_empty(), "{problem}");
        assert!(!problem["detail"].as_str().unwrap().is_empty(), "{problem}");
        assert!(problem["request_id"].as_str().unwrap().starts_with("req-"), "{problem}");
        problem["code"].as_str().unwrap().to_owned()
    }

    /// The refusal without what is different each time.
    pub fn without_request_id(&self) -> Value {
        let mut problem = self.json();
        problem.as_object_mut().unwrap().remove("request_id");
        problem
    }
}
