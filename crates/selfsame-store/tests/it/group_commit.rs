//! Many writes, one fsync: who shares a commit shares nothing else.

use crate::rows::{self, alone, memory, operator};
use selfsame_core::id::Id;
use selfsame_core::text::TermCounts;
use selfsame_store::agents::Agent;
use selfsame_store::postings::{self, Kind};
use selfsame_store::{Result, Store, StoreError, Writer};
use selfsame_testkit::selfsame::Mind;
use selfsame_testkit::{Bench, Trap};
use std::collections::BTreeMap;
use std::sync::Barrier;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ScopedJoinHandle};
use std::time::Duration;

/// Waits until so many writes queue behind the one that calls this.
fn await_queue(store: &Store, writes: usize) {
    while store.waiting_writers() < writes {
        thread::yield_now();
    }
}

/// A mind on SQLite with one agent, and faults that are not armed yet.
struct Crowd {
    bench: Bench,
    mind: Mind,
    agent: Agent,
    trap: Trap,
}

impl Crowd {
    fn new(point: &'static str, timeout: Duration) -> Crowd {
        let bench = Bench::sqlite();
        let trap = Trap::fail(point);
        let mind = bench.open_with(|options| {
            options.faults = trap.faults();
            options.statement_timeout = timeout;
        });
        let agent = mind.create_agent("main", None).unwrap();
        Crowd { bench, mind, agent, trap }
    }

    fn store(&self) -> &Store {
        self.mind.store()
    }

    fn write(&self, body: impl FnMut(&mut Writer) -> Result<()>) -> Result<()> {
        self.store().write(&operator(&self.agent), &[self.agent.id], None, body)
    }

    fn remember(&self, content: &str) -> Result<()> {
        let memory = memory(&self.bench, &self.agent, content);
        self.write(|writer| rows::insert(writer, &memory))
    }

    fn count(&self) -> u64 {
        rows::count(self.store(), &self.agent)
    }

    fn assert_sound(&self) {
        assert_eq!(self.mind.verify().unwrap().problems, [""; 0]);
    }
}

const PATIENT: Duration = Duration::from_secs(30);

#[test]
fn sqlite_many_writers_share_their_commits() {
    const THREADS: usize = 64;
    const WRITES: usize = 50;
    let crowd = Crowd::new("write.begun", PATIENT);
    let (commits, acknowledged) =
        (crowd.store().counters().commits(), crowd.store().counters().acknowledged());
    let start = Barrier::new(THREADS);
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (crowd, start) = (&crowd, &start);
            scope.spawn(move || {
                start.wait();
                for write in 0..WRITES {
                    crowd.remember(&format!("writer {number} write {write}")).unwrap();
                }
            });
        }
    });
    assert_eq!(crowd.count(), (THREADS * WRITES) as u64);
    let commits = crowd.store().counters().commits() - commits;
    let acknowledged = crowd.store().counters().acknowledged() - acknowledged;
    println!("{acknowledged} writes in {commits} commits: {} each", acknowledged / commits);
    assert_eq!(acknowledged, (THREADS * WRITES) as u64);
    assert!(commits <= acknowledged / 16, "{acknowledged} writes took {commits} commits");
    crowd.assert_sound();
}

#[test]
fn sqlite_a_write_alone_commits_at_once() {
    let crowd = Crowd::new("write.begun", PATIENT);
    let before = crowd.store().counters().commits();
    for _ in 0..3 {
        crowd.remember("alone").unwrap();
    }
    assert_eq!(crowd.store().counters().commits() - before, 3);
}

/// Two writes in one batch, the second of them bad. The first one holds the connection until the second queues, and
/// the second until a third does, so that the batch is still open when it fails.
fn with_a_bad_member(
    crowd: &Crowd,
    bad: impl Fn(&mut Writer) -> Result<()> + Sync,
) -> (Result<()>, thread::Result<Result<()>>, Result<()>, usize) {
    let runs_of_first = AtomicUsize::new(0);
    let holds = AtomicUsize::new(0);
    let hold = |place: usize, queue: usize| {
        if holds.compare_exchange(place, place + 1, Ordering::SeqCst, Ordering::SeqCst).is_ok() {
            await_queue(crowd.store(), queue);
        }
    };
    let (first, spoilt, third) = (
        memory(&crowd.bench, &crowd.agent, "first"),
        memory(&crowd.bench, &crowd.agent, "spoilt"),
        memory(&crowd.bench, &crowd.agent, "third"),
    );
    let begun = Barrier::new(2);
    let outcome = thread::scope(|scope| {
        let one = scope.spawn(|| {
            crowd.write(|writer| {
                rows::insert(writer, &first)?;
                if runs_of_first.fetch_add(1, Ordering::SeqCst) == 0 {
                    begun.wait();
                }
                hold(0, 1);
                Ok(())
            })
        });
        begun.wait();
        let two: ScopedJoinHandle<Result<()>> = scope.spawn(|| {
            crowd.write(|writer| {
                rows::insert(writer, &spoilt)?;
                hold(1, 1);
                bad(writer)
            })
        });
        while holds.load(Ordering::SeqCst) < 2 {
            thread::yield_now();
        }
        let three = scope.spawn(|| crowd.write(|writer| rows::insert(writer, &third)));
        (one.join().unwrap(), two.join(), three.join().unwrap())
    });
    (outcome.0, outcome.1, outcome.2, runs_of_first.into_inner())
}

