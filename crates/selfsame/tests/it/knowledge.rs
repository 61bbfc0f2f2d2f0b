//! What an agent believes, and why: formed, contested, superseded, judged, withdrawn; now and as of then.

use selfsame::clock::ManualClock;
use selfsame::id::{MemoryId, ObservationId, PrincipalId};
use selfsame::knowledge::{Belief, BeliefQuery, Explanation, Judgement, Retraction};
use selfsame::memory::Draft;
use selfsame::scheduler::Scheduler;
use selfsame::{Access, Opening, Speaker, jobs};
use selfsame_core::knowledge::{Stance, Status};
use selfsame_testkit::{Bench, both_engines};
use std::sync::Arc;
use std::time::Duration;

pub const DAY: Duration = Duration::from_secs(24 * 3600);

/// What somebody says.
pub fn say(access: &Access, words: &str) -> MemoryId {
    access.remember(Draft::new(words), None).unwrap().id
}

pub fn about(access: &Access, name: &str) -> Vec<Belief> {
    access.know(&BeliefQuery { about: Some(name.into()), ..BeliefQuery::default() }).unwrap().beliefs
}

/// The one belief about somebody.
pub fn only(access: &Access, name: &str) -> Belief {
    let mut beliefs = about(access, name);
    assert_eq!(beliefs.len(), 1, "{name}: {beliefs:#?}");
    beliefs.remove(0)
}

pub fn why(access: &Access, id: ObservationId) -> Explanation {
    access.why(id).unwrap().unwrap()
}

/// Pieces of evidence that count, for and against.
fn sides(explanation: &Explanation) -> (usize, usize) {
    let of = |stance| {
        let counts = |piece: &&selfsame::knowledge::Piece| {
            piece.evidence.stance == stance && piece.evidence.withdrawn_at.is_none()
        };
        explanation.evidence.iter().filter(counts).count()
    };
    (of(Stance::Support), of(Stance::Contradict))
}

fn a_principal(bench: &Bench) -> PrincipalId {
    let agent = bench.agent("main");
    bench.principal(&agent, "jonas")
}

/// Three days on each of which somebody says the same.
fn three_days(bench: &Bench, speaker: Speaker) {
    for words in
        ["Maya prefers PostgreSQL", "Maya's favourite database is PostgreSQL", "Maya prefers PostgreSQL"]
    {
        say(&bench.access("main", speaker), words);
        bench.clock().advance(DAY);
    }
}

pub fn step(bench: &Bench) {
    let scheduler: Scheduler = jobs::scheduler(bench.mind().settings());
    bench.mind().ensure_house_duties().unwrap();
    while !scheduler.step(bench.mind()).unwrap().ran.is_empty() {}
}

fn is_sound(bench: &Bench) {
    assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
}

