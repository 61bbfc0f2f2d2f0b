//! A model that fails, in whatever way, holds up nothing and spoils nothing; and when it is well again, it catches up.

use crate::conversation::say;
use crate::damaged_rows::damage;
use crate::meaning::{SAME, fill, first, model, one_vector, rows, vectors_of};
use crate::recall::{ask, contents};
use crate::remember::remember;
use selfsame::duty::Rhythm;
use selfsame::scheduler::Pace;
use selfsame::{Mind, Speaker, jobs};
use selfsame_testkit::{Bench, Meanings, Wrong, both_engines};
use std::sync::Arc;
use std::time::Duration;

fn trouble(mind: &Mind) -> Option<String> {
    mind.status().unwrap().model.unwrap().trouble
}

/// What is said of it.
fn complaint(wrong: Wrong) -> &'static str {
    match wrong {
        Wrong::Busy => "a is busy",
        Wrong::Broken => "a is broken",
        Wrong::Short => "has 255 numbers instead of 256",
        Wrong::NotANumber | Wrong::Infinite => "has a number that is not finite",
        Wrong::Zero => "is zero",
        Wrong::TooFew => "0 vectors for 1 texts",
        Wrong::TooMany => "2 vectors for 1 texts",
        Wrong::Empty => "is empty",
    }
}

