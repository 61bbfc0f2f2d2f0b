//! A server that plays its part: every request is kept, and answered as the script says, over a real socket.

use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// A client that waits so long does not give up as it should; its test is to fail then, and not to hang.
const LONGEST: Duration = Duration::from_secs(20);

/// What somebody asked.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Method and path.
    pub(crate) line: String,
    /// By names in lower case.
    pub(crate) headers: BTreeMap<String, String>,
    /// As JSON.
    pub(crate) body: Value,
    /// As it came.
    pub(crate) raw: Vec<u8>,
}

impl Seen {
    /// The texts that are to be embedded.
    pub(crate) fn texts(&self) -> Vec<&str> {
        self.body["input"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
    }
}

/// What is answered.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Body,
}

#[derive(Clone, Debug)]
enum Body {
    Whole(Vec<u8>),
    /// So many bytes of it, after more were promised.
    Cut(Vec<u8>, usize),
    /// The same again and again, with pauses, for as long as anybody listens (or longer than any test does).
    Endless(&'static [u8], Duration),
    /// Nothing, not even a status, until the other side goes (or longer than any test waits).
    Silence,
    /// The connection is closed at once.
    Gone,
    /// Bytes that are no HTTP.
    Raw(&'static [u8]),
}

impl Reply {
    pub(crate) fn new(status: u16, body: impl Into<Vec<u8>>) -> Reply {
        let headers = vec![("content-type".into(), "application/json".into())];
        Reply { status, headers, body: Body::Whole(body.into()) }
    }

    pub(crate) fn json(status: u16, body: &Value) -> Reply {
        Reply::new(status, body.to_string())
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Reply {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Of another sort than JSON.
    pub(crate) fn with_type(mut self, content_type: &str) -> Reply {
        self.headers = vec![("content-type".to_owned(), content_type.to_owned())];
        self
    }

    pub(crate) fn with_status(self, status: u16) -> Reply {
        Reply { status, ..self }
    }

    /// Promises all of the body and sends only the beginning.
    pub(crate) fn cut_at(mut self, bytes: usize) -> Reply {
        if let Body::Whole(body) = self.body {
            self.body = Body::Cut(body, bytes);
        }
        self
    }

    pub(crate) fn endless(piece: &'static [u8], pause: Duration) -> Reply {
        Reply { body: Body::Endless(piece, pause), ..Reply::new(200, "") }
    }

    pub(crate) fn silence() -> Reply {
        Reply { body: Body::Silence, ..Reply::new(200, "") }
    }

    pub(crate) fn gone() -> Reply {
        Reply { body: Body::Gone, ..Reply::new(200, "") }
    }

    pub(crate) fn raw(bytes: &'static [u8]) -> Reply {
        Reply { body: Body::Raw(bytes), ..Reply::new(200, "") }
    }
}

type Script = dyn Fn(usize, &Seen) -> Reply + Send + Sync;

/// The server. Dropped, it stops listening.
pub(crate) struct Played {
    port: u16,
    state: Arc<State>,
    listener: Option<JoinHandle<()>>,
}

struct State {
    script: Box<Script>,
    seen: Mutex<Vec<Seen>>,
    sent: AtomicU64,
    stopped: AtomicBool,
}

impl Played {
    /// Answers each request by the script, which is told the request and how many came before it.
    pub(crate) fn by(script: impl Fn(usize, &Seen) -> Reply + Send + Sync + 'static) -> Played {
        let socket = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = socket.local_addr().unwrap().port();
        let state = Arc::new(State {
            script: Box::new(script),
            seen: Mutex::default(),
            sent: AtomicU64::new(0),
            stopped: AtomicBool::new(false),
        });
        let shared = Arc::clone(&state);
        let listener = std::thread::spawn(move || listen(&socket, &shared));
        Played { port, state, listener: Some(listener) }
    }

    /// Always answers the same.
    pub(crate) fn always(reply: Reply) -> Played {
        Played::by(move |_, _| reply.clone())
    }

    /// Answers one after the other, and the last again.
    pub(crate) fn one_after_the_other(replies: Vec<Reply>) -> Played {
        Played::by(move |before, _| replies[before.min(replies.len() - 1)].clone())
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// What was asked so far, in order.
    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.seen.lock().unwrap().clone()
    }

    /// Bytes of bodies that went out so far.
    pub(crate) fn sent(&self) -> u64 {
        self.state.sent.load(Ordering::Relaxed)
    }
}

impl Drop for Played {
    fn drop(&mut self) {
        self.state.stopped.store(true, Ordering::Relaxed);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
        if let Some(listener) = self.listener.take() {
            let _ = listener.join();
        }
    }
}

fn listen(socket: &TcpListener, state: &Arc<State>) {
    for stream in socket.incoming().flatten() {
        if state.stopped.load(Ordering::Relaxed) {
            return;
        }
        let state = Arc::clone(state);
        // An error here is the other side going away, which is what some tests are about.
        std::thread::spawn(move || drop(converse(&stream, &state)));
    }
}

fn converse(stream: &TcpStream, state: &State) -> std::io::Result<()> {
    let Some(seen) = read_request(&mut BufReader::new(stream))? else {
        return Ok(());
    };
    let before = {
        let mut all = state.seen.lock().unwrap();
        all.push(seen.clone());
        all.len() - 1
    };
    play(&(state.script)(before, &seen), stream, state)
}

fn read_request(reader: &mut BufReader<&TcpStream>) -> std::io::Result<Option<Seen>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut headers = BTreeMap::new();
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        headers.insert(name.to_lowercase(), value.trim().to_owned());
    }
    let length = headers.get("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    let mut raw = vec![0; length];
    reader.read_exact(&mut raw)?;
    let body = serde_json::from_slice(&raw).unwrap_or_default();
    let line = line.trim_end().trim_end_matches(" HTTP/1.1").to_owned();
    Ok(Some(Seen { line, headers, body, raw }))
}

fn play(reply: &Reply, mut stream: &TcpStream, state: &State) -> std::io::Result<()> {
    let mut send = |bytes: &[u8]| {
        stream.write_all(bytes)?;
        state.sent.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        std::io::Result::Ok(())
    };
    match &reply.body {
        Body::Whole(body) => {
            send(head(reply, body.len() as u64).as_bytes())?;
            send(body)
        }
        Body::Cut(body, at) => {
            send(head(reply, body.len() as u64).as_bytes())?;
            send(&body[..*at])
        }
        Body::Endless(piece, pause) => {
            send(head(reply, 1 << 30).as_bytes())?;
            let began = Instant::now();
            for _ in (0..(1 << 30) / piece.len()).take_while(|_| began.elapsed() < LONGEST) {
                send(piece)?;
                std::thread::sleep(*pause);
            }
            Ok(())
        }
        Body::Silence => {
            stream.set_read_timeout(Some(LONGEST))?;
            stream.read_to_end(&mut Vec::new()).map(drop)
        }
        Body::Gone => Ok(()),
        Body::Raw(bytes) => send(bytes),
    }
}

fn head(reply: &Reply, length: u64) -> String {
    let mut head =
        format!("HTTP/1.1 {} Played\r\nconnection: close\r\ncontent-length: {length}\r\n", reply.status);
    for (name, value) in &reply.headers {
        head += &format!("{name}: {value}\r\n");
    }
    head + "\r\n"
}