both_engines! {
    fn a_switch_said_by_a_principal_supersedes(bench: Bench) {
        let jonas = a_principal(&bench);
        three_days(&bench, Speaker::Principal(jonas));
        let third_day = bench.mind_time();
        let access = bench.access("main", Speaker::Principal(jonas));
        let before = only(&access, "Maya");
        assert_eq!((before.observation.value.as_str(), before.status), ("postgresql", Status::Active));
        assert_eq!(sides(&why(&access, before.observation.id)), (3, 0));
        say(&access, "Maya switched from PostgreSQL to SQLite");
        let after = only(&access, "Maya");
        let explained = why(&access, after.observation.id);
        assert_eq!((after.observation.value.as_str(), sides(&explained)), ("sqlite", (1, 3)));
        assert_eq!(after.observation.supersedes, Some(before.observation.id));
        assert_eq!(explained.before.len(), 1);
        let old = &explained.before[0];
        assert_eq!((old.observation.value.as_str(), old.status), ("postgresql", Status::Superseded));
        assert_eq!(sides(&why(&access, old.observation.id)).0, 3);
        assert_eq!(explained.changes[0].reason, "said_to_replace");
        assert!(!after.contested);
        let then = BeliefQuery { about: Some("Maya".into()), as_of: Some(third_day), ..BeliefQuery::default() };
        let then = access.know(&then).unwrap().beliefs;
        assert_eq!(then.iter().map(|belief| belief.observation.value.as_str()).collect::<Vec<_>>(), ["postgresql"]);
        assert_eq!(then[0].status, Status::Active);
        is_sound(&bench);
    }

    /// Whoever ends one and names the other in one breath replaces it, in whichever order and whoever it is.
    fn what_is_ended_and_replaced_in_one_breath_is_superseded(bench: Bench) {
        let jonas = a_principal(&bench);
        let breaths = [
            ("Ada", Speaker::Operator, "Ada does not work at Globex any more, she works at Initech now"),
            ("Ben", Speaker::Operator, "Ben works at Initech. Ben does not work at Globex any more."),
            ("Cleo", Speaker::Principal(jonas), "Cleo does not work at Globex any more. Cleo works at Initech."),
        ];
        for (name, speaker, words) in breaths {
            let access = bench.access("main", speaker);
            say(&access, &format!("{name} works at Globex"));
            bench.clock().advance(DAY);
            let before = only(&access, name);
            assert_eq!(before.observation.value, "globex", "{words}");
            say(&access, words);
            let after = only(&access, name);
            assert_eq!((after.observation.value.as_str(), after.contested), ("initech", false), "{words}");
            assert_eq!(after.observation.supersedes, Some(before.observation.id), "{words}");
            assert_eq!(why(&access, after.observation.id).before[0].status, Status::Superseded, "{words}");
        }
        is_sound(&bench);
    }

    fn another_preference_only_contends(bench: Bench) {
        let jonas = a_principal(&bench);
        three_days(&bench, Speaker::Principal(jonas));
        let access = bench.access("main", Speaker::Principal(jonas));
        let before = only(&access, "Maya");
        say(&access, "Maya prefers SQLite");
        let after = only(&access, "Maya");
        assert_eq!(after.observation.id, before.observation.id);
        assert!(after.confidence < before.confidence, "{} {}", after.confidence, before.confidence);
        assert!(after.contested);
        assert_eq!(sides(&why(&access, after.observation.id)), (3, 1));
        let conflicts = access.conflicts(false, 10).unwrap();
        assert_eq!(conflicts.len(), 1);
        assert_eq!((conflicts[0].conflict.rival.as_str(), conflicts[0].belief.observation.id), ("sqlite", after.observation.id));
        is_sound(&bench);
    }

    fn the_operators_word_supersedes_at_once(bench: Bench) {
        let jonas = a_principal(&bench);
        three_days(&bench, Speaker::Principal(jonas));
        say(&bench.access("main", Speaker::Principal(jonas)), "Maya prefers SQLite");
        let operator = bench.access("main", Speaker::Operator);
        assert_eq!(operator.conflicts(false, 10).unwrap().len(), 1);
        say(&operator, "Maya prefers MySQL");
        let after = only(&operator, "Maya");
        assert_eq!((after.observation.value.as_str(), after.contested), ("mysql", false));
        assert_eq!(why(&operator, after.observation.id).changes[0].reason, "operator_stated");
        assert_eq!(operator.conflicts(false, 10).unwrap(), []);
        assert_eq!(operator.conflicts(true, 10).unwrap().len(), 1);
        is_sound(&bench);
    }

    fn a_number_that_changed_is_one_question_in_either_wording(bench: Bench) {
        bench.agent("main");
        let operator = bench.access("main", Speaker::Operator);
        say(&operator, "I aim for 100% test coverage on my parser module, and I've currently reached 65%.");
        bench.clock().advance(DAY);
        say(&operator, "I want to raise the unit test coverage for my parser, which has improved to 78%, can you help?");
        let now = operator.know(&BeliefQuery::default()).unwrap().beliefs;
        assert_eq!(now.iter().map(|belief| belief.observation.value.as_str()).collect::<Vec<_>>(), ["78 %"]);
        let before = why(&operator, now[0].observation.id).before;
        assert_eq!(before.iter().map(|old| old.observation.value.as_str()).collect::<Vec<_>>(), ["65 %"]);
        is_sound(&bench);
    }

    fn who_did_what_they_never_did_is_contested(bench: Bench) {
        let never = "I've never written any Flask routes, so where do I begin?";
        let done = "I implemented the login route with Flask.";
        let other = "I've tested the checkout route with Flask.";
        for (name, first, second) in [("jonas", never, done), ("ines", done, never)] {
            let of = format!("{name}-agent");
            let agent = bench.agent(&of);
            let id = bench.principal(&agent, name);
            let access = bench.access(&of, Speaker::Principal(id));
            say(&access, first);
            let before = only(&access, name);
            say(&access, other);
            assert_eq!(access.conflicts(false, 10).unwrap(), [], "{name}: who tested need not have written");
            bench.clock().advance(DAY);
            say(&access, second);
            let conflicts = access.conflicts(false, 10).unwrap();
            let at_odds: Vec<_> = conflicts.iter().map(|one| one.belief.observation.id).collect();
            assert_eq!(at_odds, [before.observation.id], "{name}");
            assert_eq!(sides(&why(&access, before.observation.id)), (1, 1));
        }
        is_sound(&bench);
    }

    fn two_independent_voices_outweigh_ten_copies_of_one(bench: Bench) {
        let jonas = a_principal(&bench);
        let access = bench.access("main", Speaker::Principal(jonas));
        for copy in 0..10 {
            let mut draft = Draft::new(format!("Maya prefers PostgreSQL, copy {copy}"));
            draft.content = ["Maya prefers PostgreSQL", "Maya favours PostgreSQL"][copy % 2].into();
            draft.source = Some("the same export".into());
            draft.tags = vec![format!("copy {copy}")];
            access.remember(draft, None).unwrap();
        }
        assert_eq!(only(&access, "Maya").observation.standing.components.inputs.sources, 1);
        for source in ["one letter", "another letter"] {
            let draft = Draft { source: Some(source.into()), ..Draft::new("Maya prefers SQLite") };
            access.remember(draft, None).unwrap();
        }
        assert_eq!(only(&access, "Maya").observation.value, "sqlite");
    }

    fn confirmed_corrected_useful_wrong(bench: Bench) {
        let jonas = a_principal(&bench);
        three_days(&bench, Speaker::Principal(jonas));
        let principal = bench.access("main", Speaker::Principal(jonas));
        let operator = bench.access("main", Speaker::Operator);
        let first = only(&operator, "Maya");
        let id = first.observation.id;
        let confidence = |access: &Access| only(access, "Maya").confidence;
        let useful = principal.feedback(id, &Judgement::Useful, None).unwrap();
        assert!(useful.confidence > first.confidence);
        let again = principal.feedback(id, &Judgement::Useful, None).unwrap();
        assert_eq!(again.confidence, useful.confidence, "once a day");
        let confirmed = operator.feedback(id, &Judgement::Confirm, None).unwrap();
        assert!(confirmed.confidence >= useful.confidence + 0.1);
        assert!(only(&operator, "Maya").observation.standing.components.inputs.confirmed);
        let wrong = principal.feedback(id, &Judgement::Wrong, None).unwrap();
        assert_eq!(wrong.observation, Some(id));
        assert!(wrong.confidence < confirmed.confidence);
        assert_eq!(confidence(&operator), wrong.confidence);
        let corrected = operator.feedback(id, &Judgement::Correct("Maya prefers SQLite".into()), None).unwrap();
        assert_ne!(corrected.observation, Some(id));
        assert_eq!(only(&operator, "Maya").observation.value, "sqlite");
        let refused = operator.feedback(id, &Judgement::Confirm, None).unwrap_err().to_string();
        assert!(refused.contains("superseded"), "{refused}");
        let bare = only(&operator, "Maya").observation.id;
        operator.feedback(bare, &Judgement::Correct("DuckDB".into()), None).unwrap();
        assert_eq!(only(&operator, "Maya").observation.value, "duckdb");
        let last = only(&operator, "Maya").observation.id;
        let gone = operator.feedback(last, &Judgement::Wrong, None).unwrap();
        assert_ne!(gone.observation, Some(last));
        is_sound(&bench);
    }

    fn what_rests_on_one_source_falls_with_it(bench: Bench) {
        let jonas = a_principal(&bench);
        let access = bench.access("main", Speaker::Operator);
        let from = |source: &str, words: &str| {
            let draft = Draft { source: Some(source.into()), ..Draft::new(words) };
            bench.access("main", Speaker::Principal(jonas)).remember(draft, None).unwrap().id
        };
        from("letter", "Maya works at Acme");
        from("letter", "Jonas lives in Ghent");
        from("postcard", "Jonas lives in Ghent");
        let retraction = |dry_run| Retraction { source: "letter".into(), dry_run };
        let before = bench.dump();
        access.consolidate().unwrap();
        let consolidated = bench.dump();
        assert_ne!(before, consolidated);
        let preview = access.retract(&retraction(true), None).unwrap();
        assert_eq!((preview.fallen.len(), preview.standing.len()), (1, 1), "{preview:?}");
        assert_eq!(bench.dump(), consolidated, "a dry run writes nothing");
        assert_eq!(access.retract(&retraction(false), None).unwrap(), preview);
        assert_eq!(about(&access, "Maya"), []);
        assert_eq!(only(&access, "Jonas").observation.standing.components.inputs.sources, 1);
        let refused = access.retract(&retraction(false), None).unwrap_err().to_string();
        assert!(refused.contains("letter"), "{refused}");
        is_sound(&bench);
    }

    fn what_is_forgotten_is_in_no_belief(bench: Bench) {
        let access = bench.main();
        let alone = say(&access, "Maya works at Zebra Incorporated");
        let first = say(&access, "Jonas prefers PostgreSQL");
        bench.clock().advance(DAY);
        say(&access, "Jonas's favourite database is PostgreSQL");
        let maya = only(&access, "Maya").observation.id;
        access.forget(alone, None).unwrap();
        assert_eq!(about(&access, "Maya"), []);
        let left = why(&access, maya);
        assert_eq!((left.evidence.len(), left.forgotten), (0, 1));
        assert!(!bench.dump().to_lowercase().contains("zebra"), "{}", bench.dump());
        // What rests on something else too is said in the words of that.
        let jonas = only(&access, "Jonas");
        assert_eq!(jonas.observation.summary, "Jonas prefers PostgreSQL");
        access.forget(first, None).unwrap();
        let after = only(&access, "Jonas");
        assert_eq!(after.observation.id, jonas.observation.id);
        assert_eq!(after.observation.summary, "Jonas's favourite database is PostgreSQL");
        assert_eq!(after.observation.standing.components.inputs.sources, 1);
        is_sound(&bench);
    }

    fn a_belief_that_nobody_repeats_goes_stale_and_is_revived(bench: Bench) {
        let access = bench.main();
        say(&access, "Maya lives in Ghent");
        let fresh = only(&access, "Maya");
        assert!(fresh.freshness > 0.99);
        step(&bench);
        bench.clock().advance(60 * DAY);
        step(&bench);
        let due = only(&access, "Maya");
        assert_eq!(due.status, Status::Active);
        assert!((due.freshness - 0.5).abs() < 0.01, "{}", due.freshness);
        bench.clock().advance(20 * DAY);
        step(&bench);
        let stale = only(&access, "Maya");
        assert_eq!((stale.status, stale.observation.id), (Status::Stale, fresh.observation.id));
        say(&access, "Maya lives in Ghent");
        let revived = only(&access, "Maya");
        assert_eq!((revived.status, revived.observation.id), (Status::Active, fresh.observation.id));
        is_sound(&bench);
    }

    /// The newest answer is found by its id. What a process says whose clock is behind counts from the moment of what is
    /// believed, and chance decides between ids of one moment: eleven answers make it all but sure that it would be
    /// wrong once.
    fn answers_of_one_moment_keep_their_order(bench: Bench) {
        let access = bench.main();
        say(&access, "Maya lives in Ghent");
        let first = only(&access, "Maya");
        let behind = Arc::new(ManualClock::at(first.observation.created_at.saturating_sub(DAY)));
        let store = bench.open_store(|_| {}).unwrap();
        let behind = Opening::new(bench.mind().settings().clone()).clock(behind).over(store, None).unwrap();
        let behind = behind.access("main", Speaker::Operator).unwrap();
        let cities = ["Oslo", "Lima", "Kyoto", "Turin", "Quito", "Riga", "Porto", "Cairo", "Perth", "Malmo", "Graz"];
        for city in cities {
            say(&behind, &format!("Maya lives in {city}"));
            assert_eq!(only(&behind, "Maya").observation.value, city.to_lowercase());
        }
        let all = BeliefQuery { about: Some("Maya".into()), history: true, ..BeliefQuery::default() };
        let mut all = access.know(&all).unwrap().beliefs;
        all.sort_by_key(|belief| belief.observation.id);
        assert_eq!(all[0].observation.id, first.observation.id);
        let told: Vec<&str> = all[1..].iter().map(|belief| belief.observation.value.as_str()).collect();
        assert_eq!(told, cities.map(str::to_lowercase));
        for (older, newer) in all.iter().zip(&all[1..]) {
            assert_eq!(newer.observation.supersedes, Some(older.observation.id));
            assert_eq!(newer.observation.created_at, first.observation.created_at, "of one moment");
        }
    }

    fn consolidating_again_changes_nothing(bench: Bench) {
        let jonas = a_principal(&bench);
        three_days(&bench, Speaker::Principal(jonas));
        let access = bench.main();
        say(&access, "Maya prefers SQLite");
        access.consolidate().unwrap();
        let once = bench.dump();
        access.consolidate().unwrap();
        assert_eq!(bench.dump(), once);
    }
}