both_engines! {
    fn whatever_goes_wrong_words_go_on(mut bench: Bench) {
        let a = model("a");
        let access = { bench.reopen_with(Some(Arc::clone(&a)), &[]); bench.main() };
        fill(&access);
        for (number, wrong) in Wrong::ALL.into_iter().enumerate() {
            a.goes_wrong(wrong);
            let text = format!("Maya purchased automobile number{number}");
            let id = remember(&access, &text);
            assert_eq!(vectors_of(&bench, id.id()), (0, 0), "{wrong:?}");
            let message = say(&access, "c", &format!("my feline is unwell on day{number}")).message;
            let said = trouble(bench.mind()).unwrap();
            assert!(said.contains(complaint(wrong)), "{wrong:?}: {said}");
            let answer = ask(&access, &format!("number{number}"));
            assert_eq!(contents(&answer)[0], text, "{wrong:?}: by its words");
            let said = answer.by_meaning.trouble.clone().unwrap();
            assert!(said.contains(complaint(wrong)) && answer.by_meaning.model.is_none(), "{wrong:?}: {said}");
            let done = bench.mind().embed_pending(100).unwrap();
            assert_eq!((done.texts, done.pending), (0, 2), "{wrong:?}");
            assert!(done.trouble.is_some(), "{wrong:?}");
            assert_eq!(bench.mind().verify().unwrap().problems, [""; 0], "{wrong:?}");

            a.goes_wrong(None);
            let done = bench.mind().embed_pending(100).unwrap();
            assert_eq!((done.texts, done.pending, done.trouble), (2, 0, None), "{wrong:?}");
            assert_eq!(vectors_of(&bench, id.id()), one_vector(&bench));
            assert_eq!(vectors_of(&bench, message.id()), one_vector(&bench));
            assert_eq!(trouble(bench.mind()), None);
            assert_eq!(ask(&access, "bought car").by_meaning.trouble, None);
            assert!(first(&access, &format!("bought car number{number}")).unwrap().contains("automobile"));
        }
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn a_model_that_fails_from_the_start_leaves_no_generation(mut bench: Bench) {
        let a = model("a");
        a.keeps_dimensions_to_itself();
        let access = { bench.reopen_with(Some(Arc::clone(&a)), &[]); bench.main() };
        for wrong in Wrong::ALL.into_iter().filter(|wrong| *wrong != Wrong::Short) {
            a.goes_wrong(wrong);
            remember(&access, &format!("{wrong:?} car"));
            let answer = ask(&access, "car");
            assert!(!answer.hits.is_empty() && answer.by_meaning.trouble.is_some(), "{wrong:?}");
            assert!(bench.mind().embed_pending(100).unwrap().trouble.is_some(), "{wrong:?}");
            assert_eq!(rows(&bench, "embedding_models", "1 = 1"), 0, "{wrong:?}");
        }
        a.goes_wrong(None);
        let done = bench.mind().embed_pending(100).unwrap();
        assert_eq!((done.texts, done.pending), (8, 0));
        assert_eq!(ask(&access, "automobile").by_meaning.model.as_deref(), Some("a"));
    }

    fn one_text_that_is_refused_does_not_block_the_others(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        let access = { bench.reopen_with(Some(Arc::clone(&far)), &[]); bench.main() };
        let bad = remember(&access, "mercury rises");
        for wrong in Wrong::ALL.into_iter().filter(|wrong| *wrong != Wrong::Busy) {
            far.goes_wrong_at("mercury", wrong);
            let text = format!("Maya purchased an automobile for {wrong:?}");
            let good = remember(&access, &text);
            // The second time it is all that is left.
            for _ in 0..2 {
                let done = bench.mind().embed_pending(100).unwrap();
                assert_eq!((done.pending, done.trouble), (1, None), "{wrong:?}");
            }
            assert_eq!(vectors_of(&bench, bad.id()), (0, 0), "{wrong:?}");
            assert_eq!(vectors_of(&bench, good.id()), one_vector(&bench), "{wrong:?}");
            assert_eq!(first(&access, &format!("bought car {wrong:?}")), Some(text));
            let answer = ask(&access, "rises");
            assert_eq!((contents(&answer)[0], answer.by_meaning.pending), ("mercury rises", 1), "found by its words");
        }
        let b = Meanings::far_away("b", SAME);
        b.goes_wrong_at("mercury", Wrong::Broken);
        bench.reopen_with(Some(Arc::clone(&b)), &[&far]);
        bench.mind().embed_pending(1).unwrap();
        bench.mind().embed_pending(100).unwrap();
        assert_eq!(ask(&bench.main(), "rises").by_meaning.model.as_deref(), Some("b"), "nor does it hold up a switch");
        b.goes_wrong(None);
        bench.mind().embed_pending(100).unwrap();
        assert_eq!(vectors_of(&bench, bad.id()), one_vector(&bench));
    }

    fn where_nothing_is_taken_it_is_the_model(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        let access = { bench.reopen_with(Some(Arc::clone(&far)), &[]); bench.main() };
        remember(&access, "first");
        bench.mind().embed_pending(100).unwrap();
        for number in 0..100 {
            remember(&access, &format!("mercury {number}"));
        }
        far.goes_wrong(Wrong::Broken);
        far.asked();
        let done = bench.mind().embed_pending(1000).unwrap();
        assert_eq!((done.texts, done.pending, done.trouble.as_deref()), (0, 100, Some("far is broken")));
        assert_eq!(far.texts().len(), 65, "a batch, each of it alone, one that was taken before, and no further");
        far.goes_wrong(Wrong::Busy);
        let done = bench.mind().embed_pending(1000).unwrap();
        assert_eq!((done.texts, done.pending, done.trouble.as_deref()), (0, 100, Some("far is busy")));
        assert_eq!(far.texts().len(), 32, "a batch, and no further");
    }

    fn what_is_forgotten_while_the_model_reads_it_gets_no_vector(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        let access = { bench.reopen_with(Some(Arc::clone(&far)), &[]); bench.main() };
        remember(&access, "first");
        bench.mind().embed_pending(100).unwrap();
        let id = remember(&access, "Maya purchased an automobile");
        let other = bench.open_with(|_| {});
        far.meanwhile(move || {
            other.access("main", Speaker::Operator).unwrap().forget(id, None).unwrap();
        });
        bench.mind().embed_pending(100).unwrap();
        assert!(far.texts().contains(&"Maya purchased an automobile".to_owned()));
        assert_eq!(vectors_of(&bench, id.id()), (0, 0));
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn damaged_rows_have_no_vector_and_hold_up_no_switch(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        let access = { bench.reopen_with(Some(Arc::clone(&far)), &[]); bench.main() };
        fill(&access);
        let bad = remember(&access, "Maya purchased an automobile");
        damage(&bench, "memory_items", "content", bad.id());
        let done = bench.mind().embed_pending(100).unwrap();
        assert_eq!((done.texts, done.pending, done.trouble), (4, 1, None));
        let b = Meanings::far_away("b", SAME);
        bench.reopen_with(Some(Arc::clone(&b)), &[&far]);
        assert_eq!(bench.mind().embed_pending(100).unwrap().texts, 4);
        assert_eq!(ask(&bench.main(), "harbour").by_meaning.model.as_deref(), Some("b"));
        assert_eq!(rows(&bench, "vectors", "generation = 1"), 0);
    }

    fn the_duty_comes_with_a_model_and_goes_with_it(mut bench: Bench) {
        let duty = |bench: &Bench| {
            bench.mind().ensure_house_duties().unwrap();
            let all = bench.mind().duties().unwrap();
            let found = all.into_iter().find(|duty| duty.kind == "embed");
            found.map(|duty| (duty.state.to_string(), duty.rhythm))
        };
        let every = |seconds| Rhythm::Every(Duration::from_secs(seconds)).to_string();
        assert_eq!(duty(&bench), None);
        bench.reopen_with(Some(model("a")), &[]);
        let (state, rhythm) = duty(&bench).unwrap();
        assert_eq!((state.as_str(), &rhythm), ("waiting", &every(60)));
        assert_eq!(duty(&bench).unwrap().1, every(60), "and stays");
        bench.reopen_with(Some(Meanings::far_away("far", SAME)), &[]);
        assert_eq!(duty(&bench).unwrap(), ("waiting".to_owned(), every(10)));
        bench.reopen_with(None, &[]);
        assert_eq!(duty(&bench).unwrap().0, "cancelled");
        assert_eq!(duty(&bench).unwrap().0, "cancelled", "more than once");
        bench.reopen_with(Some(model("a")), &[]);
        assert_eq!(duty(&bench).unwrap(), ("waiting".to_owned(), every(60)));
    }

    fn the_duty_makes_what_is_missing_and_outlives_a_model_that_fails(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        let access = { bench.reopen_with(Some(Arc::clone(&far)), &[]); bench.main() };
        bench.mind().ensure_house_duties().unwrap();
        fill(&access);
        remember(&access, "Maya purchased an automobile");
        let scheduler = jobs::scheduler(bench.mind().settings());
        far.goes_wrong(Wrong::Busy);
        for _ in 0..20 {
            bench.clock().advance(Duration::from_secs(60));
            scheduler.step_of(bench.mind(), Pace::Slow).unwrap();
        }
        assert_eq!(bench.mind().duty_counts().unwrap().dead, 0);
        assert!(trouble(bench.mind()).unwrap().contains("far is busy"));
        far.goes_wrong(None);
        bench.clock().advance(Duration::from_secs(60));
        scheduler.step_of(bench.mind(), Pace::Slow).unwrap();
        assert_eq!(bench.mind().status().unwrap().model.unwrap().pending, 0);
        assert_eq!(first(&access, "bought car").as_deref(), Some("Maya purchased an automobile"));
    }
}
