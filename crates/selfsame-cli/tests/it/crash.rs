//! The daemon is killed again and again while eight clients use it; what it acknowledged must be there, once.
//!
//! The auditor stands outside: it starts the real executable, keeps its own ledger of what it sent and what it heard,
//! kills the process at a moment that nobody chose, or at a named point, starts it again and compares. What was never
//! answered may be there or not, but whole, and repeating it with its key settles it without a second effect. On
//! PostgreSQL the server is killed as well; the daemon must find back to it.
//!
//! `SELFSAME_TEST_CRASH_CYCLES` and `SELFSAME_TEST_CRASH_SEED` set how often and with which dice; `cargo xtask crash`
//! does so.

use crate::cli::{World, finish, wait_until};
use crate::postgres::Database;
use crate::server::OwnServer;
use selfsame::FAULT_POINTS;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

const CLIENTS: usize = 8;
const USUAL_SQLITE_CYCLES: usize = 100;
const USUAL_POSTGRES_CYCLES: usize = 30;
const LONGEST_STRETCH: usize = 100;
/// On PostgreSQL, every so many times it is the server that is killed.
const SERVER_EVERY: usize = 3;
/// Whatever takes longer is stuck.
const PATIENCE: Duration = Duration::from_secs(20);
/// A daemon that shall die at a point gets this long to come there: sixty writes on a disk that others use too.
const LONGEST_LOAD: Duration = Duration::from_secs(20);

#[test]
fn sqlite_what_was_acknowledged_survives_every_kill() {
    in_stretches("sqlite", USUAL_SQLITE_CYCLES, |cycles, seed| {
        let world = World::with_mind();
        Auditor::over(&world, Place::File(&world), seed).run(cycles)
    });
}

#[test]
fn postgres_what_was_acknowledged_survives_every_kill() {
    let server = OwnServer::start();
    in_stretches("postgres", USUAL_POSTGRES_CYCLES, |cycles, seed| {
        let database = Database::on(server.superuser_url());
        let world = World::new();
        let (url, owner) = (database.url(), database.owner_url());
        world.run(&["--db", &url, "--db-owner", &owner, "init"]).succeeds();
        Auditor::over(&world, Place::Server { server: &server, database: &database }, seed).run(cycles)
    });
}

/// Killed while it makes its tables, the next start makes them all.
fn a_death_while_the_tables_are_made_is_mended(world: &World) {
    let died = Victim::start(world, Some("migrate.before_commit:1"));
    assert!(died.is_none(), "it passed the point");
    let victim = Victim::start(world, None).expect("it starts");
    assert_eq!(victim.post("/v1/verify", "{}", None).map(|answer| answer.status), Some(200));
}

#[test]
fn sqlite_a_death_while_the_tables_are_made_is_mended_by_the_next_start() {
    a_death_while_the_tables_are_made_is_mended(&World::new());
}

#[test]
fn postgres_a_death_while_the_tables_are_made_is_mended_by_the_next_start() {
    let database = Database::make();
    let world = World::new().with("SELFSAME_DB", &database.url());
    a_death_while_the_tables_are_made_is_mended(&world.with("SELFSAME_DB_OWNER", &database.owner_url()));
}

/// The daemon says that it is not ready while the server is away, and finds back by itself.
#[test]
fn postgres_a_daemon_outlives_its_server() {
    let server = OwnServer::start();
    let database = Database::on(server.superuser_url());
    let world = World::new();
    world.run(&["--db", &database.url(), "--db-owner", &database.owner_url(), "init"]).succeeds();
    let victim = Victim::start(&world, None).expect("it starts");
    let ready = || victim.send("GET", "/readyz", "", None).map(|answer| answer.status);
    for round in 0..3 {
        let mut fact = Fact::new(format!("round{round}"), "it outlives its server");
        fact.remember(&victim).unwrap();
        assert_eq!((fact.remembered.clone(), ready()), (Heard::Acknowledged, Some(200)));
        server.kill();
        assert_eq!(ready(), Some(503));
        server.start_again();
        assert_eq!(ready(), Some(200), "it did not find back");
        assert_eq!(fact.recall(&victim), Ok(()));
    }
}

