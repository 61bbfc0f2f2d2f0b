//! A question finds what answers it, for those who may see it, or says why there is nothing.

use crate::remember::remember;
use selfsame::config::Settings;
use selfsame::id::MemoryId;
use selfsame::memory::Draft;
use selfsame::recall::{MAX_LIMIT, Question, Recalled};
use selfsame::time::Time;
use selfsame::trust::Privacy;
use selfsame::{Access, Class, Engine, Speaker};
use selfsame_testkit::{Bench, both_engines};

/// Asks in plain words.
pub fn ask(access: &Access, question: &str) -> Recalled {
    access.recall(&Question::new(question)).unwrap()
}

/// The words of what was found, the best first.
pub fn contents(answer: &Recalled) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.found.content()).collect()
}

/// The words of what is found.
pub fn found(access: &Access, question: &str) -> Vec<String> {
    contents(&ask(access, question)).into_iter().map(str::to_owned).collect()
}

/// A moment, from RFC 3339.
pub fn time(text: &str) -> Time {
    Time::parse(text).unwrap()
}

fn ids(answer: &Recalled) -> Vec<MemoryId> {
    answer.hits.iter().map(|hit| MemoryId::of(hit.found.id())).collect()
}

fn limited(access: &Access, limit: usize) -> selfsame::Result<Recalled> {
    access.recall(&Question { limit: Some(limit), ..Question::new("fox") })
}

/// Changes one letter of a stored text behind the store's back, as a bad disk would.
fn damage(bench: &Bench, id: MemoryId) {
    let mut raw = bench.owner();
    let sql = format!(
        "UPDATE memory_items SET content = 'f' || substr(content, 2) WHERE id = {}",
        bench.id(id.id())
    );
    match bench.engine() {
        Engine::Sqlite => raw.run("DROP TRIGGER memory_items_fixed").unwrap(),
        Engine::Postgres => raw.run("ALTER TABLE memory_items DISABLE TRIGGER ALL").unwrap(),
    };
    assert_eq!(raw.run(&sql), Ok(1));
}

