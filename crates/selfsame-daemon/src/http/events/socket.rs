//! Events by WebSocket.
//!
//! A client that does not read would fill every buffer between it and us before anybody noticed. So no more than a window of
//! events is under way to anybody: every so many a ping is sent with the count so far, and the pong that answers it says
//! that all before it has been read. With the window full nothing is sent; when the log has then moved on beyond what is
//! held for all, the client is told where it stands (`resync`) and sent away. Whoever comes back from far behind is that far behind
//! by right: until it has caught up, only silence ends it.

use super::End;
use super::frame::{hello, resync};
use super::viewer::Viewer;
use axum::body::Bytes;
use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::response::Response;
use futures_util::SinkExt as _;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tungstenite::Error as WireError;
use tungstenite::error::ProtocolError;

/// Events under way to one client, at most.
const WINDOW: usize = 256;
/// Bytes of them, at most.
const WINDOW_BYTES: usize = 1 << 20;
/// After so much of either, a ping asks how far the client is: a quarter of the window.
const ASK_EVERY: usize = 4;
/// Nothing is expected from a client but pongs and a close.
const MAX_MESSAGE: usize = 64 << 10;
/// What a client may send in one stretch between two pings of ours, before it is taken for a flood.
const MAX_HEARD: usize = 256;
/// Buffers of one connection: small, as there may be thousands.
const BUFFER: usize = 4 << 10;
/// A frame that cannot be handed to the network within this time goes to nobody.
const SEND_PATIENCE: Duration = Duration::from_secs(10);
/// How long a client may take to say goodbye.
const GOODBYE: Duration = Duration::from_secs(1);

pub(super) fn respond(upgrade: WebSocketUpgrade, viewer: Viewer) -> Response {
    upgrade
        .read_buffer_size(BUFFER)
        .write_buffer_size(BUFFER)
        .max_write_buffer_size(2 * WINDOW_BYTES)
        .max_message_size(MAX_MESSAGE)
        .max_frame_size(MAX_MESSAGE)
        .on_upgrade(move |socket| async move { Session::new(socket, viewer).run().await })
}

struct Session {
    socket: WebSocket,
    viewer: Viewer,
    window: Window,
    /// Whether it has ever had all there was. Whoever still reads what was before is behind without being slow.
    live: bool,
    /// What the client sent since the last ping by the clock.
    heard: usize,
    /// Whether anything came from it since then.
    alive: bool,
}

impl Session {
    fn new(socket: WebSocket, viewer: Viewer) -> Session {
        Session { socket, viewer, window: Window::default(), live: false, heard: 0, alive: true }
    }

    async fn run(mut self) {
        let end = match self.tell().await {
            Ok(()) => End::Left,
            Err(end) => end,
        };
        if end == End::Slow {
            self.viewer.count_dropped();
        }
        if end != End::Left {
            // Whoever is gone hears nothing of it.
            let _ = timeout(GOODBYE, self.part(end)).await;
        }
    }

    /// Tells what happens, until there is a reason to end.
    async fn tell(&mut self) -> Result<(), End> {
        self.send(Message::Text(hello(self.viewer.head))).await?;
        if self.viewer.is_from_elsewhere() {
            return Err(End::Elsewhere);
        }
        let every = self.viewer.ping();
        let mut clock = tokio::time::interval_at(Instant::now() + every, every);
        loop {
            let room = self.window.room();
            self.live |= self.viewer.is_up_to_date();
            tokio::select! {
                biased;
                heard = self.socket.recv() => match heard {
                    Some(heard) => self.hear(heard)?,
                    None => return Ok(()),
                },
                _ = clock.tick() => self.ask_by_the_clock().await?,
                ready = wait(&mut self.viewer, room, self.live) => {
                    ready?;
                    self.send_next(room).await?;
                }
            }
        }
    }

    async fn send_next(&mut self, room: usize) -> Result<(), End> {
        let frames = self.viewer.take(room.min(WINDOW / ASK_EVERY)).await?;
        timeout(SEND_PATIENCE, self.feed(frames)).await.map_err(|_| End::Slow)?
    }

    async fn feed(&mut self, frames: Vec<Utf8Bytes>) -> Result<(), End> {
        for frame in frames {
            let ask = self.window.sent(frame.len());
            self.socket.feed(Message::Text(frame)).await.map_err(|_| End::Left)?;
            if let Some(ask) = ask {
                self.socket.feed(Message::Ping(ask)).await.map_err(|_| End::Left)?;
            }
        }
        self.socket.flush().await.map_err(|_| End::Left)
    }