#[test]
fn a_fault_that_is_none_is_refused() {
    let world = World::new();
    let mut command = world.command(&["status"]);
    for fault in
        ["write.begn:1", "write.begun", "write.begun:0", "write.begun:1:pause", "write.begun:1:stop:2"]
    {
        let ran = finish(command.env("SELFSAME_TEST_FAULT", fault));
        ran.fails(2, "write point:n, or point:n:stop, with a point of migrate.before_commit");
    }
}

/// Many cycles are cut into stretches with a mind each: it grows with every cycle, and each audit looks at all of it.
fn in_stretches(name: &str, usual: usize, stretch: impl Fn(usize, u64) -> Outcome) {
    let (mut left, mut seed) = (cycles(usual), seed());
    let began = Instant::now();
    let mut whole = Outcome::default();
    while left > 0 {
        let now = left.min(LONGEST_STRETCH);
        whole.add(stretch(now, seed));
        left -= now;
        seed += 1;
    }
    whole.judge(name, began.elapsed());
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().and_then(|text| text.parse().ok())
}

fn cycles(usual: usize) -> usize {
    number("SELFSAME_TEST_CRASH_CYCLES").map_or(usual, |cycles| cycles as usize)
}

fn seed() -> u64 {
    number("SELFSAME_TEST_CRASH_SEED").unwrap_or(1)
}

/// SplitMix64, as everywhere.
#[derive(Clone)]
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }
}

/// A daemon that is going to be killed.
pub struct Victim {
    process: Child,
    pub address: String,
    pub key: String,
}

impl Drop for Victim {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a daemon answered, whole.
pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Victim {
    /// Starts one; nothing if it died before it was ready.
    pub fn start(world: &World, fault: Option<&str>) -> Option<Victim> {
        let mut command = world.command(&["serve", "--json", "--address", "127.0.0.1:0"]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(fault) = fault {
            command.env("SELFSAME_TEST_FAULT", fault);
        }
        let mut victim = Victim {
            process: without_core(&command).spawn().unwrap(),
            address: String::new(),
            key: String::new(),
        };
        let mut line = String::new();
        BufReader::new(victim.process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        victim.address = line.split('"').nth(3)?.to_owned();
        let key = std::fs::read_to_string(world.data().join("operator.key")).unwrap();
        key.trim().clone_into(&mut victim.key);
        Some(victim)
    }

    /// Bytes of its memory that are in use.
    pub fn memory(&self) -> u64 {
        self.bytes("VmRSS:")
    }

    /// The most bytes of memory that it used at any time since the peak was forgotten.
    pub fn peak(&self) -> u64 {
        self.bytes("VmHWM:")
    }

    /// From now on the peak is counted anew.
    pub fn forget_peak(&self) {
        std::fs::write(format!("/proc/{}/clear_refs", self.process.id()), "5").unwrap();
    }

    fn bytes(&self, what: &str) -> u64 {
        let text = std::fs::read_to_string(format!("/proc/{}/status", self.process.id())).unwrap();
        let kibibytes = text.lines().find_map(|line| line.strip_prefix(what)).unwrap();
        kibibytes.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10
    }

    /// SIGKILL, if it is not dead already.
    pub fn die(&self) {
        let pid = rustix::process::Pid::from_raw(self.process.id() as i32).unwrap();
        let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
    }

    /// SIGKILL, and wait for the end.
    pub fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }

    /// Waits for an end that somebody planned for it, and says by which signal it came.
    pub fn ended_by(mut self) -> Option<i32> {
        let process = &mut self.process;
        let status = wait_until("it has died", || process.try_wait().unwrap());
        std::os::unix::process::ExitStatusExt::signal(&status)
    }

    pub fn post(&self, path: &str, body: &str, key: Option<&str>) -> Option<Answer> {
        self.send("POST", path, body, key)
    }

    fn send(&self, method: &str, path: &str, body: &str, key: Option<&str>) -> Option<Answer> {
        send(&self.address, &self.key, method, path, body, key)
    }
}

/// One request on a connection of its own; nothing unless the whole answer came.
pub fn send(
    address: &str,
    bearer: &str,
    method: &str,
    path: &str,
    body: &str,
    key: Option<&str>,
) -> Option<Answer> {
    let repeat = key.map_or_else(String::new, |key| format!("idempotency-key: {key}\r\n"));
    let request = format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {bearer}\r\nconnection: close\r\n{repeat}\
         content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address).ok()?;
    stream.set_read_timeout(Some(PATIENCE)).ok()?;
    stream.write_all(request.as_bytes()).ok()?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer).ok()?;
    whole(&answer)
}

