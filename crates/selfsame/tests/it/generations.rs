//! Another model: recall goes on with the old one until the new one has read everything, and never mixes the two.

use crate::conversation::say;
use crate::meaning::{SAME, first, model, one_vector, rows, vectors_of};
use crate::recall::ask;
use crate::remember::remember;
use selfsame::config::Settings;
use selfsame::recall::meaning::QUESTIONS;
use selfsame::{Access, Engine, Mind, Speaker};
use selfsame_testkit::{Bench, Meanings, Trap, both_engines};
use std::sync::Arc;

const TEXTS: usize = 80;

/// Many texts, one of which is about a car.
fn furnish(access: &Access) {
    for number in 1..TEXTS - 1 {
        remember(access, &format!("place{number} has a lake"));
    }
    remember(access, "Maya purchased an automobile");
    say(access, "c", "the feline is unwell");
}

/// What a model was asked to find, beside what every model is asked at first.
fn questions(model: &Meanings) -> Vec<String> {
    let mut questions = model.questions();
    questions.retain(|question| !QUESTIONS.contains(&question.as_str()));
    questions
}

fn by(access: &Access) -> Option<String> {
    ask(access, "bought car").by_meaning.model
}

fn vectors_in(bench: &Bench, generation: i64) -> i64 {
    rows(bench, "vectors", &format!("generation = {generation}"))
}

fn behind(mind: &Mind) -> u64 {
    mind.status().unwrap().model.unwrap().behind
}

fn problems(mind: &Mind) -> Vec<String> {
    mind.verify().unwrap().problems
}

