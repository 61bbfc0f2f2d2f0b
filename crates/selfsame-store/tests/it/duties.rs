//! Background duties as rows: who holds one, for how long, and that nobody else can write for it.

use crate::rows::{self, memory};
use selfsame_core::id::DutyId;
use selfsame_core::time::Time;
use selfsame_store::duties::{self, Duty, NewDuty, Settlement};
use selfsame_store::{Result, Store, StoreError};
use selfsame_testkit::{Bench, both_engines};
use std::collections::BTreeSet;
use std::sync::Barrier;
use std::thread;

const THREADS: usize = 8;
const DUTIES: usize = 60;

/// A moment: seconds after some midnight.
fn at(seconds: i64) -> Time {
    Time::from_micros(1_767_225_600_000_000 + seconds * 1_000_000)
}

/// Makes a duty whose first slot is then.
fn make(bench: &Bench, kind: &str, scope: &str, slot: i64) -> DutyId {
    let id = DutyId::of(bench.fresh_id());
    assert!(ensure(bench, id, kind, scope, slot));
    id
}

fn ensure(bench: &Bench, id: DutyId, kind: &str, scope: &str, slot: i64) -> bool {
    let duty = NewDuty { id, kind, agent: None, scope, rhythm: "every 1h", slot: at(slot) };
    bench.store().system_write(|writer| duties::ensure(writer, &duty, at(0))).unwrap()
}

/// Claims at a moment, for ten seconds.
fn claim(store: &Store, kinds: &[&str], now: i64) -> Option<Duty> {
    store.system_write(|writer| duties::claim(writer, kinds, at(now), at(now + 10))).unwrap()
}

fn read(bench: &Bench, id: DutyId) -> Duty {
    bench.store().system(|reader| duties::by_id(reader, id)).unwrap().unwrap()
}

/// Says that the slot is done and the next is an hour later.
fn settle(store: &Store, duty: &Duty, now: i64) -> Result<()> {
    let fence = duty.fence(at(now));
    let settlement = Settlement {
        state: "waiting",
        slot: at(3600),
        next_at: at(3600),
        attempts: 0,
        done_slot: Some(duty.slot),
        done_spans: Some("which"),
        done: 1,
        passed_over: 2,
        error: None,
    };
    store.fenced(&fence, &[], |writer| duties::settle(writer, &fence, &settlement))
}

fn is_stale<T: std::fmt::Debug>(result: &Result<T>) -> bool {
    matches!(result, Err(StoreError::StaleFence))
}