/// A killed process must not fill the disk with its memory.
fn without_core(command: &Command) -> Command {
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -c 0; exec \"$0\" \"$@\""]);
    limited.arg(command.get_program()).args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        if let Some(value) = value {
            limited.env(name, value);
        }
    }
    if let Some(folder) = command.get_current_dir() {
        limited.current_dir(folder);
    }
    limited.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    limited
}

fn whole(answer: &str) -> Option<Answer> {
    let (head, body) = answer.split_once("\r\n\r\n")?;
    let status = head.split(' ').nth(1)?.parse().ok()?;
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"))
        .and_then(|(_, value)| value.trim().parse::<usize>().ok())?;
    (body.len() == length).then(|| Answer { status, body: body.to_owned() })
}

/// What the auditor heard about a request.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Heard {
    Nothing,
    Acknowledged,
}

/// One fact in the ledger.
#[derive(Clone, Debug)]
struct Fact {
    /// A word that no other memory has.
    mark: String,
    text: String,
    remembered: Heard,
    id: Option<String>,
    /// Whether it was asked to be forgotten, and what came of it.
    forgotten: Option<Heard>,
}

impl Fact {
    fn new(mark: String, said: &str) -> Fact {
        let text = format!("{mark} said {said}.");
        Fact { mark, text, remembered: Heard::Nothing, id: None, forgotten: None }
    }

    fn request(&self) -> String {
        serde_json::json!({ "content": self.text }).to_string()
    }

    fn remember_key(&self) -> String {
        format!("r-{}", self.mark)
    }

    fn forget_key(&self) -> String {
        format!("f-{}", self.mark)
    }

    fn remember(&mut self, victim: &Victim) -> Result<(), String> {
        let key = self.remember_key();
        let Some(answer) = victim.post("/v1/agents/main/memories", &self.request(), Some(&key)) else {
            return Ok(());
        };
        // Outcome unknown, or too busy: as good as no answer.
        if answer.status >= 500 {
            return Ok(());
        }
        let id = answer.body.split('"').find(|word| word.starts_with("mem_"));
        let (200, Some(id)) = (answer.status, id) else {
            return Err(format!("{}: remember was answered {} {}", self.mark, answer.status, answer.body));
        };
        if self.id.as_deref().is_some_and(|before| before != id) {
            return Err(format!("{}: repeated, it has another id", self.mark));
        }
        self.id = Some(id.to_owned());
        self.remembered = Heard::Acknowledged;
        Ok(())
    }

    fn forget(&mut self, victim: &Victim) -> Result<(), String> {
        let Some(id) = &self.id else { return Ok(()) };
        self.forgotten.get_or_insert(Heard::Nothing);
        let request = serde_json::json!({ "id": id }).to_string();
        let key = self.forget_key();
        match victim.post("/v1/agents/main/forget", &request, Some(&key)) {
            Some(answer) if answer.status == 200 => self.forgotten = Some(Heard::Acknowledged),
            Some(answer) if answer.status < 500 => {
                return Err(format!("{}: forget was answered {} {}", self.mark, answer.status, answer.body));
            }
            _ => {}
        }
        Ok(())
    }

    /// What was acknowledged before is found now, and what was forgotten is not.
    fn recall(&self, victim: &Victim) -> Result<(), String> {
        let request = serde_json::json!({ "query": self.mark }).to_string();
        let Some(answer) = victim.post("/v1/agents/main/recall", &request, None) else {
            return Ok(());
        };
        let found = answer.body.matches(&self.text).count();
        let expected = match (&self.remembered, &self.forgotten) {
            (Heard::Acknowledged, None) => Some(1),
            (Heard::Acknowledged, Some(Heard::Acknowledged)) => Some(0),
            _ => None,
        };
        match (answer.status, expected) {
            (200, Some(expected)) if expected != found => {
                Err(format!("{}: recall found it {found} times, not {expected}", self.mark))
            }
            (200 | 500.., _) => Ok(()),
            (status, _) => Err(format!("{}: recall was answered {status} {}", self.mark, answer.body)),
        }
    }