#[test]
fn sqlite_a_member_that_fails_undoes_only_itself() {
    let crowd = Crowd::new("write.begun", PATIENT);
    let commits = crowd.store().counters().commits();
    let (first, bad, third, runs) = with_a_bad_member(&crowd, |_| Err(StoreError::BadValue("spoilt".into())));
    first.unwrap();
    third.unwrap();
    assert!(matches!(bad.unwrap(), Err(StoreError::BadValue(_))));
    assert_eq!((crowd.count(), runs), (2, 1));
    assert_eq!(crowd.store().counters().commits() - commits, 1, "all three were one batch");
    crowd.assert_sound();
}

#[test]
fn sqlite_a_member_that_panics_hurts_no_other() {
    let crowd = Crowd::new("write.begun", PATIENT);
    let (first, bad, third, runs) = with_a_bad_member(&crowd, |_| panic!("a mistake in a write"));
    first.unwrap();
    third.unwrap();
    assert_eq!(bad.unwrap_err().downcast_ref::<&str>(), Some(&"a mistake in a write"));
    assert_eq!((crowd.count(), runs), (2, 1));
    crowd.remember("and it goes on").unwrap();
    crowd.assert_sound();
}

/// Indexes new words until the statement timeout stops it: an interrupted INSERT ends the whole transaction.
fn write_until_stopped(writer: &mut Writer, agent: &Agent, fresh: &AtomicUsize) -> Result<()> {
    loop {
        let number = fresh.fetch_add(1, Ordering::SeqCst);
        let counts: BTreeMap<String, u32> = (0..200).map(|word| (format!("w{number}x{word}"), 1)).collect();
        let words = TermCounts { counts, len: 200 };
        postings::insert(writer, agent.id, Kind::Memory, &alone(Id::from_bytes([9; 16]), &words))?;
    }
}

#[test]
fn sqlite_when_one_member_ends_the_transaction_the_others_run_again_alone() {
    let crowd = Crowd::new("write.begun", Duration::from_millis(100));
    let fresh = AtomicUsize::new(0);
    let (first, bad, third, runs) =
        with_a_bad_member(&crowd, |writer| write_until_stopped(writer, &crowd.agent, &fresh));
    first.unwrap();
    third.unwrap();
    assert!(matches!(bad.unwrap(), Err(StoreError::TimedOut)));
    assert_eq!((crowd.count(), runs), (2, 2), "the first member was run again");
    crowd.assert_sound();
}

#[test]
fn sqlite_a_commit_that_fails_fails_all_its_members() {
    let crowd = Crowd::new("write.before_commit", PATIENT);
    let before = crowd.count();
    crowd.trap.arm(1);
    let (first, second, third, _) = with_a_bad_member(&crowd, |_| Ok(()));
    for outcome in [first, second.unwrap(), third] {
        assert!(matches!(outcome, Err(StoreError::Unknown { .. })), "{outcome:?}");
    }
    assert_eq!(crowd.count(), before, "nothing of the batch was stored");
    crowd.remember("after a planned fault the disk is still good").unwrap();
    crowd.assert_sound();
}

/// A full disk ends the transaction under a member too; SQLite can be told to be full.
#[test]
fn sqlite_a_full_database_is_said_and_leaves_the_rest_alone() {
    let mut bench = Bench::sqlite();
    bench.agent("main");
    bench.close();
    let crowd = Crowd {
        mind: bench.open_with(|_| {}),
        trap: Trap::fail("write.begun"),
        agent: agent_of(&bench),
        bench,
    };
    crowd.remember("there was still room").unwrap();
    let page = "x".repeat(4096);
    let pages = crowd.bench.owner().number("PRAGMA page_count");
    crowd.store().limit_pages(u32::try_from(pages + 4).unwrap()).unwrap();
    let full = (0..100).map(|number| crowd.remember(&format!("{number} {page}"))).find_map(Result::err);
    assert!(matches!(full, Some(StoreError::Full)), "{full:?}");
    crowd.store().limit_pages(1 << 30).unwrap();
    crowd.remember("there is room again").unwrap();
    crowd.assert_sound();
}

fn agent_of(bench: &Bench) -> Agent {
    bench.open_with(|_| {}).require_agent("main").unwrap()
}