/// Every kind, every subject type and every sort of evidence comes out of something that users do.
mod variety {
    use super::{DAY, about, say, why};
    use crate::entity::add;
    use selfsame::Speaker;
    use selfsame::entity::{EntityKind, NewEntity};
    use selfsame::knowledge::BeliefQuery;
    use selfsame::lesson::{LessonKind, NewLesson};
    use selfsame::reflection::NewReflection;
    use selfsame::time::Time;
    use selfsame_core::knowledge::evidence::SourceSort;
    use selfsame_core::knowledge::{ObservationKind, SubjectType};
    use selfsame_testkit::both_engines;
    use std::collections::BTreeSet;

    both_engines! {
        fn all_kinds_and_subjects_are_read_out_of_plain_sentences(bench: Bench) {
            let access = bench.main();
            let agent = bench.access("main", Speaker::Agent(None));
            let other = NewEntity { name: "Iris".into(), kind: EntityKind::Agent, aliases: Vec::new() };
            access.entity_add(&other, None).unwrap();
            for words in [
                "User prefers PostgreSQL over MongoDB for ACID compliance",
                "Project callscrub.io is in active development, targeting Q2 launch",
                "The Telegram bot uses webhook mode on port 443",
                "Richard is Jason's business partner",
                "Claude Opus 4 was released May 2025",
                "Iris lives in Ghent",
            ] {
                say(&access, words);
            }
            say(&agent, "Memory recall skews toward knowledge type");
            let all = access.know(&BeliefQuery { limit: 200, ..BeliefQuery::default() }).unwrap().beliefs;
            let kinds: BTreeSet<ObservationKind> = all.iter().map(|belief| belief.observation.kind).collect();
            assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ObservationKind::ALL, "{all:#?}");
            let subjects: BTreeSet<SubjectType> =
                all.iter().map(|belief| belief.observation.subject.sort).collect();
            assert_eq!(subjects.into_iter().collect::<Vec<_>>(), SubjectType::ALL, "{all:#?}");
            let own = about(&access, "self");
            assert_eq!(own.len(), 1, "{own:#?}");
        }

