//! A client that watches an agent's events by WebSocket.

use serde_json::Value;
use std::io::Read as _;
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};
use tungstenite::handshake::client::generate_key;
use tungstenite::http::Request;
use tungstenite::{Error, HandshakeError, Message, WebSocket};

/// Where the events of the default agent are.
pub const EVENTS: &str = "/v1/agents/main/events";

/// Nothing here takes long; whatever does is stuck.
const PATIENCE: Duration = Duration::from_secs(30);

/// A WebSocket to an agent's events.
pub struct Watcher {
    /// For those who want to send something, or nothing at all.
    pub socket: WebSocket<TcpStream>,
}

impl Watcher {
    /// With some key; the status if it is refused.
    pub fn with(address: SocketAddr, key: &str, path: &str) -> Result<Watcher, u16> {
        let stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Watcher::over(stream, address, key, path)
    }

    /// Over a connection that the caller made.
    pub fn over(stream: TcpStream, address: SocketAddr, key: &str, path: &str) -> Result<Watcher, u16> {
        let request = Request::get(format!("ws://{address}{path}"))
            .header("host", address.to_string())
            .header("authorization", format!("Bearer {key}"))
            .header("connection", "Upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", generate_key())
            .body(())
            .unwrap();
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Watcher { socket }),
            Err(HandshakeError::Failure(Error::Http(refusal))) => Err(refusal.status().as_u16()),
            Err(other) => panic!("{other}"),
        }
    }

    /// The next text frame.
    #[track_caller]
    #[expect(clippy::should_implement_trait, reason = "a stream that ends is a failure here")]
    pub fn next(&mut self) -> Value {
        match self.frame() {
            Ok(frame) => frame,
            Err(end) => panic!("the stream ended: {end:?}"),
        }
    }

    /// The next text frame, or the code and reason of the close.
    pub fn frame(&mut self) -> Result<Value, Option<(u16, String)>> {
        let began = Instant::now();
        loop {
            // Pings come on time from a daemon that has nothing to tell.
            assert!(began.elapsed() < PATIENCE, "nothing was told for {PATIENCE:?}");
            match self.socket.read() {
                Ok(Message::Text(text)) => return Ok(serde_json::from_str(&text).unwrap()),
                Ok(Message::Close(close)) => {
                    let told = close.map(|close| (u16::from(close.code), close.reason.to_string()));
                    // Says goodbye in return.
                    let _ = self.socket.flush();
                    return Err(told);
                }
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(other) => panic!("{other:?}"),
                Err(Error::ConnectionClosed | Error::AlreadyClosed | Error::Protocol(_)) => return Err(None),
                Err(other) => panic!("{other}"),
            }
        }
    }

    /// The next text frame; nothing when the stream ended, however that was.
    pub fn try_frame(&mut self) -> Option<Value> {
        let began = Instant::now();
        loop {
            assert!(began.elapsed() < PATIENCE, "nothing was told for {PATIENCE:?}");
            match self.socket.read() {
                Ok(Message::Text(text)) => return Some(serde_json::from_str(&text).unwrap()),
                Ok(Message::Ping(_) | Message::Pong(_)) => {}
                Ok(_) | Err(_) => return None,
            }
        }
    }

    /// The numbers of the next events.
    pub fn numbers(&mut self, count: usize) -> Vec<i64> {
        (0..count).map(|_| number(&self.next())).collect()
    }

    /// What is left after the greeting, until the close: events' numbers, the `resync` if there was one, and the code. Read past
    /// the library, which answers pings first and takes it for the end if nobody is there to hear it.
    pub fn to_the_end(&mut self) -> (Vec<i64>, Option<i64>, Option<u16>) {
        let mut bytes = Vec::new();
        // However the connection ended, what came before is here.
        let _ = self.socket.get_mut().read_to_end(&mut bytes);
        let (mut numbers, mut resync, mut code) = (Vec::new(), None, None);
        let mut rest = bytes.as_slice();
        while let Some((opcode, payload)) = next_frame(&mut rest) {
            match opcode {
                TEXT => {
                    let frame: Value = serde_json::from_slice(payload).unwrap();
                    match frame["type"].as_str() {
                        Some("event") => numbers.push(number(&frame)),
                        Some("resync") => resync = frame["after"].as_i64(),
                        _ => panic!("{frame}"),
                    }
                }
                CLOSE => code = payload.first_chunk().map(|code| u16::from_be_bytes(*code)),
                _ => {}
            }
        }
        (numbers, resync, code)
    }
}

const TEXT: u8 = 1;
const CLOSE: u8 = 8;

/// The kind and the content of the next frame; a server sends each whole, and masks none.
fn next_frame<'b>(rest: &mut &'b [u8]) -> Option<(u8, &'b [u8])> {
    let (head, after) = rest.split_first_chunk::<2>()?;
    let (length, after) = match head[1] {
        126 => {
            after.split_first_chunk::<2>().map(|(bytes, after)| (u16::from_be_bytes(*bytes).into(), after))?
        }
        127 => panic!("a frame that is larger than any should be"),
        short => (usize::from(short), after),
    };
    let (payload, after) = after.split_at_checked(length)?;
    *rest = after;
    Some((head[0] & 0x0f, payload))
}

/// The number of an event.
#[track_caller]
pub fn number(frame: &Value) -> i64 {
    assert_eq!(frame["type"], "event", "{frame}");
    frame["seq"].as_i64().unwrap()
}
