//! A whole house moves: everything arrives, the old house takes no more, and whoever is interrupted goes on.

use crate::archive::live;
use crate::remember::remember;
use selfsame::key::{KeyRequest, Scope, SpeaksAs};
use selfsame::moving::{move_house, stay};
use selfsame::progress::Watch;
use selfsame::recall::Question;
use selfsame::{Class, Engine, Error, Fault, Faults, Mind, Opening, Speaker, Store};
use selfsame_testkit::{Bench, Meanings, both_engines};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

fn other(bench: &Bench) -> Bench {
    match bench.engine() {
        Engine::Sqlite => Bench::postgres(),
        Engine::Postgres => Bench::sqlite(),
    }
}

/// A house with two agents, a key, vectors and duties.
fn furnish(bench: &mut Bench) {
    live(bench, "ada");
    live(bench, "bob");
    bench.reopen_with(Some(Meanings::at_hand("a", &[])), &[]);
    remember(&bench.access("ada", Speaker::Operator), "The lighthouse keeper paints in oil");
    bench.mind().ensure_house_duties().unwrap();
    let key = KeyRequest {
        name: "cli".into(),
        agent: Some("ada".into()),
        speaks_as: SpeaksAs::Operator,
        principal: None,
        scopes: vec![Scope::Read],
    };
    bench.mind().create_key(&key).unwrap();
}

fn opened(bench: &Bench) -> Result<Mind, Error> {
    Opening::default().clock(bench.shared_clock()).over(bench.open_store(|_| {})?, None)
}

/// The state without what is true of one house or one engine only.
fn state(store: &Store) -> String {
    let ids: Vec<_> =
        store.system(selfsame_store::agents::all).unwrap().iter().map(|agent| agent.id).collect();
    let caller = selfsame::trust::Caller::agent(None);
    let text = store.read(&caller, &ids, |reader| selfsame_store::dump::dump(reader, &ids)).unwrap();
    let mut kept = String::new();
    let mut table = String::new();
    for line in text.lines() {
        if line.starts_with('[') {
            table = line.to_owned();
        }
        // Vectors are spelled in two ways; the move itself holds them against each other.
        let of_one = ["[house]", "[vector_codes]", "[vectors]"].contains(&table.as_str());
        match table.as_str() {
            _ if of_one => {}
            // Its last column says that it may not grow.
            "[agent_heads]" => {
                kept += &format!("{}\n", line.rsplit_once(" | ").map_or(line, |(before, _)| before));
            }
            _ => kept += &format!("{line}\n"),
        }
    }
    kept
}

both_engines! {
    fn a_house_moves_whole_and_the_old_one_takes_no_more(bench: Bench) {
        let mut bench = bench;
        furnish(&mut bench);
        let there = other(&bench);
        let (from, to) = (bench.open_store(|_| {}).unwrap(), there.open_store(|_| {}).unwrap());
        let before = state(&from);
        // A mind that is open all the while must not write into a house that has gone.
        let left_open = bench.mind();
        let moved = move_house(&from, &to, "elsewhere", bench.mind_time(), &Watch::default()).unwrap();
        assert_eq!(moved.agents, 2);
        assert!(moved.rows > 100 && moved.tables > 60, "{moved:?}");
        assert_eq!(state(&to), before);
        assert_eq!(state(&from), before, "the old house is as it was");
        let late = left_open.access("ada", Speaker::Operator).unwrap().remember(selfsame::memory::Draft::new("too late"), None);
        assert!(late.unwrap_err().to_string().contains("this_house_has_moved"));
        assert_eq!(state(&from), before);
        let refusal = opened(&bench).err().unwrap();
        assert_eq!(refusal.class(), Class::Unusable);
        assert!(refusal.to_string().contains("moved to elsewhere"), "{refusal}");
        // There it lives on, finds what it knew by words and by meaning, and is sound.
        let mind = there.open_models(Some(Meanings::at_hand("a", &[])), &[], |_| {}, selfsame::config::Settings::default());
        assert_eq!(mind.verify().unwrap().problems, Vec::<String>::new());
        let ada = mind.access("ada", Speaker::Operator).unwrap();
        assert!(!ada.recall(&Question::new("who paints in oil?")).unwrap().hits.is_empty());
        there.clock().set(bench.mind_time());
        remember(&ada, "A new address");
        assert_eq!(mind.verify().unwrap().problems, Vec::<String>::new());
        // Who changes their mind lives in the old one again.
        stay(&from).unwrap();
        remember(&opened(&bench).unwrap().access("ada", Speaker::Operator).unwrap(), "Home again");
    }

    fn a_house_does_not_move_in_where_somebody_lives(bench: Bench) {
        live(&bench, "ada");
        let there = other(&bench);
        there.agent("eve");
        let before = (bench.dump(), there.dump());
        let error = move_house(bench.store(), there.store(), "elsewhere", bench.mind_time(), &Watch::default()).unwrap_err();
        assert_eq!(error.class(), Class::Conflict, "{error}");
        assert_eq!((bench.dump(), there.dump()), before);
        remember(&bench.access("ada", Speaker::Operator), "nothing was changed here");
    }

    fn killed_anywhere_a_move_goes_on_and_arrives(bench: Bench) {
        let mut bench = bench;
        furnish(&mut bench);
        bench.close();
        let before = state(&bench.open_store(|_| {}).unwrap());
        let there = other(&bench);
        // Each attempt gets a little further, in the house that is left and in the other one.
        let mut attempts = 0;
        for point in ["write.applied", "write.committed"] {
            for nth in 0..3 {
                for at_home in [true, false] {
                    let count = Arc::new(AtomicI64::new(nth));
                    let left = Arc::clone(&count);
                    let faults = Faults::planned(move |reached| {
                        (reached == point && left.fetch_sub(1, Ordering::SeqCst) == 0).then_some(Fault::Fail)
                    });
                    let from = bench.open_store(|options| if at_home { options.faults = faults.clone() }).unwrap();
                    let to = there.open_store(|options| if !at_home { options.faults = faults.clone() }).unwrap();
                    attempts += 1;
                    let result = move_house(&from, &to, "elsewhere", bench.mind_time(), &Watch::default());
                    if count.load(Ordering::SeqCst) >= 0 {
                        assert!(result.is_ok(), "{result:?}");
                    }
                    if result.is_ok() {
                        assert_eq!(state(&to), before);
                        return assert!(attempts > 4, "{attempts}");
                    }
                    // Nobody lives in a house that is half moved; in the old one only until the first step out of it.
                    let nobody_came = to.system(selfsame_store::agents::all).unwrap().is_empty();
                    let arrived = state(&to) == before;
                    drop((from, to));
                    // Stopped after the last step of all: the old house says that it moved, and the other is lived in.
                    if opened(&there).is_ok() {
                        assert!(opened(&bench).err().unwrap().to_string().contains("moved to") && arrived);
                        return assert!(attempts > 4, "{attempts}");
                    }
                    assert!(opened(&there).is_err(), "{point} {nth} {at_home}");
                    assert!(opened(&bench).is_err() || nobody_came, "{point} {nth} {at_home}");
                }
            }
        }
        let (from, to) = (bench.open_store(|_| {}).unwrap(), there.open_store(|_| {}).unwrap());
        move_house(&from, &to, "elsewhere", bench.mind_time(), &Watch::default()).unwrap();
        assert_eq!(state(&to), before);
    }
}