    /// How often it may be stored.
    fn allowed(&self) -> (usize, usize) {
        match (&self.remembered, &self.forgotten) {
            (Heard::Nothing, _) | (_, Some(Heard::Nothing)) => (0, 1),
            (Heard::Acknowledged, None) => (1, 1),
            (Heard::Acknowledged, Some(Heard::Acknowledged)) => (0, 0),
        }
    }

    fn is_open(&self) -> bool {
        self.remembered == Heard::Nothing || self.forgotten == Some(Heard::Nothing)
    }
}

/// Where the database is, for a look past the daemon.
enum Place<'a> {
    File(&'a World),
    Server { server: &'a OwnServer, database: &'a Database },
}

impl Place<'_> {
    /// The server, if it is one that can be killed.
    fn server(&self) -> Option<&OwnServer> {
        match self {
            Place::File(_) => None,
            Place::Server { server, .. } => Some(server),
        }
    }

    /// Every stored text.
    fn texts(&self) -> Vec<String> {
        let sql = "SELECT content FROM memory_items";
        match self {
            Place::File(world) => {
                let connection = rusqlite::Connection::open(world.database()).unwrap();
                let mut statement = connection.prepare(sql).unwrap();
                let rows = statement.query_map([], |row| row.get(0)).unwrap();
                rows.collect::<Result<_, _>>().unwrap()
            }
            Place::Server { database, .. } => {
                let mut client = postgres::Client::connect(&database.owner_url(), postgres::NoTls).unwrap();
                client.batch_execute("SET search_path = selfsame, public").unwrap();
                client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect()
            }
        }
    }
}

/// The figures of a run.
#[derive(Default)]
struct Tally {
    cycles: usize,
    server_kills: usize,
    deaths_at_points: usize,
    acknowledged: usize,
    unanswered: usize,
    there_unanswered: usize,
    lost: usize,
    doubled: usize,
    partial: usize,
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} kills, {} of them of the server, {} deaths at named points, {} acknowledged writes, {} unanswered ({} of them stored), {} lost, {} \
             doubled, {} partial",
            self.cycles,
            self.server_kills,
            self.deaths_at_points,
            self.acknowledged,
            self.unanswered,
            self.there_unanswered,
            self.lost,
            self.doubled,
            self.partial
        )
    }
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.cycles += other.cycles;
        self.server_kills += other.server_kills;
        self.deaths_at_points += other.deaths_at_points;
        self.acknowledged += other.acknowledged;
        self.unanswered += other.unanswered;
        self.there_unanswered += other.there_unanswered;
        self.lost += other.lost;
        self.doubled += other.doubled;
        self.partial += other.partial;
    }
}

/// What an audit found.
#[derive(Default)]
struct Outcome {
    tally: Tally,
    violations: Vec<String>,
}

impl Outcome {
    fn add(&mut self, other: Outcome) {
        self.tally.add(&other.tally);
        self.violations.extend(other.violations);
    }

    fn judge(self, name: &str, took: Duration) {
        let kills = (self.tally.cycles + self.tally.deaths_at_points).max(1);
        println!("{name}: {}; {} ms each", self.tally, took.as_millis() / kills as u128);
        assert!(self.tally.acknowledged > 0, "nothing was acknowledged: the audit shows nothing");
        assert!(
            self.violations.is_empty(),
            "{} of them:\n{}",
            self.violations.len(),
            self.violations[..self.violations.len().min(20)].join("\n")
        );
    }
}

/// Whoever keeps the ledger.
struct Auditor<'a> {
    world: &'a World,
    place: Place<'a>,
    dice: Dice,
    ledger: Vec<Fact>,
    round: u64,
    tally: Tally,
    violations: Vec<String>,
}

