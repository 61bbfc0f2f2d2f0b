//! Two daemons on one PostgreSQL read the log of one agent at the same time, while people contradict each other through
//! both and one of the two is killed again and again.
//!
//! The index that would refuse a second answer to a question is taken away first: what is seen here is that nobody tries.

use crate::cli::{World, wait_until};
use crate::crash::{Victim, send};
use crate::postgres::Database;
use postgres::{Client, NoTls};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{PoisonError, RwLock};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// Letters that each of two clients writes.
const EACH: usize = 60;
const NAMES: [&str; 3] = ["Maya", "Jonas", "Zoe"];
const VALUES: [&str; 3] = ["PostgreSQL", "SQLite", "MySQL"];
/// The first life of the second daemon ends in a transaction that is not committed yet.
const FIRST_DEATH: &str = "write.before_commit:45";
/// Its next lives end by SIGKILL when so many letters were acknowledged.
const KILLED_AT: [usize; 3] = [EACH / 2, EACH, EACH * 3 / 2];

#[test]
fn beliefs_are_those_of_one_mind_that_read_the_same_log() {
    let mut house = House::make();
    house.write_through_both(Diet::LettersAlone);
    let letters: BTreeSet<String> = (0..2 * EACH).map(name_of).collect();
    assert_eq!(house.sources_of_claims(), letters, "each letter was judged once");
    let of_two = house.all_that_is_believed();
    for reason in ["formed", "supported", "contended", "operator_stated"] {
        assert!(of_two.iter().any(|line| line.contains(reason)), "nothing was {reason}: {of_two:#?}");
    }
    house.forget_what_was_read();
    house.worlds[0].run(&["know", "consolidate"]).succeeds();
    let of_one = house.all_that_is_believed();
    assert!(of_one.len() > 2 * EACH, "{of_one:#?}");
    assert_eq!(of_two, of_one);
}

/// The same with all that may change a belief: what is stated in so many words, judgements, and the duty that looks again.
#[test]
fn a_question_has_one_answer_whoever_changes_it() {
    let mut house = House::make();
    house.write_through_both(Diet::Everything);
    let judged = house.number("SELECT COUNT(*) FROM selfsame.knowledge_claims WHERE reader = 'feedback'");
    assert!(judged > 0, "nobody's judgement was taken");
    let looked_at = "SELECT COUNT(*) FROM selfsame.duties WHERE kind = 'revalidate' AND scope LIKE 'round %'";
    assert!(house.number(looked_at) > 0, "no duty looked again");
}

/// Agents with a reminder each, so that there is a heart for whoever looks first.
const HEARTS: usize = 8;