        fn all_four_substrates_are_evidence(bench: Bench) {
            let access = bench.main();
            add(&access, "Maya", &[]);
            let memory = say(&access, "Maya lives in Ghent");
            let unrelated = say(&access, "It rained on the day of the fair");
            access.entity_profile("Maya", "Maya lives in Ghent. She is kind.", &[], None).unwrap();
            let (from, until) = (Time::from_micros(1), Time::from_micros(2));
            let content = "A calm week. Maya lives in Ghent.".to_owned();
            access.reflect(NewReflection { content, from, until, sources: vec![unrelated] }, None).unwrap();
            let lesson = NewLesson::new(LessonKind::Discovery, "Maya lives in Ghent", vec![memory]);
            access.learn(lesson, None).unwrap();
            let belief = super::only(&access, "Maya");
            let explained = why(&access, belief.observation.id);
            let sorts: BTreeSet<SourceSort> =
                explained.evidence.iter().map(|piece| piece.evidence.source.sort).collect();
            assert_eq!(sorts.into_iter().collect::<Vec<_>>(), SourceSort::ALL, "{explained:#?}");
            // The lesson repeats the memory, and all of it was said by one author on one day.
            assert_eq!(belief.observation.standing.components.inputs.sources, 1);
            bench.clock().advance(DAY);
            say(&access, "Maya lives in Ghent");
            assert_eq!(super::only(&access, "Maya").observation.standing.components.inputs.sources, 2);
        }

