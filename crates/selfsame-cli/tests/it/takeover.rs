//! Two daemons on one PostgreSQL, with leases of a second. One of them is stopped in the middle of a duty: after its work,
//! before its write. Then it is killed, or goes on when the other has long taken over and shows a token that is worth
//! nothing any more.
//!
//! What happened is read from a ledger that triggers in the database keep: nobody who writes a duty can leave a line out.

use crate::cli::{World, wait_until};
use crate::postgres::Database;
use postgres::{Client, NoTls};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

const LEASE: &str = "duties.lease=1s";
/// What a takeover may take beyond the end of the lease, in microseconds.
const GRACE: i64 = 1_000_000;

/// Clocks that were set by one question to the server differ by less than this.
const AGREEMENT: i64 = 100_000;

/// The duties of a round: one that runs in the step, one that runs on a lane and renews its lease.
const KINDS: [&str; 2] = ["sweep_replies", "daily_backup"];

/// How often somebody is killed or put to sleep.
fn rounds() -> usize {
    std::env::var("SELFSAME_SOAK_TAKEOVERS").map_or(20, |rounds| rounds.parse().unwrap())
}

#[test]
fn what_a_killed_process_held_is_taken_over() {
    let (mut pair, rounds) = (Pair::make(), rounds());
    for round in 0..rounds {
        let victim = pair.stop_one_in_the_middle(round);
        victim.kill();
        pair.wait_until_all_is_done();
    }
    pair.judge(rounds);
}

#[test]
fn what_a_sleeping_process_held_is_taken_over_and_its_token_refused() {
    let (mut pair, rounds) = (Pair::make(), rounds());
    let mut refused = 0;
    for round in 0..rounds {
        let mut victim = pair.stop_one_in_the_middle(round);
        pair.wait_until_all_is_done();
        refused += victim.wake_up_and_be_refused();
        victim.kill();
    }
    println!("{refused} stale tokens refused in {rounds} rounds");
    assert!(refused >= rounds as u64, "{refused} stale tokens were refused in {rounds} rounds");
    pair.judge(rounds);
}

/// A survivor who is there all the time, and a ledger.
struct Pair {
    worlds: [World; 2],
    client: Client,
    made: usize,
    _survivor: Process,
    // Dropped last: the others are connected to it.
    _database: Database,
}

impl Pair {
    fn make() -> Pair {
        let database = Database::make();
        let worlds = [World::new(), World::new()];
        let (url, owner) = (database.url(), database.owner_url());
        worlds[0].run(&["--db", &url, "--db-owner", &owner, "init"]).succeeds();
        worlds[1].run(&["--db", &url, "init"]).succeeds();
        let mut client = Client::connect(&owner, NoTls).unwrap();
        client.batch_execute(LEDGER).unwrap();
        let mut survivor = Process::start(&worlds[0], None);
        survivor.address();
        Pair { worlds, client, made: 0, _survivor: survivor, _database: database }
    }

    /// Starts a second process that stops in its first duty. The other may be quicker with one duty, so there are more
    /// until it has one.
    fn stop_one_in_the_middle(&mut self, round: usize) -> Process {
        let kind = KINDS[round % KINDS.len()];
        self.make_duty(kind);
        let victim = Process::start(&self.worlds[1], Some("duty.prepared:1:stop"));
        let mut looks = 0;
        wait_until("it stands still in the middle of a duty", || {
            looks += 1;
            if looks % 3 == 0 {
                self.make_duty(kind);
            }
            victim.is_stopped().then_some(())
        });
        victim
    }