/// Two processes let the hearts of one database beat at the same time: each reminder is told by one of them, and once.
#[test]
fn two_daemons_tell_each_due_thing_once() {
    let mut house = House::make();
    let names: Vec<String> = (0..HEARTS).map(|number| format!("heart-{number}")).collect();
    for name in &names {
        house.worlds[0].run(&["agent", "create", name]).succeeds();
    }
    let daemons = [0, 1].map(|n| Victim::start(&house.worlds[n], None).unwrap());
    for (name, daemon) in names.iter().zip(daemons.iter().cycle()) {
        let due = house.text(
            "SELECT to_char((now() + interval '10 seconds') AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
        );
        let body = json!({ "content": "water the fern", "tags": [format!("cron:once:{due}")] }).to_string();
        let path = format!("/v1/agents/{name}/memories");
        let stored = send(&daemon.address, &daemon.key, "POST", &path, &body, None).unwrap();
        assert_eq!(stored.status, 200, "{}", stored.body);
    }
    let told = "SELECT COUNT(*) FROM selfsame.nudge_refs WHERE signal = 'scheduled'";
    // Both let every heart beat at the same time, from before the reminders are due until all are told, and then on:
    // whoever looks again finds nothing more to tell.
    let beat = |daemon: &Victim| {
        for name in &names {
            let path = format!("/v1/agents/{name}/heartbeat/tick");
            let beaten = send(&daemon.address, &daemon.key, "POST", &path, "{}", None).unwrap();
            assert_eq!(beaten.status, 200, "{}", beaten.body);
        }
    };
    let both_beat = || {
        std::thread::scope(|scope| drop(daemons.each_ref().map(|daemon| scope.spawn(move || beat(daemon)))));
    };
    wait_until("every reminder is told", || {
        both_beat();
        (house.number(told) >= HEARTS as i64).then_some(())
    });
    (0..3).for_each(|_| both_beat());
    assert_eq!(house.number(told), HEARTS as i64, "none is told twice");
    let distinct =
        "SELECT COUNT(DISTINCT (agent_id, ref_id)) FROM selfsame.nudge_refs WHERE signal = 'scheduled'";
    assert_eq!(house.number(distinct), HEARTS as i64, "and each once");
    assert_eq!(house.number("SELECT COUNT(*) FROM selfsame.heartbeats WHERE failures > 0"), 0);
    for daemon in daemons {
        daemon.kill();
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Diet {
    LettersAlone,
    Everything,
}

/// Two data folders with one database, and somebody who looks into it from outside.
struct House {
    worlds: [World; 2],
    /// Keys of the operator, of a principal and of the agent itself.
    voices: [String; 3],
    client: Client,
    database: Database,
}

impl House {
    fn make() -> House {
        let database = Database::make();
        let worlds = [World::new(), World::new()];
        let (url, owner) = (database.url(), database.owner_url());
        worlds[0].run(&["--db", &url, "--db-owner", &owner, "init"]).succeeds();
        worlds[1].run(&["--db", &url, "init"]).succeeds();
        worlds[0].run(&["principal", "add", "ben"]).succeeds();
        let voice = |arguments: &[&str]| {
            let made = worlds[0].run(&[&["key", "create", "voice"], arguments].concat()).succeeds();
            made.lines().next().unwrap_or_default().to_owned()
        };
        let voices = [
            voice(&[]),
            voice(&["--speaks-as", "principal", "--principal", "ben"]),
            voice(&["--speaks-as", "agent"]),
        ];
        let mut client = Client::connect(&owner, NoTls).unwrap();
        client.batch_execute(OPENED).unwrap();
        House { worlds, voices, client, database }
    }

    /// Two clients, a daemon each; a killer; and one who watches, and sees to it that there is always a duty to do.
    fn write_through_both(&mut self, diet: Diet) {
        let steady = Victim::start(&self.worlds[0], None).unwrap();
        self.put_off_the_house_duties();
        let shaky = RwLock::new(Some(Victim::start(&self.worlds[1], Some(FIRST_DEATH)).unwrap()));
        let (written, over) = (AtomicUsize::new(0), AtomicBool::new(false));
        let mut watcher = Watcher::of(&self.database, diet);
        let (worlds, voices) = (&self.worlds, &self.voices);
        let (steady, shaky, written, over) = (&steady, &shaky, &written, &over);
        std::thread::scope(|scope| {
            let watching = scope.spawn(move || {
                while !over.load(Ordering::SeqCst) {
                    watcher.look();
                }
                watcher.looks
            });
            let _ended = scope.spawn(move || {
                for killed_at in KILLED_AT {
                    while written.load(Ordering::SeqCst) < killed_at {
                        std::thread::sleep(Duration::from_millis(10));
                    }
                    let mut place = shaky.write().unwrap_or_else(PoisonError::into_inner);
                    if let Some(victim) = place.take() {
                        victim.kill();
                    }
                    *place = Victim::start(&worlds[1], None);
                }
            });
            let clients: Vec<_> = (0..2)
                .map(|who| {
                    scope.spawn(move || {
                        let client = Correspondent { steady, shaky, voices, diet };
                        for round in 0..EACH {
                            client.write(who + 2 * round, who);
                            written.fetch_add(1, Ordering::SeqCst);
                        }
                    })
                })
                .collect();
            // Whoever failed says so when the scope ends; nobody else may go on for ever.
            let ended: Vec<_> = clients.into_iter().map(ScopedJoinHandle::join).collect();
            written.store(usize::MAX / 2, Ordering::SeqCst);
            over.store(true, Ordering::SeqCst);
            assert!(ended.iter().all(Result::is_ok), "a client gave up");
            let looks = watching.join().unwrap();
            println!("{looks} looks while {} letters were written", 2 * EACH);
        });
        let done =
            send(&steady.address, &steady.key, "POST", "/v1/agents/main/consolidate", "{}", None).unwrap();
        assert_eq!(done.status, 200, "{}", done.body);
        let failed = "SELECT COUNT(*) FROM selfsame.duties WHERE last_error IS NOT NULL";
        assert_eq!(self.number(failed), 0, "a duty failed");
        if let Some(victim) = shaky.write().unwrap_or_else(PoisonError::into_inner).take() {
            victim.kill();
        }
        assert_eq!(self.number(MOST_ANSWERS), 1);
        self.worlds[1].run(&["verify"]).succeeds();
    }

    /// What the house does by the hour would come between, or not: the test gives out its own.
    fn put_off_the_house_duties(&mut self) {
        let put_off =
            "UPDATE selfsame.duties SET slot = slot + interval '1 day', next_at = next_at + interval '1 day'
            WHERE kind IN ('consolidate', 'revalidate')";
        let client = &mut self.client;
        wait_until("the house has its duties", || (client.execute(put_off, &[]).unwrap() == 2).then_some(()));
    }

    fn text(&mut self, sql: &str) -> String {
        self.client.query_one(sql, &[]).unwrap().get(0)
    }

    fn number(&mut self, sql: &str) -> i64 {
        self.client.query_one(sql, &[]).unwrap().get(0)
    }

    /// The letters that claims come from, one name for each claim.
    fn sources_of_claims(&mut self) -> BTreeSet<String> {
        let sql = "SELECT memory.source_ref FROM selfsame.knowledge_claims claim
            JOIN selfsame.memory_items memory ON memory.id = claim.source_id";
        let names: Vec<String> = self.client.query(sql, &[]).unwrap().iter().map(|row| row.get(0)).collect();
        let distinct: BTreeSet<String> = names.iter().cloned().collect();
        assert_eq!(names.len(), distinct.len(), "some letter was judged twice");
        distinct
    }

    /// Every claim, belief, change, piece of evidence and conflict, in words in which no id of a belief occurs.
    fn all_that_is_believed(&mut self) -> Vec<String> {
        let rows = self.client.query(BELIEVED, &[]).unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// As if nobody had ever read the log.
    fn forget_what_was_read(&mut self) {
        self.client.batch_execute(FORGET).unwrap();
        assert_eq!(self.all_that_is_believed(), [""; 0]);
    }
}

/// Writes letters through one daemon, and through the other when it does not answer.
struct Correspondent<'a> {
    steady: &'a Victim,
    shaky: &'a RwLock<Option<Victim>>,
    voices: &'a [String; 3],
    diet: Diet,
}

impl Correspondent<'_> {
    fn write(&self, letter: usize, who: usize) {
        let name = NAMES[letter % NAMES.len()];
        let value = VALUES[(letter / 2 + who) % VALUES.len()];
        // The operator's word ends a dispute, so it is rare.
        let voice = &self.voices[if letter % 20 == 19 { 0 } else { 1 + letter % 2 }];
        let words = match letter % 11 {
            10 => format!("{name} switched from {} to {value}", VALUES[(letter + 1) % VALUES.len()]),
            _ => format!("{name} prefers {value}"),
        };
        let stated = (self.diet == Diet::Everything && letter % 5 == 4)
            .then(|| json!({ "subject": name, "slot": "database", "value": value }));
        let mut body = json!({ "content": format!("{words}. That is what {} says.", name_of(letter)), "source": name_of(letter) });
        if let Some(stated) = stated {
            body["claim"] = stated;
        }
        self.ask(who, voice, "POST", "/v1/agents/main/memories", &body, &name_of(letter));
        if letter.is_multiple_of(3) {
            self.read(who, voice, name, letter);
        }
    }

    /// Asks what is believed, for which the log is read to its end; and judges it.
    fn read(&self, who: usize, voice: &str, name: &str, letter: usize) {
        let path = format!("/v1/agents/main/observations?about={name}&slot=database");
        let told = self.ask(who, voice, "GET", &path, &Value::Null, "");
        let beliefs = told["observations"].as_array().unwrap();
        assert!(beliefs.len() <= 1, "two answers to one question: {told}");
        let Some(belief) = beliefs.first().filter(|_| self.diet == Diet::Everything) else { return };
        let judgement = ["confirm", "wrong", "useful"][letter / 3 % 3];
        let body = json!({ "observation": belief["id"], "judgement": judgement });
        self.ask(who, voice, "POST", "/v1/agents/main/feedback", &body, &format!("judged {letter}"));
    }

    /// Until one of them answers. The key makes a second attempt harmless.
    fn ask(&self, who: usize, voice: &str, method: &str, path: &str, body: &Value, key: &str) -> Value {
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let mut attempt = who;
        wait_until("a daemon answers", || {
            attempt += 1;
            let address = match attempt % 2 {
                0 => self.steady.address.clone(),
                _ => {
                    let place = self.shaky.read().unwrap_or_else(PoisonError::into_inner);
                    place.as_ref()?.address.clone()
                }
            };
            let key = Some(key).filter(|key| !key.is_empty());
            let answer = send(&address, voice, method, path, &body, key)?;
            // What was believed a moment ago may be superseded by now: then there is nothing to judge.
            let is_late = path.ends_with("feedback") && answer.status == 422;
            assert!(answer.status < 300 || is_late, "{path}: {} {}", answer.status, answer.body);
            Some(serde_json::from_str(&answer.body).unwrap())
        })
    }
}

fn name_of(letter: usize) -> String {
    format!("letter {letter}")
}

/// Looks how many answers a question has, by SQL, and hands out duties.
struct Watcher {
    client: Client,
    diet: Diet,
    looks: usize,
}

impl Watcher {
    fn of(database: &Database, diet: Diet) -> Watcher {
        Watcher { client: Client::connect(&database.owner_url(), NoTls).unwrap(), diet, looks: 0 }
    }

    fn look(&mut self) {
        let most: i64 = self.client.query_one(MOST_ANSWERS, &[]).unwrap().get(0);
        assert!(most <= 1, "a question has {most} answers");
        let kinds: &[&str] = match self.diet {
            Diet::LettersAlone => &["consolidate"],
            Diet::Everything => &["consolidate", "revalidate"],
        };
        for kind in kinds {
            self.client.execute(MAKE_DUTY, &[kind, &format!("round {}", self.looks)]).unwrap();
        }
        self.looks += 1;
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Row-level security keeps the owner out too: it is lifted for these looks. And nothing but care keeps one answer.
const OPENED: &str = "
    ALTER TABLE selfsame.knowledge_observations NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE selfsame.knowledge_claims NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE selfsame.knowledge_reading NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE selfsame.knowledge_conflicts NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE selfsame.observation_evidence NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE selfsame.observation_events NO FORCE ROW LEVEL SECURITY;
    ALTER TABLE selfsame.memory_items NO FORCE ROW LEVEL SECURITY;
    DROP INDEX selfsame.knowledge_observations_active;
";

const MOST_ANSWERS: &str = "SELECT COALESCE(MAX(answers), 0) FROM (
    SELECT COUNT(*) AS answers FROM selfsame.knowledge_observations WHERE status = 'active'
    GROUP BY agent_id, canonical_key) AS questions";

const MAKE_DUTY: &str =
    "INSERT INTO selfsame.duties (id, kind, scope, rhythm, slot, next_at, state, attempts, token,
        done_count, passed_over, created_at, updated_at)
    VALUES (gen_random_uuid(), $1, $2, 'once', now(), now(), 'waiting', 0, 0, 0, 0, now(), now())";

const BELIEVED: &str = "
    WITH belief AS (SELECT canonical_key || ' ' || value || ' ' || created_at AS name, observation.*
        FROM selfsame.knowledge_observations observation)
    SELECT line FROM (
        SELECT 1 AS part, seq AS place, ROW(canonical_key, seq, source_id, value, says, replaces, voucher, weight, origins,
            said_at, withdrawn_at)::text AS line FROM selfsame.knowledge_claims
        UNION ALL SELECT 2, 0, ROW(name, status, confidence_components, freshness, revalidation_due_at, support_count,
            contradiction_weight, first_supported_at, last_supported_at, last_contradicted_at,
            (SELECT before.name FROM belief before WHERE before.id = belief.supersedes_observation_id))::text FROM belief
        UNION ALL SELECT 3, seq, ROW(name, seq, at, from_status, to_status, event.confidence, reason)::text
            FROM selfsame.observation_events event JOIN belief ON belief.id = event.observation_id
        UNION ALL SELECT 4, 0, ROW(name, memory_id, stance, weight, origins, confirms, excerpt, source_created_at,
            evidence.created_at, withdrawn_at)::text
            FROM selfsame.observation_evidence evidence JOIN belief ON belief.id = evidence.observation_id
        UNION ALL SELECT 5, 0, ROW(name, rival, raised_at, settled_at, settled_how)::text
            FROM selfsame.knowledge_conflicts conflict JOIN belief ON belief.id = conflict.observation_id
    ) AS lines ORDER BY part, place, line";

/// The rows are kept by triggers, which stand aside for a replica. What was found by its words stays in the index, where
/// nobody looks here.
const FORGET: &str = "
    SET session_replication_role = replica;
    DELETE FROM selfsame.knowledge_conflicts;
    DELETE FROM selfsame.observation_events;
    DELETE FROM selfsame.observation_evidence;
    DELETE FROM selfsame.knowledge_observations;
    DELETE FROM selfsame.knowledge_claims;
    UPDATE selfsame.knowledge_reading SET read_seq = 0, next_seq = 0;
    SET session_replication_role = DEFAULT;
";
