//! Whoever reads what is stored with a new model is killed in the midst of it, again and again. The next one goes on where
//! it was: nothing is read twice, nothing is left out, recall looks in the old vectors until the new ones are whole, and at
//! no moment is anything damaged.

use crate::cli::{Daemon, World, wait_until};
use crate::postgres::Database;
use std::collections::BTreeSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

const TEXTS: usize = 40;
/// Texts in one request.
const BATCH: usize = 4;
/// What the texts begin with, unlike the sentences that a new model is tried with.
const OURS: &str = "fact number";

/// A server of Ollama's kind that answers so many requests for our texts, and leaves the next one waiting.
struct Played {
    address: String,
    state: Arc<State>,
}

struct State {
    left: AtomicUsize,
    answered: Mutex<Vec<String>>,
    waiting: Mutex<Vec<TcpStream>>,
}

impl Played {
    fn answering(requests: usize) -> Played {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (answered, waiting) = (Mutex::default(), Mutex::default());
        let state = Arc::new(State { left: AtomicUsize::new(requests), answered, waiting });
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let state = Arc::clone(&shared);
                std::thread::spawn(move || state.serve(stream));
            }
        });
        Played { address, state }
    }

    fn wait_until_one_waits(&self) {
        wait_until("a request is left waiting", || {
            (!self.state.waiting.lock().unwrap().is_empty()).then_some(())
        });
    }

    /// Our texts that it was asked for and answered.
    fn answered(&self) -> Vec<String> {
        self.state.answered.lock().unwrap().clone()
    }

    /// The arguments that make this the embedder, under a name.
    fn settings(&self, model: &str) -> Vec<String> {
        let url = format!("embedder.url=http://{}", self.address);
        let (model, batch) = (format!("embedder.model={model}"), format!("embedder.batch={BATCH}"));
        let all = ["embedder.kind=ollama", &url, &model, &batch, "duties.lease=1s"];
        all.iter().flat_map(|setting| ["--set".to_owned(), (*setting).to_owned()]).collect()
    }
}

impl State {
    fn serve(&self, stream: TcpStream) {
        let Some(texts) = asked(&stream) else { return };
        let ours: Vec<String> = texts.iter().filter(|text| text.starts_with(OURS)).cloned().collect();
        let take_one = |left: usize| left.checked_sub(1);
        if !ours.is_empty() && self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take_one).is_err() {
            self.waiting.lock().unwrap().push(stream);
            return;
        }
        self.answered.lock().unwrap().extend(ours);
        let vectors: Vec<Vec<u8>> = texts.iter().map(|text| vector(text)).collect();
        let body = serde_json::json!({ "embeddings": vectors }).to_string();
        let head = format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}", body.len());
        let _ = write!(&stream, "{head}\r\n\r\n{body}");
    }
}

/// The texts of a request.
fn asked(stream: &TcpStream) -> Option<Vec<String>> {
    let mut reader = BufReader::new(stream);
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        match line.trim_end().to_ascii_lowercase().strip_prefix("content-length:") {
            Some(value) => length = value.trim().parse().ok()?,
            None if line.trim_end().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    let request: serde_json::Value = serde_json::from_slice(&body).ok()?;
    Some(request["input"].as_array()?.iter().filter_map(|text| Some(text.as_str()?.to_owned())).collect())
}

/// Numbers that follow from a text; what they are does not matter here.
fn vector(text: &str) -> Vec<u8> {
    let mix = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, mix).to_le_bytes().to_vec()
}

/// A mind, and a look at its rows past the program.
struct House {
    world: World,
    server: Option<Database>,
}

impl House {
    fn on_sqlite() -> House {
        House { world: World::with_mind(), server: None }
    }

    fn on_postgres() -> House {
        let (world, database) = (World::new(), Database::make());
        world.run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]).succeeds();
        House { world, server: Some(database) }
    }

    fn number(&self, sql: &str) -> i64 {
        match &self.server {
            None => {
                let connection = rusqlite::Connection::open(self.world.database()).unwrap();
                connection.query_row(sql, [], |row| row.get(0)).unwrap()
            }
            Some(database) => {
                let mut client = postgres::Client::connect(&database.owner_url(), postgres::NoTls).unwrap();
                client.batch_execute("SET search_path = selfsame, public").unwrap();
                client.query_one(sql, &[]).unwrap().get(0)
            }
        }
    }

    /// How many texts have a vector of a generation; each has one.
    fn vectors(&self, generation: u32) -> usize {
        let counted = self.number(&format!(
            "SELECT CASE WHEN COUNT(*) = COUNT(DISTINCT item_id) THEN COUNT(*) ELSE -1 END FROM vectors
                WHERE generation = {generation}"
        ));
        usize::try_from(counted).expect("some text has two")
    }

    fn in_use(&self) -> i64 {
        self.number("SELECT MAX(generation) FROM vector_use")
    }

    fn serve(&self, played: &Played, model: &str) -> Daemon {
        let settings = played.settings(model);
        self.world.serve(&settings.iter().map(String::as_str).collect::<Vec<_>>())
    }

    /// `selfsame model embed`, not started yet.
    fn embed(&self, played: &Played, model: &str) -> std::process::Command {
        let mut command = self.world.command(&["model", "embed"]);
        command.args(played.settings(model)).stdout(std::process::Stdio::null());
        command
    }

    /// Texts, read by a first model.
    fn furnish(&self) {
        let daemon = self.world.serve(&["--set", "embedder.kind=none"]);
        for number in 0..TEXTS {
            assert_eq!(daemon.remember(&format!("{OURS} {number}")).0, 200);
        }
        assert_eq!(daemon.stop(), 0);
        assert!(self.embed(&Played::answering(usize::MAX), "old").status().unwrap().success());
        assert_eq!((self.vectors(1), self.in_use()), (TEXTS, 1));
    }

    /// After a kill: what was answered is kept, nothing else is, and nothing is damaged.
    fn audit(&self, read: &[String]) {
        assert_eq!((self.vectors(1), self.vectors(2), self.in_use()), (TEXTS, read.len(), 1));
        self.world.run(&["verify"]).succeeds();
    }

    fn survive(&self) {
        self.furnish();
        let mut read = Vec::new();
        for requests in [0, 2] {
            let played = Played::answering(requests);
            let mut process = self.embed(&played, "new").spawn().unwrap();
            played.wait_until_one_waits();
            process.kill().unwrap();
            process.wait().unwrap();
            read.extend(played.answered());
            self.audit(&read);
        }
        for requests in [1, 3] {
            let played = Played::answering(requests);
            let daemon = self.serve(&played, "new");
            played.wait_until_one_waits();
            daemon.kill();
            read.extend(played.answered());
            self.audit(&read);
        }
        assert_eq!(read.len(), 6 * BATCH);
        let played = Played::answering(usize::MAX);
        let daemon = self.serve(&played, "new");
        wait_until("recall looks in the new vectors", || {
            (self.in_use() == 2 && self.vectors(1) == 0).then_some(())
        });
        assert_eq!(daemon.stop(), 0);
        read.extend(played.answered());
        assert_eq!(read.iter().collect::<BTreeSet<_>>().len(), TEXTS, "{read:?}");
        assert_eq!((read.len(), self.vectors(2)), (TEXTS, TEXTS), "each was read once");
        self.world.run(&["verify"]).succeeds();
    }
}

#[test]
fn sqlite_a_kill_while_a_new_model_reads_loses_nothing() {
    House::on_sqlite().survive();
}

#[test]
fn postgres_a_kill_while_a_new_model_reads_loses_nothing() {
    House::on_postgres().survive();
}