both_engines! {
    fn recall_stays_with_the_old_model_until_the_new_one_has_read_everything(mut bench: Bench) {
        let (a, b) = (model("a"), model("b"));
        bench.reopen_with(Some(Arc::clone(&a)), &[]);
        furnish(&bench.main());
        bench.reopen_with(Some(Arc::clone(&b)), &[&a]);
        let access = bench.main();
        a.asked();
        assert_eq!(first(&access, "bought car").as_deref(), Some("Maya purchased an automobile"));
        assert_eq!((questions(&a), questions(&b)), (vec!["bought car".to_owned()], vec![]));
        assert_eq!((by(&access).as_deref(), behind(bench.mind())), (Some("a"), 1));

        // What comes meanwhile is found at once, and has not to be read again.
        let new = remember(&access, "Noah met a scarlet physician");
        let (vectors, codes) = one_vector(&bench);
        assert_eq!(vectors_of(&bench, new.id()), (2 * vectors, 2 * codes));
        assert_eq!(first(&access, "crimson doctor").as_deref(), Some("Noah met a scarlet physician"));

        let done = bench.mind().embed_pending(1).unwrap();
        assert_eq!((done.texts, done.pending), (32, TEXTS as u64 - 32));
        assert_eq!((vectors_in(&bench, 1), vectors_in(&bench, 2)), (TEXTS as i64 + 1, 33));
        a.asked();
        b.asked();
        assert_eq!(first(&access, "bought car").as_deref(), Some("Maya purchased an automobile"));
        assert_eq!((questions(&a).len(), questions(&b).len()), (1, 0), "half of it is nothing to look in");

        let gone = remember(&access, "to be forgotten");
        assert_eq!(vectors_of(&bench, gone.id()).0, 2);
        access.forget(gone, None).unwrap();
        assert_eq!(vectors_of(&bench, gone.id()), (0, 0), "of every generation");

        let done = bench.mind().embed_pending(1000).unwrap();
        assert_eq!((done.pending, behind(bench.mind())), (0, 0));
        assert_eq!((vectors_in(&bench, 1), vectors_in(&bench, 2)), (0, TEXTS as i64 + 1));
        assert_eq!(rows(&bench, "vector_codes", "generation = 1"), 0);
        a.asked();
        b.asked();
        assert_eq!(first(&access, "bought car").as_deref(), Some("Maya purchased an automobile"));
        assert_eq!((questions(&a).len(), questions(&b).len()), (0, 1));
        remember(&access, "one more");
        assert_eq!(a.asked(), [], "the old one is not asked any more");
        assert_eq!(problems(bench.mind()), [""; 0]);
    }

    fn a_former_model_that_is_gone_leaves_words_and_is_named(mut bench: Bench) {
        let (a, b) = (model("a"), Meanings::far_away("b", SAME));
        bench.reopen_with(Some(a), &[]);
        furnish(&bench.main());
        bench.reopen_with(Some(Arc::clone(&b)), &[]);
        let access = bench.main();
        let answer = ask(&access, "bought car");
        assert_eq!((answer.hits.len(), answer.by_meaning.model), (0, None));
        let trouble = answer.by_meaning.trouble.unwrap();
        assert!(trouble.contains("the model a ") && trouble.contains("not there any more"), "{trouble}");
        assert_eq!(first(&access, "automobile").as_deref(), Some("Maya purchased an automobile"));
        assert_eq!(b.asked(), [], "vectors of two models are never compared");
        bench.mind().embed_pending(1000).unwrap();
        assert_eq!(first(&access, "bought car").as_deref(), Some("Maya purchased an automobile"));
        assert_eq!((vectors_in(&bench, 1), vectors_in(&bench, 2)), (0, TEXTS as i64));
    }

    fn going_back_to_the_old_model_works_at_any_time(mut bench: Bench) {
        let (a, b) = (model("a"), model("b"));
        bench.reopen_with(Some(Arc::clone(&a)), &[]);
        furnish(&bench.main());
        // Half way, and back.
        bench.reopen_with(Some(Arc::clone(&b)), &[&a]);
        bench.mind().embed_pending(1).unwrap();
        bench.reopen_with(Some(Arc::clone(&a)), &[&b]);
        let all = vectors_in(&bench, 1);
        assert_eq!((by(&bench.main()).as_deref(), behind(bench.mind())), (Some("a"), 0));
        assert_eq!(bench.mind().embed_pending(1000).unwrap().texts, 0, "everything is there");
        assert_eq!((vectors_in(&bench, 1), vectors_in(&bench, 2)), (all, 0), "and what was begun is gone");
        // All the way, and back.
        bench.reopen_with(Some(Arc::clone(&b)), &[&a]);
        bench.mind().embed_pending(1000).unwrap();
        assert_eq!(by(&bench.main()).as_deref(), Some("b"));
        bench.reopen_with(Some(Arc::clone(&a)), &[&b]);
        assert_eq!(by(&bench.main()).as_deref(), Some("b"), "until it has read everything again");
        assert_eq!(bench.mind().embed_pending(1000).unwrap().texts, all as u64);
        assert_eq!((by(&bench.main()).as_deref(), vectors_in(&bench, 1), vectors_in(&bench, 2)), (Some("a"), all, 0));
        assert_eq!(first(&bench.main(), "bought car").as_deref(), Some("Maya purchased an automobile"));
        assert_eq!(rows(&bench, "embedding_models", "1 = 1"), 2, "no third one");
        assert_eq!(problems(bench.mind()), [""; 0]);
    }

    fn each_agent_switches_by_itself(mut bench: Bench) {
        let (a, b) = (model("a"), model("b"));
        bench.reopen_with(Some(Arc::clone(&a)), &[]);
        furnish(&bench.main());
        bench.agent("other");
        furnish(&bench.access("other", Speaker::Operator));
        bench.agent("idle");
        bench.reopen_with(Some(Arc::clone(&b)), &[&a]);
        bench.mind().embed_pending(TEXTS).unwrap();
        let (main, other) = (bench.main(), bench.access("other", Speaker::Operator));
        let mut used = [by(&main), by(&other)].map(Option::unwrap);
        used.sort();
        assert_eq!(used, ["a", "b"]);
        assert_eq!(behind(bench.mind()), 1);
        bench.mind().embed_pending(1000).unwrap();
        assert_eq!((by(&main).as_deref(), by(&other).as_deref(), behind(bench.mind())), (Some("b"), Some("b"), 0));
    }

    fn killed_anywhere_it_goes_on_and_makes_none_twice(mut bench: Bench) {
        let (a, b) = (model("a"), Meanings::far_away("b", SAME));
        bench.reopen_with(Some(Arc::clone(&a)), &[]);
        furnish(&bench.main());
        bench.close();
        let all = vectors_in(&bench, 1);
        let settings = || {
            let mut settings = Settings::default();
            settings.embedder.batch = 16;
            settings
        };
        let mut deaths = 0;
        for point in ["write.begun", "write.applied", "write.before_commit", "write.committed"] {
            let trap = Trap::fail(point);
            let mind = bench.open_models(Some(Arc::clone(&b)), &[&a], |options| options.faults = trap.faults(), settings());
            b.asked();
            let before = vectors_in(&bench, 2);
            trap.arm(2);
            deaths += u64::from(mind.embed_pending(32).is_err());
            let kept = vectors_in(&bench, 2) - before;
            assert!([0, 16, 32].contains(&kept), "{point}: a batch is kept or not, not {kept}");
            let access = mind.access("main", Speaker::Operator).unwrap();
            assert!(["a", "b"].contains(&by(&access).unwrap().as_str()));
            assert_eq!(problems(&mind), [""; 0], "{point}");
        }
        assert!(deaths >= 2, "it died {deaths} times");
        let mind = bench.open_models(Some(Arc::clone(&b)), &[&a], |_| {}, settings());
        b.asked();
        let before = vectors_in(&bench, 2);
        let done = mind.embed_pending(1000).unwrap();
        assert_eq!((done.texts as i64, done.pending), (all - before, 0));
        assert_eq!(b.texts().len() as i64, all - before, "what was kept is not asked for again");
        assert_eq!((vectors_in(&bench, 1), vectors_in(&bench, 2)), (0, all));
        assert_eq!(problems(&mind), [""; 0]);
    }

    fn two_at_once_make_each_vector_once(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        bench.reopen_with(Some(Arc::clone(&far)), &[]);
        furnish(&bench.main());
        let other = bench.open_models(Some(far), &[], |_| {}, Settings::default());
        let mind = bench.mind();
        std::thread::scope(|scope| {
            for mind in [mind, &other, mind, &other] {
                scope.spawn(move || mind.embed_pending(1000).unwrap());
            }
            scope.spawn(move || {
                let access = mind.access("main", Speaker::Operator).unwrap();
                for number in 0..20 {
                    remember(&access, &format!("meanwhile{number}"));
                }
            });
        });
        mind.embed_pending(1000).unwrap();
        assert_eq!((vectors_in(&bench, 1), rows(&bench, "embedding_models", "1 = 1")), (TEXTS as i64 + 20, 1));
        assert_eq!(problems(mind), [""; 0]);
        assert_eq!(problems(&other), [""; 0]);
    }

    fn closing_ends_it_between_two_batches(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        bench.reopen_with(Some(Arc::clone(&far)), &[]);
        furnish(&bench.main());
        bench.mind().close_soon();
        let done = bench.mind().embed_pending(1000).unwrap();
        assert_eq!((done.texts, done.trouble), (0, None));
        bench.reopen_with(Some(far), &[]);
        assert_eq!(bench.mind().embed_pending(1000).unwrap().texts, TEXTS as u64);
    }

    fn a_model_that_says_nothing_of_its_length_has_one_generation(mut bench: Bench) {
        let a = model("a");
        a.keeps_dimensions_to_itself();
        bench.reopen_with(Some(Arc::clone(&a)), &[]);
        furnish(&bench.main());
        bench.reopen_with(Some(model("a")), &[]);
        remember(&bench.main(), "one more");
        assert_eq!(rows(&bench, "embedding_models", "1 = 1"), 1);
        assert_eq!(rows(&bench, "embedding_models", "dimensions = 256 AND spread > 0"), 1);
        assert_eq!(bench.mind().status().unwrap().model.unwrap().pending, 0);
    }

    fn short_forms_are_kept_where_they_are_needed(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        furnish(&bench.main());
        let expected = if bench.engine() == Engine::Sqlite { vectors_in(&bench, 1) } else { 0 };
        assert_eq!(rows(&bench, "vector_codes", "1 = 1"), expected);
    }
}
