//! What other processes commit, heard through the server: a transaction tells its news with its commit, and a thread with a
//! connection of its own listens.

use super::connection::connect;
use super::values::uuid;
use crate::error::Result;
use crate::news::{Ear, News};
use ::postgres::fallible_iterator::FallibleIterator as _;
use ::postgres::{Client, Config};
use selfsame_core::id::{AgentId, Id};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// One channel for all; it is a name within the database.
const CHANNEL: &str = "selfsame_news";
/// How often the listener looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(250);
/// How long it waits before it calls a server again that does not answer.
const PAUSE: Duration = Duration::from_secs(1);

/// The statements that end a transaction and tell its news with it: nobody hears of what was rolled back.
pub(super) fn commit(news: &[News]) -> String {
    // A transaction in which a statement failed commits without a word and stores nothing; a query before it makes the
    // server say so.
    let told: Vec<String> =
        news.iter().map(|news| format!("pg_notify('{CHANNEL}', '{}')", written(*news))).collect();
    match told.is_empty() {
        true => "SELECT 1; COMMIT".to_owned(),
        false => format!("SELECT {}; COMMIT", told.join(", ")),
    }
}

fn written(news: News) -> String {
    match news {
        News::Log { agent, seq } => format!("log {} {seq}", uuid(agent.id())),
        News::Keys => "keys".to_owned(),
        News::Missed => "missed".to_owned(),
    }
}

/// What cannot be read was told by another version: then everything is looked at.
fn read(text: &str) -> News {
    let log = || {
        let (agent, seq) = text.strip_prefix("log ")?.split_once(' ')?;
        Some(News::Log { agent: AgentId::of(id(agent)?), seq: seq.parse().ok()? })
    };
    match text {
        "keys" => News::Keys,
        other => log().filter(|_| other.len() < 100).unwrap_or(News::Missed),
    }
}

fn id(uuid: &str) -> Option<Id> {
    let digits: String = uuid.chars().filter(|digit| *digit != '-').collect();
    let number = u128::from_str_radix(&digits, 16).ok()?;
    Some(Id::from_bytes(number.to_be_bytes()))
}

/// The thread that listens. It ends when this is dropped.
pub(crate) struct Listener {
    wanted: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Listener {
    pub(super) fn start(config: Config, ear: Ear) -> std::io::Result<Listener> {
        let wanted = Arc::new(AtomicBool::new(true));
        let still = Arc::clone(&wanted);
        let listen = move || {
            while still.load(Ordering::Relaxed) {
                // Why it could not is seen by everybody else who calls the server; here it is only tried again.
                let _ = hear(&config, &ear, &still);
                if still.load(Ordering::Relaxed) {
                    std::thread::sleep(PAUSE);
                }
            }
        };
        let thread = std::thread::Builder::new().name("selfsame-listener".into()).spawn(listen)?;
        Ok(Listener { wanted, thread: Some(thread) })
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.wanted.store(false, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Listens until the connection ends or nobody wants to know any more.
fn hear(config: &Config, ear: &Ear, wanted: &AtomicBool) -> Result<()> {
    let mut client: Client = connect(config)?;
    client.batch_execute(&format!("LISTEN {CHANNEL}"))?;
    // What was told before is told to nobody again.
    ear(News::Missed);
    while wanted.load(Ordering::Relaxed) && !client.is_closed() {
        let mut notifications = client.notifications();
        let mut heard = notifications.timeout_iter(LOOK);
        while let Some(notification) = heard.next()? {
            ear(read(notification.payload()));
        }
    }
    Ok(())
}