    /// A duty that is due now, once.
    fn make_duty(&mut self, kind: &str) {
        self.made += 1;
        let make =
            "INSERT INTO selfsame.duties (id, kind, scope, rhythm, slot, next_at, state, attempts, token,
                done_count, passed_over, created_at, updated_at)
            VALUES (gen_random_uuid(), $1, $2, 'once', now(), now(), 'waiting', 0, 0, 0, 0, now(), now())";
        self.client.execute(make, &[&kind, &format!("round {}", self.made)]).unwrap();
    }

    fn wait_until_all_is_done(&mut self) {
        let open = "SELECT COUNT(*) FROM selfsame.duties WHERE scope LIKE 'round %' AND state <> 'done'";
        let client = &mut self.client;
        wait_until("every duty is done", || {
            let open: i64 = client.query_one(open, &[]).unwrap().get(0);
            (open == 0).then_some(())
        });
    }

    /// Every duty was done once; those of the victims were taken over, and within the lease and a second.
    fn judge(&mut self, taken: usize) {
        let done = "SELECT COUNT(*), COUNT(DISTINCT duty) FROM ledger WHERE what = 'done'";
        let row = self.client.query_one(done, &[]).unwrap();
        let made = self.made as i64;
        assert_eq!(
            (row.get::<_, i64>(0), row.get::<_, i64>(1)),
            (made, made),
            "some effect is missing or there twice"
        );
        // A second claim of the same duty is a takeover; the last lease that stood before it is when it could begin.
        let late = "SELECT EXTRACT(EPOCH FROM second.at - MAX(before.lease_until)) * 1000000
            FROM ledger second
            JOIN ledger before ON before.duty = second.duty AND before.token < second.token
            WHERE second.what = 'claimed' AND second.token > 1
            GROUP BY second.duty, second.token, second.at";
        let late: Vec<i64> = self
            .client
            .query(&format!("SELECT late::bigint FROM ({late}) AS takeovers (late)"), &[])
            .unwrap()
            .iter()
            .map(|row| row.get(0))
            .collect();
        let worst = late.iter().max().copied().unwrap_or_default();
        println!(
            "{} takeovers of {made} duties, the slowest {} ms after the lease",
            late.len(),
            worst / 1000
        );
        // On its lanes a process may hold two.
        assert!(late.len() >= taken, "{late:?}");
        assert!(
            late.iter().all(|late| (-AGREEMENT..=GRACE).contains(late)),
            "microseconds after the end of the lease: {late:?}"
        );
    }
}

/// Writes down who claimed what, each renewal, and each completion, in the transaction that does it.
const LEDGER: &str = "
    CREATE TABLE ledger (duty UUID, what TEXT, token BIGINT, lease_until TIMESTAMPTZ, at TIMESTAMPTZ);
    CREATE FUNCTION write_down() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = public AS $$
    BEGIN
        IF NEW.scope LIKE 'round %' THEN
            INSERT INTO ledger VALUES (NEW.id,
                CASE WHEN NEW.token > OLD.token THEN 'claimed'
                    WHEN NEW.done_count > OLD.done_count THEN 'done'
                    ELSE 'other' END,
                NEW.token, NEW.lease_until, clock_timestamp());
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER write_down AFTER UPDATE ON selfsame.duties FOR EACH ROW EXECUTE FUNCTION write_down();
";

/// A daemon, which may be stopped before it has said where it listens.
struct Process {
    child: Child,
    key: String,
}

impl Process {
    fn start(world: &World, fault: Option<&str>) -> Process {
        let mut command = world.command(&["serve", "--json", "--address", "127.0.0.1:0", "--set", LEASE]);
        command.stdout(Stdio::piped()).stderr(Stdio::null());
        if let Some(fault) = fault {
            command.env("SELFSAME_TEST_FAULT", fault);
        }
        let key = std::fs::read_to_string(world.data().join("operator.key")).unwrap();
        Process { child: command.spawn().unwrap(), key: key.trim().to_owned() }
    }

    /// Where it listens, as soon as it says so.
    fn address(&mut self) -> String {
        let mut line = String::new();
        BufReader::new(self.child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        line.split('"').nth(3).unwrap_or_else(|| panic!("it did not start: {line}")).to_owned()
    }

    fn pid(&self) -> Pid {
        Pid::from_raw(self.child.id() as i32).unwrap()
    }

    /// Whether it stands still since the last look.
    fn is_stopped(&self) -> bool {
        let looked = waitpid(Some(self.pid()), WaitOptions::NOHANG | WaitOptions::UNTRACED).unwrap();
        looked.is_some_and(|(_, status)| {
            assert!(status.stopped(), "it ended: {status:?}");
            true
        })
    }

    /// Lets it go on, and waits until a token of it was refused; gives how many were.
    fn wake_up_and_be_refused(&mut self) -> u64 {
        kill_process(self.pid(), Signal::CONT).unwrap();
        let address = self.address();
        wait_until("it was refused", || Some(self.stale_tokens(&address)).filter(|refused| *refused > 0))
    }

    fn stale_tokens(&self, address: &str) -> u64 {
        let request = format!(
            "GET /metrics HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer {}\r\nconnection: close\r\n\r\n",
            self.key
        );
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        stream.write_all(request.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        let count = answer.lines().find_map(|line| line.strip_prefix("selfsame_stale_tokens_total "));
        count.unwrap_or_else(|| panic!("{answer}")).parse().unwrap()
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