        fn a_profile_that_is_written_anew_takes_back_what_it_said(bench: Bench) {
            let access = bench.main();
            add(&access, "Maya", &[]);
            access.entity_profile("Maya", "Maya lives in Ghent.", &[], None).unwrap();
            assert_eq!(super::only(&access, "Maya").observation.value, "ghent");
            bench.clock().advance(DAY);
            access.entity_profile("Maya", "Maya lives in Turin.", &[], None).unwrap();
            assert_eq!(super::only(&access, "Maya").observation.value, "turin");
        }

        fn an_edited_memory_takes_back_what_it_said(bench: Bench) {
            let access = bench.main();
            let id = say(&access, "Maya lives in Ghent");
            assert_eq!(super::only(&access, "Maya").observation.value, "ghent");
            let edit = selfsame::memory::Edit { content: Some("Maya lives in Turin".into()), ..Default::default() };
            access.edit(id, edit, None).unwrap();
            let after = super::only(&access, "Maya");
            assert_eq!((after.observation.value.as_str(), after.contested), ("turin", false));
        }

        fn private_words_and_plans_feed_nothing(bench: Bench) {
            let access = bench.main();
            let private = selfsame::trust::Privacy::Private;
            let draft = selfsame::memory::Draft { privacy: private, ..selfsame::memory::Draft::new("Maya lives in Ghent") };
            access.remember(draft, None).unwrap();
            let plan = selfsame::memory::MemoryKind::Plan;
            let draft = selfsame::memory::Draft { kind: plan, ..selfsame::memory::Draft::new("Maya lives in Turin") };
            access.remember(draft, None).unwrap();
            assert_eq!(about(&access, "Maya"), []);
        }

