//! What is forgotten is gone by every path, and only who may forgets.

use crate::remember::{key, remember};
use selfsame::id::MemoryId;
use selfsame::memory::Draft;
use selfsame::recall::Question;
use selfsame::trust::Privacy;
use selfsame::{Class, Speaker};
use selfsame_testkit::{Bench, both_engines};
use std::fs;

/// How many rows the index and its statistics have.
fn index_rows(bench: &Bench) -> [i64; 3] {
    let mut raw = bench.owner();
    ["postings", "term_stats", "indexed_texts"]
        .map(|table| raw.number(&format!("SELECT COUNT(*) FROM {table}")))
}

/// How many postings a word has.
fn entries_of(bench: &Bench, term: &str) -> i64 {
    bench.owner().number(&format!("SELECT SUM(length(entries)) / 12 FROM postings WHERE term = '{term}'"))
}

both_engines! {
    fn a_forgotten_memory_is_gone_by_every_path(bench: Bench) {
        let access = bench.main();
        let stays = remember(&access, "the owl is grey");
        let before = index_rows(&bench);
        let id = remember(&access, "the zebra is striped, a zebra");
        let forgotten = access.forget(id, None).unwrap();
        assert_eq!(forgotten.memories, 1);
        assert_eq!(access.memory(id).unwrap(), None);
        assert_eq!(access.recall(&Question::new("zebra striped")).unwrap().hits, []);
        assert_eq!(access.recall(&Question::new("owl")).unwrap().hits[0].found.memory().unwrap().id, stays);
        assert_eq!(index_rows(&bench), before, "the index keeps nothing of it");
        assert_eq!(entries_of(&bench, "is"), 1, "the word that is left stands for one text");
        assert!(!bench.dump().contains("zebra"), "{}", bench.dump());
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn what_was_forgotten_stays_forgotten(mut bench: Bench) {
        let id = remember(&bench.main(), "the fox is red");
        bench.main().forget(id, None).unwrap();
        bench.reopen();
        let error = bench.main().forget(id, None).unwrap_err();
        assert_eq!(error.to_string(), format!("memory {id} was forgotten: nothing of it is left"));
        assert_eq!(error.class(), Class::Gone);
        assert_eq!(bench.main().forget_preview(id).unwrap_err().class(), Class::Gone);
        assert_eq!(bench.main().memory(id).unwrap(), None);
    }

    fn a_preview_forgets_nothing(bench: Bench) {
        let access = bench.main();
        let id = remember(&access, "the fox is red");
        let before = bench.dump();
        assert_eq!(access.forget_preview(id).unwrap().content, "the fox is red");
        assert_eq!(bench.dump(), before);
    }

    fn what_was_never_there_is_not_found(bench: Bench) {
        let access = bench.main();
        let before = bench.dump();
        let id = MemoryId::of(bench.fresh_id());
        for key in [None, Some(key("k", 1))] {
            let error = access.forget(id, key.as_ref()).unwrap_err();
            assert_eq!(error.to_string(), format!("there is no memory {id}: `selfsame memory list` shows them"));
        }
        assert_eq!(bench.dump(), before);
    }

    fn texts_of_equal_words_are_forgotten_one_by_one(bench: Bench) {
        let access = bench.main();
        let (first, second) = (remember(&access, "the fox is red"), remember(&access, "the red is fox"));
        access.forget(first, None).unwrap();
        let answer = access.recall(&Question::new("fox")).unwrap();
        assert_eq!(answer.hits.iter().map(|hit| hit.found.memory().unwrap().id).collect::<Vec<_>>(), [second]);
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn only_who_may_forgets(bench: Bench) {
        let agent = bench.agent("main");
        let (maya, noah) = (bench.principal(&agent, "maya"), bench.principal(&agent, "noah"));
        let said = |privacy| {
            let mut draft = Draft::new("Maya said it");
            draft.privacy = privacy;
            bench.access("main", Speaker::Principal(maya)).remember(draft, None).unwrap().id
        };
        let forget = |id, speaker| bench.access("main", speaker).forget(id, None);
        let (shared, hidden) = (said(Privacy::Shared), said(Privacy::Private));
        assert_eq!(forget(shared, Speaker::Principal(noah)).unwrap_err().class(), Class::Forbidden);
        assert_eq!(forget(hidden, Speaker::Principal(noah)).unwrap_err().class(), Class::NotFound);
        assert_eq!(forget(hidden, Speaker::Agent(None)).unwrap_err().class(), Class::NotFound);
        assert_eq!(bench.mind().agent_card("main").unwrap().memories, 2);
        forget(shared, Speaker::Agent(None)).unwrap();
        forget(hidden, Speaker::Principal(maya)).unwrap();
        forget(said(Privacy::Private), Speaker::Operator).unwrap();
        assert_eq!(bench.mind().agent_card("main").unwrap().memories, 0);
    }

    fn another_agents_memory_is_not_there(bench: Bench) {
        bench.agent("one");
        bench.agent("other");
        let id = remember(&bench.access("one", Speaker::Operator), "the fox is red");
        let error = bench.access("other", Speaker::Operator).forget(id, None).unwrap_err();
        assert_eq!(error.class(), Class::NotFound);
        assert_eq!(bench.mind().agent_card("one").unwrap().memories, 1);
    }

    fn a_repeated_key_gives_the_same_answer(bench: Bench) {
        let access = bench.main();
        let (first, second) = (remember(&access, "the fox is red"), remember(&access, "the owl is grey"));
        let answer = access.forget(first, Some(&key("k", 1))).unwrap();
        assert_eq!(access.forget(first, Some(&key("k", 1))).unwrap(), answer);
        assert_eq!(access.forget(second, Some(&key("k", 2))).unwrap_err().class(), Class::KeyReused);
        // Another key for what is gone is no repetition.
        assert_eq!(access.forget(first, Some(&key("other", 1))).unwrap_err().class(), Class::Gone);
        assert_eq!(access.forget(first, None).unwrap_err().class(), Class::Gone);
        assert_eq!(bench.owner().number("SELECT COUNT(*) FROM erasures"), 1);
    }

    fn many_at_once_with_one_key_get_one_answer(bench: Bench) {
        const THREADS: usize = 8;
        let id = remember(&bench.main(), "the fox is red");
        let start = std::sync::Barrier::new(THREADS);
        let answers: Vec<_> = std::thread::scope(|scope| {
            let forget = || {
                start.wait();
                bench.main().forget(id, Some(&key("k", 1))).unwrap()
            };
            let threads: Vec<_> = (0..THREADS).map(|_| scope.spawn(forget)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    }
}

/// Forgotten is overwritten, not unlinked: no page of the file and no page of its log has the words.
#[test]
fn sqlite_forgotten_words_are_in_no_file() {
    let bench = Bench::sqlite();
    let access = bench.main();
    let word = "rumpelstiltskin";
    let long = format!("{word} {}", "and much else ".repeat(2000));
    let ids = [remember(&access, word), remember(&access, &long)];
    let has_word = || {
        let files =
            fs::read_dir(bench.folder()).unwrap().map(|entry| fs::read(entry.unwrap().path()).unwrap());
        files.filter(|bytes| bytes.windows(word.len()).any(|part| part == word.as_bytes())).count()
    };
    assert!(has_word() > 0, "the test would see it");
    for id in ids {
        access.forget(id, None).unwrap();
    }
    assert_eq!(has_word(), 0);
}