both_engines! {
    fn the_better_answer_comes_first_and_says_why(bench: Bench) {
        let access = bench.main();
        let owl = remember(&access, "the owl is grey");
        let fox = remember(&access, "the fox is red, a fox");
        let both = remember(&access, "the fox met the owl");
        let answer = ask(&access, "Which red FOX?");
        assert_eq!(ids(&answer)[..2], [fox, both]);
        assert!(!ids(&answer).contains(&owl));
        let hit = &answer.hits[0];
        let words: Vec<(&str, u32, u64)> =
            hit.words.iter().map(|found| (found.word.as_str(), found.times, found.in_texts)).collect();
        assert_eq!(words, [("red", 1, 1), ("fox", 2, 2)]);
        let sum: f64 = hit.parts.iter().map(|part| part.added).sum();
        assert!((hit.fit - sum).abs() < 1e-12 && (hit.score - hit.fit * hit.factor).abs() < 1e-12);
        assert_eq!((answer.why_empty, answer.damaged), (None, vec![]));
    }

    fn equal_answers_of_a_day_come_in_the_order_of_their_ids(bench: Bench) {
        let access = bench.main();
        // The same words in another order each time: the index cannot tell them apart.
        let words = ["the", "fox", "is", "red"];
        let turned = |turn: usize| (0..4).map(|place| words[(place + turn) % 4]).collect::<Vec<_>>();
        let mut texts: Vec<String> = (0..4).map(|turn| turned(turn).join(" ")).collect();
        texts.extend((0..4).map(|turn| turned(turn).into_iter().rev().collect::<Vec<_>>().join(" ")));
        let stored: Vec<MemoryId> = texts.iter().map(|text| remember(&access, text)).collect();
        assert_eq!(ids(&limited(&access, 8).unwrap()), stored);
        assert_eq!(ids(&limited(&access, 5).unwrap()), stored[..5]);
    }

    fn nonsense_finds_nothing_and_says_why(bench: Bench) {
        let access = bench.main();
        remember(&access, "the fox is red");
        let answer = ask(&access, "xyzzy plugh");
        let why = answer.why_empty.as_deref();
        assert_eq!((answer.hits.len(), why), (0, Some("nothing that is stored has any of these words")));
        assert_eq!(answer.words.len(), 2);
        let answer = ask(&access, "?!");
        let why = answer.why_empty.as_deref();
        assert_eq!((answer.hits.len(), why), (0, Some("the question has no words to look for")));
    }

    fn a_bad_question_is_refused(bench: Bench) {
        let access = bench.main();
        for (question, code) in [("  ", "empty_text"), ("a\0", "nul_not_allowed")] {
            let error = access.recall(&Question::new(question)).unwrap_err();
            assert_eq!((error.class(), error.code()), (Class::BadInput, code));
        }
        let error = access.recall(&Question::new("fox ".repeat(5000))).unwrap_err();
        assert_eq!(error.class(), Class::BadInput);
    }

    fn a_limit_has_its_range(bench: Bench) {
        let access = bench.main();
        remember(&access, "the fox is red");
        for limit in [0, MAX_LIMIT + 1] {
            let error = limited(&access, limit).unwrap_err();
            assert_eq!(error.to_string(), format!("limit must be from 1 to {MAX_LIMIT}, not {limit}"));
        }
        for limit in [1, MAX_LIMIT] {
            assert_eq!(limited(&access, limit).unwrap().hits.len(), 1);
        }
    }

    fn a_private_memory_is_found_by_its_principal_and_the_operator_alone(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, noah) = (bench.principal(&agent, "maya"), bench.principal(&agent, "noah"));
        let mut draft = Draft::new("the fox is a secret");
        draft.privacy = Privacy::Private;
        let id = bench.access("main", Speaker::Principal(maya)).remember(draft, None).unwrap().id;
        for (speaker, sees) in [
            (Speaker::Principal(maya), true),
            (Speaker::Operator, true),
            (Speaker::Principal(noah), false),
            (Speaker::Agent(Some(maya)), false),
            (Speaker::Agent(None), false),
        ] {
            let access = bench.access("main", speaker);
            assert_eq!(ids(&ask(&access, "fox")) == [id], sees, "{speaker:?}");
            assert_eq!(access.memory(id).unwrap().is_some(), sees, "{speaker:?}");
        }
    }

    /// What one may not see must not use up what one may.
    fn hidden_memories_do_not_shorten_the_answer(bench: Bench) {
        let agent = bench.agent("main");
        let maya = bench.principal(&agent, "maya");
        for _ in 0..40 {
            let mut draft = Draft::new("fox fox fox");
            draft.privacy = Privacy::Private;
            bench.access("main", Speaker::Principal(maya)).remember(draft, None).unwrap();
        }
        let seen = remember(&bench.access("main", Speaker::Operator), "the one fox that everybody may see");
        assert_eq!(ids(&limited(&bench.access("main", Speaker::Agent(None)), 1).unwrap()), [seen]);
    }

    fn one_agent_does_not_find_what_another_knows(bench: Bench) {
        bench.agent("one");
        bench.agent("other");
        remember(&bench.access("one", Speaker::Operator), "the fox is red");
        assert_eq!(ask(&bench.access("other", Speaker::Operator), "fox").hits, []);
        assert_eq!(ask(&bench.access("one", Speaker::Operator), "fox").hits.len(), 1);
    }

    fn a_small_budget_still_finds_the_rarest_word(bench: Bench) {
        let mut settings = Settings::default();
        settings.recall.posting_budget = 3;
        let mind = bench.open_settings(settings);
        mind.ensure_agent("main").unwrap();
        let access = mind.access("main", Speaker::Operator).unwrap();
        for number in 0..20 {
            remember(&access, &format!("common word {number}"));
        }
        let rare = remember(&access, "common fox");
        let answer = ask(&access, "the common fox");
        assert_eq!(ids(&answer), [rare]);
        assert_eq!(ask(&access, "common").hits.len(), 3, "as many as the budget allows, the newest");
    }

    fn a_damaged_memory_can_be_forgotten_by_the_operator(bench: Bench) {
        let access = bench.main();
        let damaged = remember(&access, "the red fox");
        remember(&access, "the blue fox");
        damage(&bench, damaged);
        let agent = bench.mind().access("main", Speaker::Agent(None)).unwrap();
        assert_eq!(agent.forget(damaged, None).unwrap_err().class(), Class::Damaged);
        assert_eq!(access.forget(damaged, None).unwrap().memories, 1);
        assert_eq!(access.recall(&Question::new("red fox")).unwrap().hits.len(), 1);
        assert_eq!(bench.mind().verify().unwrap().problems, Vec::<String>::new());
    }

    fn a_damaged_memory_is_left_out_and_named(bench: Bench) {
        let access = bench.main();
        let damaged = remember(&access, "the red fox");
        let sound = remember(&access, "a red owl");
        damage(&bench, damaged);
        let answer = ask(&access, "red");
        assert_eq!(ids(&answer), [sound]);
        assert_eq!(answer.damaged, [format!("memory {damaged}")]);
        assert_eq!(access.memory(damaged).unwrap_err().class(), Class::Damaged);
        let problems = bench.mind().verify().unwrap().problems;
        assert_eq!(
            problems,
            [format!("agent main: memory {damaged} is damaged: its content does not fit its seal")]
        );
    }
}
