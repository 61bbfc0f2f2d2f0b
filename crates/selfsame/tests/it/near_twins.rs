//! The same fact in other words is known already; what only looks like it is not.

use crate::entity::add;
use crate::meaning::{model, rows, vectors_of};
use crate::remember::remember;
use selfsame::memory::{Draft, MemoryKind};
use selfsame::remember::{Outcome, Remembered};
use selfsame::trust::Privacy;
use selfsame::{Access, Speaker};
use selfsame_testkit::{Bench, Meanings, both_engines};

/// To this model much is the same that is not: only the guard can tell.
const CARELESS: &[&[&str]] = &[
    &["car", "automobile", "vehicle"],
    &["bought", "purchased", "acquired"],
    &["300", "400"],
    &["monday", "friday", "tomorrow", "yesterday"],
    &["june", "july"],
    &["maya", "noah", "zoe"],
    &["never", "always", "not", "no", "without", "with"],
];

fn twin(access: &Access, one: &str, other: &str) -> (Remembered, Remembered) {
    let from = |content: &str, source: &str| {
        let draft = Draft { source: Some(source.into()), ..Draft::new(content) };
        access.remember(draft, None).unwrap()
    };
    (from(one, "first"), from(other, "second"))
}

fn careless(bench: &mut Bench) {
    bench.reopen_with(Some(Meanings::at_hand("careless", CARELESS)), &[]);
}

both_engines! {
    fn a_fact_in_other_words_makes_the_known_one_firmer(mut bench: Bench) {
        careless(&mut bench);
        let access = bench.main();
        for (one, other) in [
            ("Maya bought a car in Ghent", "Maya purchased an automobile in Ghent"),
            ("The vehicle has 3 doors.", "the car has 3 doors!"),
            ("Noah never acquired any tools", "Noah never bought any tools"),
        ] {
            let (first, second) = twin(&access, one, other);
            assert_eq!((first.outcome, second.outcome), (Outcome::Stored, Outcome::Reinforced), "{other}");
            assert_eq!(first.id, second.id, "{other}");
        }
        assert_eq!(rows(&bench, "memory_items", "1 = 1"), 3);
        assert_eq!(rows(&bench, "vectors", "1 = 1"), 3);
        let again = access.remember(Draft { source: Some("second".into()), ..Draft::new("the car has 3 doors") }, None);
        assert_eq!(again.unwrap().outcome, Outcome::Known, "that source said so before");
        bench.reopen_with(None, &[]);
        let (first, second) = twin(&bench.main(), "Zoe bought a kite", "Zoe purchased a kite");
        assert_eq!((first.outcome, second.outcome), (Outcome::Stored, Outcome::Stored), "words alone cannot tell");
    }

    fn what_only_looks_like_it_is_another_fact(mut bench: Bench) {
        careless(&mut bench);
        let access = bench.main();
        for (one, other) in [
            ("I prefer tea over coffee", "I prefer coffee over tea"),
            ("The car cost 300 euros", "The automobile cost 400 euros"),
            ("The party is on Monday", "The party is on Friday"),
            ("the match is tomorrow", "the match was yesterday"),
            ("The fair is in June", "The fair is in July"),
            ("Maya likes the opera", "Noah likes the opera"),
            ("Maya sold Zoe a boat", "Zoe sold Maya a boat"),
            ("I eat fish", "I never eat fish"),
            ("I always lock the door", "I never lock the door"),
            ("The soup is with salt", "The soup is without salt"),
        ] {
            let (first, second) = twin(&access, one, other);
            assert_eq!(second.outcome, Outcome::Stored, "{one} / {other}");
            assert_ne!(first.id, second.id, "{one} / {other}");
        }
    }

    fn a_twin_is_of_the_same_principal_type_entity_and_privacy(mut bench: Bench) {
        careless(&mut bench);
        let access = bench.main();
        let (zoe, noah) = (add(&access, "Zoe", &[]), bench.principal(access.agent(), "Noah"));
        let known = remember(&access, "the car was bought in Ghent");
        let other = || Draft::new("the automobile was purchased in Ghent");
        let mut stored = vec![known];
        let mut differs = |access: &Access, draft: Draft, what: &str| {
            let said = access.remember(draft, None).unwrap();
            assert_eq!(said.outcome, Outcome::Stored, "{what}");
            assert!(!stored.contains(&said.id), "{what}");
            stored.push(said.id);
        };
        differs(&bench.access("main", Speaker::Principal(noah)), other(), "principal");
        differs(&access, Draft { kind: MemoryKind::Activity, ..other() }, "type");
        differs(&access, Draft { entity: Some(zoe), ..other() }, "entity");
        differs(&access, Draft { privacy: Privacy::Private, ..other() }, "privacy");
        bench.agent("other");
        differs(&bench.access("other", Speaker::Operator), other(), "agent");
        assert_eq!(access.remember(other(), None).unwrap().id, known, "and this is the twin");
    }

    fn what_is_put_away_is_no_twin(mut bench: Bench) {
        careless(&mut bench);
        let access = bench.main();
        let plan = |content: &str| Draft { kind: MemoryKind::Plan, ..Draft::new(content) };
        let done = access.remember(plan("bought paint for the car"), None).unwrap().id;
        access.resolve(done).unwrap();
        let again = access.remember(plan("purchased paint for the automobile"), None).unwrap();
        assert_eq!(again.outcome, Outcome::Stored);
        access.forget(again.id, None).unwrap();
        let third = access.remember(plan("acquired paint for the vehicle"), None).unwrap();
        assert_eq!(third.outcome, Outcome::Stored, "nor is what was forgotten");
    }

    fn what_a_twin_adds_makes_an_edition_with_its_own_vector(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let access = bench.main();
        let known = remember(&access, "Maya bought a car in Ghent");
        let labelled = Draft { tags: vec!["wheels".into()], ..Draft::new("Maya purchased an automobile in Ghent") };
        let said = access.remember(labelled, None).unwrap();
        assert_eq!((said.outcome, said.replaces), (Outcome::Revised, Some(known)));
        assert_eq!(vectors_of(&bench, said.id.id()).0, 1);
        assert_eq!(access.memory(said.id).unwrap().unwrap().content, "Maya purchased an automobile in Ghent");
    }
}