        fn what_the_writer_states_goes_before_what_the_rules_read(bench: Bench) {
            let access = bench.main();
            let stated = selfsame::memory::Stated {
                subject: "Maya".into(),
                kind: None,
                slot: "shoe size".into(),
                value: "38".into(),
                denied: false,
                replaces: None,
            };
            let mut draft = selfsame::memory::Draft::new("Maya lives in Ghent, and takes a 38");
            draft.claim = Some(stated);
            access.remember(draft, None).unwrap();
            let belief = super::only(&access, "Maya");
            assert!(belief.observation.key.ends_with(":relationship_fact:shoe-size"), "{}", belief.observation.key);
        }

        fn two_who_turn_out_to_be_one_are_believed_of_as_one(bench: Bench) {
            let access = bench.main();
            let (one, other) = (add(&access, "Maya", &[]), add(&access, "Lindqvist", &[]));
            say(&access, "Maya lives in Ghent");
            bench.clock().advance(DAY);
            say(&access, "Lindqvist lives in Ghent");
            say(&access, "Lindqvist works at Acme");
            assert_eq!(about(&access, "Maya").len(), 1);
            assert_eq!(about(&access, "Lindqvist").len(), 2);
            access.entity_merge(&other.to_string(), &one.to_string(), None).unwrap();
            let both = about(&access, "Maya");
            assert_eq!(both.len(), 2, "{both:#?}");
            let residence = both.iter().find(|belief| belief.observation.key.ends_with(":residence")).unwrap();
            assert_eq!(residence.observation.standing.components.inputs.sources, 2);
            assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        }