impl<'a> Auditor<'a> {
    fn over(world: &'a World, place: Place<'a>, seed: u64) -> Auditor<'a> {
        Auditor {
            world,
            place,
            dice: Dice(seed),
            ledger: Vec::new(),
            round: 0,
            tally: Tally::default(),
            violations: Vec::new(),
        }
    }

    fn run(mut self, cycles: usize) -> Outcome {
        self.run_cycles(cycles);
        self.die_at_every_point();
        Outcome { tally: self.tally, violations: self.violations }
    }

    fn run_cycles(&mut self, cycles: usize) {
        let mut victim = self.restart();
        for cycle in 1..=cycles {
            let life = Duration::from_millis(10 + self.dice.below(290));
            if cycle % SERVER_EVERY == 0 && self.place.server().is_some() {
                self.kill_server(&mut victim, life);
            } else {
                self.load(&victim, |_, victim| {
                    std::thread::sleep(life);
                    victim.die();
                });
                victim.kill();
                victim = self.restart();
            }
            self.tally.cycles += 1;
            self.audit(&victim);
        }
    }

    /// The daemon lives on, without a database for a moment.
    fn kill_server(&mut self, victim: &mut Victim, life: Duration) {
        self.load(victim, |place, _| {
            std::thread::sleep(life);
            place.server().unwrap().kill();
        });
        self.place.server().unwrap().start_again();
        self.tally.server_kills += 1;
        let ended = victim.process.try_wait().unwrap();
        if let Some(status) = ended {
            self.violations.push(format!("round {}: it ended with its server ({status})", self.round));
            *victim = self.restart();
        }
    }

    /// Each point once, at a passing that nobody chose.
    fn die_at_every_point(&mut self) {
        for point in FAULT_POINTS.iter().filter(|point| point.starts_with("write.")) {
            // The first few are passed while it starts.
            let fault = format!("{point}:{}", 1 + self.dice.below(60));
            if let Some(mut victim) = Victim::start(self.world, Some(&fault)) {
                self.load_until_dead(&mut victim);
            }
            self.tally.deaths_at_points += 1;
            let victim = self.restart();
            self.audit(&victim);
        }
    }

    fn restart(&mut self) -> Victim {
        Victim::start(self.world, None).expect("the daemon starts after a kill")
    }

    fn load_until_dead(&mut self, victim: &mut Victim) {
        let pid = victim.process.id();
        self.load(victim, |_, victim| {
            let began = Instant::now();
            // A zombie has no memory map any more.
            let alive =
                || std::fs::read_to_string(format!("/proc/{pid}/cmdline")).is_ok_and(|line| !line.is_empty());
            while alive() && began.elapsed() < LONGEST_LOAD {
                std::thread::sleep(Duration::from_millis(5));
            }
            victim.die();
        });
        let process = &mut victim.process;
        let status = wait_until("it has died", || process.try_wait().unwrap());
        if std::os::unix::process::ExitStatusExt::signal(&status) != Some(6) {
            self.violations.push(format!("it did not die at its point ({status})"));
        }
    }

    /// Eight clients, until `strike` is over. It comes while they are at work; they end when nobody answers.
    fn load(&mut self, victim: &Victim, strike: impl FnOnce(&Place<'_>, &Victim)) {
        self.round += 1;
        let stop = AtomicBool::new(false);
        let clients: Vec<Client> = (0..CLIENTS)
            .map(|client| Client {
                name: format!("m{}x{client}x", self.round),
                dice: Dice(self.dice.next()),
                facts: Vec::new(),
                violations: Vec::new(),
            })
            .collect();
        let clients: Vec<Client> = std::thread::scope(|scope| {
            let stop = &stop;
            let running: Vec<_> =
                clients.into_iter().map(|client| scope.spawn(move || client.work(victim, stop))).collect();
            strike(&self.place, victim);
            stop.store(true, Ordering::SeqCst);
            running.into_iter().map(|client| client.join().unwrap()).collect()
        });
        for client in clients {
            self.ledger.extend(client.facts);
            self.violations.extend(client.violations);
        }
    }

    /// Compares; what is open is settled by repetition, and compared once more.
    fn audit(&mut self, victim: &Victim) {
        self.compare("after the kill");
        let open: Vec<usize> = (0..self.ledger.len()).filter(|place| self.ledger[*place].is_open()).collect();
        self.tally.unanswered += open.len();
        for place in open {
            self.settle(victim, place);
        }
        self.compare("after the repetition");
        self.look_by_id(victim);
        let verified = self.world.run(&["verify"]);
        if verified.code != 0 {
            self.violations.push(format!("round {}: verify says {verified}", self.round));
        }
    }

    fn settle(&mut self, victim: &Victim, place: usize) {
        let fact = &mut self.ledger[place];
        let settled = match fact.forgotten {
            Some(_) => fact.forget(victim),
            None => fact.remember(victim),
        };
        if let Err(violation) = settled {
            self.violations.push(violation);
        } else if fact.is_open() {
            self.violations.push(format!("{}: repeated, it was not answered", fact.mark));
        }
    }

    /// The whole ledger against the whole table.
    fn compare(&mut self, when: &str) {
        let mut stored: BTreeMap<String, usize> = BTreeMap::new();
        for text in self.place.texts() {
            *stored.entry(text).or_default() += 1;
        }
        for fact in &self.ledger {
            let times = stored.remove(&fact.text).unwrap_or(0);
            let (least, most) = fact.allowed();
            if fact.is_open() && times > 0 {
                self.tally.there_unanswered += 1;
            }
            if times < least {
                self.tally.lost += 1;
            } else if times > most {
                self.tally.doubled += 1;
            } else {
                continue;
            }
            self.violations.push(format!(
                "round {}, {when}: {} is there {times} times, not {least} to {most}",
                self.round, fact.mark
            ));
        }
        for (text, times) in stored {
            self.tally.partial += 1;
            self.violations
                .push(format!("round {}, {when}: nobody sent {text:?} ({times} times)", self.round));
        }
    }

    /// What was acknowledged in this round is found under the id that was given out, with its text.
    fn look_by_id(&mut self, victim: &Victim) {
        let of_round = format!("m{}x", self.round);
        for fact in self.ledger.iter().filter(|fact| fact.mark.starts_with(&of_round)) {
            let Some(id) = &fact.id else { continue };
            self.tally.acknowledged += 1 + usize::from(fact.forgotten.is_some());
            let path = format!("/v1/agents/main/memories/{id}");
            let answer = victim.send("GET", &path, "", None);
            let fits = answer.as_ref().is_some_and(|answer| match fact.forgotten {
                None => answer.status == 200 && answer.body.contains(&fact.text),
                Some(_) => matches!(answer.status, 404 | 410),
            });
            if !fits {
                let said = answer.map(|answer| format!("{} {}", answer.status, answer.body));
                self.violations.push(format!("{}: by its id: {said:?}", fact.mark));
            }
        }
    }
}