both_engines! {
    fn the_longest_due_is_claimed_first(bench: Bench) {
        let (late, later, future) = (make(&bench, "b", "1", -20), make(&bench, "a", "2", -10), make(&bench, "a", "3", 5));
        let order: Vec<DutyId> = std::iter::from_fn(|| claim(bench.store(), &["a", "b"], 0)).map(|duty| duty.id).collect();
        assert_eq!(order, [late, later]);
        assert_eq!(claim(bench.store(), &["a", "b"], 5).unwrap().id, future, "due at its very moment");
    }

    fn a_claim_takes_only_the_kinds_it_names(bench: Bench) {
        let (first, second) = (make(&bench, "a", "1", -20), make(&bench, "b", "1", -10));
        assert_eq!(claim(bench.store(), &["c"], 0), None);
        assert_eq!(claim(bench.store(), &[], 0), None);
        assert_eq!(claim(bench.store(), &["b", "c", "d"], 0).unwrap().id, second);
        assert_eq!(claim(bench.store(), &["b", "c", "d"], 0), None);
        assert_eq!(claim(bench.store(), &["a"], 0).unwrap().id, first);
    }

    fn a_claim_counts_the_attempt_and_tells_all_that_is_stored(bench: Bench) {
        let id = make(&bench, "a", "1", -1);
        assert_eq!(read(&bench, id).attempts, 0);
        let claimed = claim(bench.store(), &["a"], 0).unwrap();
        assert_eq!(claimed, read(&bench, id));
        assert_eq!((claimed.state.as_str(), claimed.attempts, claimed.token), ("running", 1, 1));
        assert_eq!((claimed.slot, claimed.next_at, claimed.lease_until), (at(-1), at(-1), Some(at(10))));
    }

    fn no_two_threads_claim_the_same(bench: Bench) {
        let made: BTreeSet<DutyId> = (0..DUTIES).map(|n| make(&bench, "a", &n.to_string(), -1)).collect();
        let start = Barrier::new(THREADS);
        let claimed: Vec<DutyId> = thread::scope(|scope| {
            let take_all = || {
                start.wait();
                let mut mine = Vec::new();
                while made.len() > mine.len() {
                    // A row that another is just taking is stepped over: nothing for now is not nothing left.
                    match claim(bench.store(), &["a"], 0) {
                        Some(duty) => mine.push(duty.id),
                        None => break,
                    }
                }
                mine
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(take_all)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        let left = std::iter::from_fn(|| claim(bench.store(), &["a"], 0)).map(|duty| duty.id);
        let all: Vec<DutyId> = claimed.into_iter().chain(left).collect();
        assert_eq!(all.len(), DUTIES, "each once");
        assert_eq!(all.into_iter().collect::<BTreeSet<_>>(), made);
        assert!(made.iter().all(|id| read(&bench, *id).token == 1));
    }

    fn a_lease_keeps_others_away_until_it_ends(bench: Bench) {
        make(&bench, "a", "1", -1);
        let first = claim(bench.store(), &["a"], 0).unwrap();
        assert_eq!(claim(bench.store(), &["a"], 9), None);
        let second = claim(bench.store(), &["a"], 10).unwrap();
        assert_eq!(second.id, first.id);
        assert!(second.token > first.token);
        assert_eq!(second.attempts, 2, "the attempt that nobody ended counts");
    }

    fn who_lost_the_lease_writes_nothing(bench: Bench) {
        const ROUNDS: i64 = 20;
        let agent = bench.agent("main");
        let id = make(&bench, "a", "1", -1);
        let (mut refused, mut holder) = (0, claim(bench.store(), &["a"], 0).unwrap());
        for round in 1..=ROUNDS {
            let now = round * 10;
            let next = claim(bench.store(), &["a"], now).unwrap();
            let before = (bench.dump(), read(&bench, id));
            let mut ran = false;
            let secret = memory(&bench, &agent, "written by a ghost");
            let attempts: [Result<()>; 3] = [
                bench.store().fenced(&holder.fence(at(now)), &[agent.id], |writer| {
                    ran = true;
                    rows::insert(writer, &secret)
                }),
                settle(bench.store(), &holder, now),
                bench.store().system_write(|writer| duties::renew(writer, &holder.fence(at(now)), at(now + 1000))),
            ];
            refused += attempts.iter().filter(|result| is_stale(result)).count();
            assert!(!ran, "its work was not even begun");
            assert_eq!((bench.dump(), read(&bench, id)), before);
            holder = next;
        }
        assert_eq!(refused, 3 * ROUNDS as usize);
        bench.store().fenced(&holder.fence(at(205)), &[agent.id], |writer| {
            rows::insert(writer, &memory(&bench, &agent, "written by the holder"))
        }).unwrap();
        settle(bench.store(), &holder, 205).unwrap();
        assert_eq!(rows::count(bench.store(), &agent), 1);
    }

    /// The fence alone is not all: the settlement has a check of its own, for who calls it in another write.
    fn a_settlement_with_an_old_token_is_refused_without_the_fence(bench: Bench) {
        let id = make(&bench, "a", "1", -1);
        let old = claim(bench.store(), &["a"], 0).unwrap();
        let new = claim(bench.store(), &["a"], 10).unwrap();
        let settlement = Settlement {
            state: "done",
            slot: at(0),
            next_at: at(0),
            attempts: 0,
            done_slot: None,
            done_spans: None,
            done: 1,
            passed_over: 0,
            error: None,
        };
        let by = |duty: &Duty| {
            bench.store().system_write(|writer| duties::settle(writer, &duty.fence(at(11)), &settlement))
        };
        assert!(is_stale(&by(&old)));
        assert_eq!(read(&bench, id), new);
        by(&new).unwrap();
        assert!(is_stale(&by(&new)), "ended once, it is ended");
    }

    fn a_settled_duty_waits_for_its_next_slot(bench: Bench) {
        let id = make(&bench, "a", "1", -1);
        let duty = claim(bench.store(), &["a"], 0).unwrap();
        settle(bench.store(), &duty, 1).unwrap();
        let after = read(&bench, id);
        assert_eq!((after.state.as_str(), after.attempts, after.lease_until), ("waiting", 0, None));
        assert_eq!((after.slot, after.next_at, after.done_slot), (at(3600), at(3600), Some(at(-1))));
        assert_eq!((after.done_count, after.passed_over, after.done_spans.as_deref()), (1, 2, Some("which")));
        assert_eq!(claim(bench.store(), &["a"], 3599), None);
        let duty = claim(bench.store(), &["a"], 3600).unwrap();
        settle(bench.store(), &duty, 3601).unwrap();
        assert_eq!((read(&bench, id).done_count, read(&bench, id).passed_over), (2, 4), "counted up");
    }

    fn a_renewed_lease_holds_longer(bench: Bench) {
        make(&bench, "a", "1", -1);
        let holder = claim(bench.store(), &["a"], 0).unwrap();
        bench.store().system_write(|writer| duties::renew(writer, &holder.fence(at(5)), at(15))).unwrap();
        assert_eq!(claim(bench.store(), &["a"], 14), None);
        settle(bench.store(), &holder, 14).unwrap();
    }

    /// Late is not lost: who was not replaced may still finish.
    fn a_lease_that_ended_unnoticed_still_counts(bench: Bench) {
        make(&bench, "a", "1", -1);
        let holder = claim(bench.store(), &["a"], 0).unwrap();
        settle(bench.store(), &holder, 500).unwrap();
    }

    fn cancelling_fences_the_holder_off(bench: Bench) {
        let id = make(&bench, "a", "1", -1);
        let holder = claim(bench.store(), &["a"], 0).unwrap();
        let cancel = || bench.store().system_write(|writer| duties::cancel(writer, id, at(1))).unwrap();
        assert!(cancel());
        assert!(!cancel(), "it is cancelled already");
        let cancelled = read(&bench, id);
        assert_eq!((cancelled.state.as_str(), cancelled.lease_until), ("cancelled", None));
        assert!(is_stale(&settle(bench.store(), &holder, 2)));
        assert_eq!(read(&bench, id), cancelled);
        assert_eq!(claim(bench.store(), &["a"], 1_000_000), None);
    }

    fn a_requeued_duty_begins_again(bench: Bench) {
        let id = make(&bench, "a", "1", -1);
        let requeue = |now| bench.store().system_write(|writer| duties::requeue(writer, id, at(now))).unwrap();
        assert!(!requeue(0), "a waiting duty needs no second chance");
        let holder = claim(bench.store(), &["a"], 0).unwrap();
        assert!(!requeue(0), "nor does a running one");
        bench.store().system_write(|writer| duties::cancel(writer, id, at(1))).unwrap();
        assert!(requeue(50));
        let again = read(&bench, id);
        assert_eq!((again.state.as_str(), again.attempts, again.next_at), ("waiting", 0, at(50)));
        assert!(is_stale(&settle(bench.store(), &holder, 51)), "who held it before holds it no more");
        let second = claim(bench.store(), &["a"], 50).unwrap();
        assert!(second.token > holder.token);
        assert!(is_stale(&settle(bench.store(), &holder, 51)));
        settle(bench.store(), &second, 51).unwrap();
    }

    fn a_dead_duty_is_left_alone_until_it_is_requeued(bench: Bench) {
        let id = make(&bench, "a", "1", -1);
        let holder = claim(bench.store(), &["a"], 0).unwrap();
        let fence = holder.fence(at(1));
        let settlement = Settlement {
            state: "dead",
            slot: holder.slot,
            next_at: holder.next_at,
            attempts: 1,
            done_slot: None,
            done_spans: None,
            done: 0,
            passed_over: 0,
            error: Some("it broke"),
        };
        bench.store().fenced(&fence, &[], |writer| duties::settle(writer, &fence, &settlement)).unwrap();
        assert_eq!(read(&bench, id).last_error.as_deref(), Some("it broke"));
        assert_eq!(claim(bench.store(), &["a"], 1_000_000), None);
        assert_eq!(next_moment(&bench, &["a"]), None, "nothing to wake up for");
        assert!(bench.store().system_write(|writer| duties::requeue(writer, id, at(2))).unwrap());
        assert_eq!(claim(bench.store(), &["a"], 2).unwrap().attempts, 1);
    }

    fn the_same_duty_is_made_once(bench: Bench) {
        let id = make(&bench, "a", "1", -1);
        let before = bench.dump();
        assert!(!ensure(&bench, DutyId::of(bench.fresh_id()), "a", "1", 99));
        assert_eq!(bench.dump(), before);
        assert_eq!(read(&bench, id).slot, at(-1));
        assert!(ensure(&bench, DutyId::of(bench.fresh_id()), "a", "2", 99), "another scope");
        assert!(ensure(&bench, DutyId::of(bench.fresh_id()), "b", "1", 99), "another kind");
    }

    fn many_who_make_the_same_duty_make_one(bench: Bench) {
        bench.mind();
        let start = Barrier::new(THREADS);
        let made = thread::scope(|scope| {
            let make = || {
                start.wait();
                ensure(&bench, DutyId::of(bench.fresh_id()), "a", "1", 0)
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(make)).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap().then_some(())).count()
        });
        assert_eq!(made, 1);
        assert_eq!(bench.store().system(duties::all).unwrap().len(), 1);
    }

    fn the_next_moment_is_a_slot_or_the_end_of_a_lease(bench: Bench) {
        let next = || next_moment(&bench, &["a"]);
        assert_eq!(next(), None);
        make(&bench, "b", "1", 50);
        assert_eq!(next(), None, "what others do wakes others");
        assert_eq!(next_moment(&bench, &["a", "b"]), Some(at(50)));
        make(&bench, "a", "1", 300);
        assert_eq!(next(), Some(at(300)));
        make(&bench, "a", "2", 100);
        assert_eq!(next(), Some(at(100)));
        claim(bench.store(), &["a"], 100).unwrap();
        assert_eq!(next(), Some(at(110)), "if its holder dies");
        claim(bench.store(), &["a"], 105);
        let id = read_all(&bench).iter().find(|duty| duty.scope == "2").unwrap().id;
        bench.store().system_write(|writer| duties::cancel(writer, id, at(106))).unwrap();
        assert_eq!(next(), Some(at(300)));
    }

    fn an_id_that_is_not_there_changes_nothing(bench: Bench) {
        make(&bench, "a", "1", -1);
        let before = bench.dump();
        let nobody = DutyId::of(bench.fresh_id());
        assert!(!bench.store().system_write(|writer| duties::cancel(writer, nobody, at(0))).unwrap());
        assert!(!bench.store().system_write(|writer| duties::requeue(writer, nobody, at(0))).unwrap());
        assert_eq!(bench.store().system(|reader| duties::by_id(reader, nobody)).unwrap(), None);
        assert_eq!(bench.dump(), before);
    }
}

fn next_moment(bench: &Bench, kinds: &[&str]) -> Option<Time> {
    bench.store().system(|reader| duties::next_moment(reader, kinds)).unwrap()
}

fn read_all(bench: &Bench) -> Vec<Duty> {
    bench.store().system(duties::all).unwrap()
}