        fn a_thinker_reads_better_than_the_rules(bench: Bench) {
            let access = bench.main();
            let agent = bench.access("main", Speaker::Agent(None));
            let id = say(&access, "Maya lives in Ghent, and takes a 38");
            assert_eq!(super::only(&access, "Maya").observation.value.as_str(), "ghent");
            let stated = |subject: &str, slot: &str, value: &str| selfsame::memory::Stated {
                subject: subject.into(),
                kind: None,
                slot: slot.into(),
                value: value.into(),
                denied: false,
                replaces: None,
            };
            let read = [stated("Maya", "residence", "Ghent"), stated("Maya", "shoe size", "38")];
            assert_eq!(agent.take_reading(id, &read, None).unwrap(), 1);
            assert_eq!(about(&access, "Maya").len(), 2);
            assert_eq!(agent.take_reading(id, &read, None).unwrap(), 0, "it was read by a thinker already");
            let nobody = [stated("ent_01kdvdna00e02vjbtcy7fwe8xm", "residence", "Ghent")];
            assert!(agent.take_reading(id, &nobody, None).unwrap_err().to_string().contains("entity"));
            let guest = bench.principal(access.agent(), "guest");
            let refused = bench.access("main", Speaker::Principal(guest)).take_reading(id, &read, None).unwrap_err();
            assert!(refused.to_string().contains("operator"), "{refused}");
            let belief = about(&access, "Maya").remove(0).observation.id;
            assert!(agent.phrase(belief, "Maya is at home in Ghent").unwrap());
            assert!(!agent.phrase(belief, "Maya dwells in Ghent").unwrap(), "once");
            assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
        }

        fn what_is_quoted_from_memory_is_no_evidence(bench: Bench) {
            let access = bench.main();
            let quoted = selfsame_core::fence::quote("memory", "Maya lives in Ghent");
            say(&access, &format!("Noted.\n{quoted}\nThat is all."));
            assert_eq!(about(&access, "Maya"), []);
        }

        fn a_version_makes_no_rival_of_the_same_name(bench: Bench) {
            let access = bench.main();
            say(&access, "Maya prefers PostgreSQL 16");
            bench.clock().advance(DAY);
            say(&access, "Maya prefers PostgreSQL");
            let belief = super::only(&access, "Maya");
            assert_eq!((belief.observation.value.as_str(), belief.contested), ("postgresql 16", false));
            assert_eq!(belief.observation.standing.components.inputs.sources, 2);
            say(&access, "Maya prefers PostgreSQL 17");
            assert_eq!(super::only(&access, "Maya").observation.value, "postgresql 17");
        }
    }
}