/// One of the eight.
struct Client {
    name: String,
    dice: Dice,
    facts: Vec<Fact>,
    violations: Vec<String>,
}

impl Client {
    fn work(mut self, victim: &Victim, stop: &AtomicBool) -> Client {
        while !stop.load(Ordering::SeqCst) {
            let done = match self.dice.below(100) {
                0..70 => self.remember(victim),
                70..85 => self.with_some_fact(|fact| fact.forget(victim)),
                _ => self.with_some_fact(|fact| fact.recall(victim)),
            };
            if let Err(violation) = done {
                self.violations.push(violation);
            }
            // Nobody is there any more: what would be sent now says nothing.
            let unheard = self.facts.last().is_some_and(Fact::is_open);
            if unheard && TcpStream::connect(&victim.address).is_err() {
                break;
            }
        }
        self
    }

    fn remember(&mut self, victim: &Victim) -> Result<(), String> {
        let mark = format!("{}n{}", self.name, self.facts.len());
        let words = ["tea", "rain", "bicycle", "garden", "letter", "harbour", "winter"];
        let said: Vec<&str> = (0..3 + self.dice.below(20))
            .map(|_| words[self.dice.below(words.len() as u64) as usize])
            .collect();
        let mut fact = Fact::new(mark, &said.join(" "));
        let done = fact.remember(victim);
        self.facts.push(fact);
        done
    }

    fn with_some_fact(&mut self, work: impl FnOnce(&mut Fact) -> Result<(), String>) -> Result<(), String> {
        let count = self.facts.len() as u64;
        let place = self.dice.below(count) as usize;
        match self.facts.get_mut(place) {
            Some(fact) if fact.forgotten.is_none() => work(fact),
            _ => Ok(()),
        }
    }
}