    /// Who has said nothing since the last time is not there any more.
    async fn ask_by_the_clock(&mut self) -> Result<(), End> {
        if !std::mem::take(&mut self.alive) {
            return Err(End::Slow);
        }
        self.heard = 0;
        let ask = self.window.ask();
        self.send(Message::Ping(ask)).await
    }

    fn hear(&mut self, heard: Result<Message, axum::Error>) -> Result<(), End> {
        self.alive = true;
        match heard {
            Ok(Message::Pong(answer)) if self.window.answered(&answer) => Ok(()),
            Ok(Message::Ping(_) | Message::Pong(_)) => {
                self.heard += 1;
                if self.heard > MAX_HEARD { Err(End::Uncalled) } else { Ok(()) }
            }
            Ok(Message::Close(_)) => Err(End::Left),
            Ok(Message::Binary(_)) => Err(End::NotText),
            Ok(Message::Text(text)) => Err(match serde_json::from_str::<serde::de::IgnoredAny>(&text) {
                Ok(_) => End::Uncalled,
                Err(_) => End::NotText,
            }),
            Err(error) => Err(fault(error)),
        }
    }

    async fn send(&mut self, message: Message) -> Result<(), End> {
        let sent = timeout(SEND_PATIENCE, self.socket.send(message)).await;
        sent.map_err(|_| End::Slow)?.map_err(|_| End::Left)
    }

    /// Says why, and waits for the other side to have heard it.
    async fn part(&mut self, end: End) -> Result<(), axum::Error> {
        match end {
            End::Slow => self.socket.feed(Message::Text(resync(self.viewer.seen))).await?,
            End::Elsewhere => self.socket.feed(Message::Text(resync(self.viewer.head))).await?,
            _ => {}
        }
        let close = CloseFrame { code: end.code(), reason: Utf8Bytes::from_static(end.reason()) };
        self.socket.send(Message::Close(Some(close))).await?;
        while let Some(Ok(_)) = self.socket.recv().await {}
        Ok(())
    }
}

/// With room in the window, for the next event; without, for the moment when it is too late for that. Who is still catching up
/// has as long as they answer pings.
async fn wait(viewer: &mut Viewer, room: usize, live: bool) -> Result<(), End> {
    match room {
        0 if live => Err(viewer.outrun().await),
        0 => Err(viewer.gone().await),
        _ => viewer.ready().await,
    }
}

/// What of a client's mistakes is worth a word.
fn fault(error: axum::Error) -> End {
    match error.into_inner().downcast_ref::<WireError>() {
        Some(WireError::Capacity(_)) => End::TooLarge,
        Some(WireError::Utf8(_)) => End::NotText,
        Some(WireError::Protocol(ProtocolError::ResetWithoutClosingHandshake)) => End::Left,
        Some(WireError::Protocol(_)) => End::Uncalled,
        _ => End::Left,
    }
}

/// What is under way to a client.
#[derive(Default)]
struct Window {
    /// Events sent since the beginning, and bytes of them.
    sent: (u64, u64),
    /// Of these, the client has read so many.
    read: (u64, u64),
    /// What had been sent at the last ping.
    asked: (u64, u64),
    /// At each ping that is not answered yet.
    open: VecDeque<(u64, u64)>,
}

impl Window {
    /// Events that may be sent now.
    fn room(&self) -> usize {
        let (events, bytes) = (self.sent.0 - self.read.0, self.sent.1 - self.read.1);
        if bytes >= WINDOW_BYTES as u64 { 0 } else { WINDOW.saturating_sub(events as usize) }
    }

    /// One more is sent; gives what to ask, if it is time to.
    fn sent(&mut self, bytes: usize) -> Option<Bytes> {
        self.sent = (self.sent.0 + 1, self.sent.1 + bytes as u64);
        let since = (self.sent.0 - self.asked.0, self.sent.1 - self.asked.1);
        let many = |since: u64, all: usize| since >= (all / ASK_EVERY) as u64;
        (many(since.0, WINDOW) || many(since.1, WINDOW_BYTES)).then(|| self.ask())
    }

    /// What a ping carries: how much was sent before it.
    fn ask(&mut self) -> Bytes {
        self.asked = self.sent;
        if self.open.back() != Some(&self.sent) {
            self.open.push_back(self.sent);
        }
        Bytes::copy_from_slice(&self.sent.0.to_be_bytes())
    }

    /// Takes an answer; says whether it is one.
    fn answered(&mut self, answer: &[u8]) -> bool {
        let Some(count) = answer.try_into().ok().map(u64::from_be_bytes) else { return false };
        let Some(at) = self.open.iter().position(|(events, _)| *events == count) else { return false };
        // A ping may be skipped if a later one is answered.
        if let Some(read) = self.open.drain(..=at).next_back() {
            self.read = read;
        }
        true
    }
}
