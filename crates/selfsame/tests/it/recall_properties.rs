//! Whatever is said, remembered, edited and forgotten: recall knows of it at once, by every path, and on both engines.

use crate::recall_messages::{heard, knowing};
use selfsame::context::Occasion;
use selfsame::id::{Id, MemoryId};
use selfsame::memory::{Draft, Edit};
use selfsame::recall::{Mode, Question, Recalled};
use selfsame::trust::Privacy;
use selfsame::{Access, Mind, Speaker};
use selfsame_testkit::Bench;
use selfsame_testkit::seeded::{Dice, for_each_seed};
use std::collections::BTreeSet;
use std::time::Duration;

const STEPS: usize = 30;
/// Few, so that things collide; some are names, days and halves of words.
const WORDS: [&str; 12] = [
    "lantern",
    "lanterns",
    "harbour",
    "Zoe",
    "noah",
    "I",
    "yesterday",
    "on 1 January 2026",
    "last Friday",
    "green?",
    "日本",
    "O'Brien",
];
const PEOPLE: [&str; 2] = ["Zoe", "Noah"];
const CHANNELS: [&str; 2] = ["kitchen", "garden"];
/// Within a sitting, at its edge, and beyond.
const PAUSES: [u64; 4] = [1, 60, 4 * 3600, 20_000];

#[derive(Clone, Debug)]
enum Act {
    Remember { content: String, about: Option<&'static str>, private: bool },
    Say { channel: &'static str, speaker: &'static str, content: String },
    Edit(MemoryId, String),
    Forget(MemoryId),
    Ask(Question),
}

fn sentence(dice: &mut Dice, longest: usize) -> String {
    let words: Vec<&str> = (0..1 + dice.below(longest)).map(|_| *dice.pick(&WORDS)).collect();
    words.join(" ")
}

fn question(dice: &mut Dice) -> Question {
    Question {
        limit: Some(*dice.pick(&[1, 3, 100])),
        mode: *dice.pick(Mode::ALL),
        offset: *dice.pick(&[0, 0, 2]),
        anyway: dice.percent(70),
        ..Question::new(sentence(dice, 3))
    }
}

fn draw(dice: &mut Dice, alive: &[MemoryId]) -> Act {
    match dice.below(10) {
        0..=2 => Act::Remember {
            content: sentence(dice, 5),
            about: dice.percent(30).then(|| *dice.pick(&PEOPLE)),
            private: dice.percent(20),
        },
        3..=5 => {
            let (channel, speaker) = (*dice.pick(&CHANNELS), *dice.pick(&PEOPLE));
            Act::Say { channel, speaker, content: sentence(dice, 5) }
        }
        6 if !alive.is_empty() => Act::Edit(*dice.pick(alive), sentence(dice, 5)),
        7 if !alive.is_empty() => Act::Forget(*dice.pick(alive)),
        _ => Act::Ask(question(dice)),
    }
}

/// What an act left behind.
#[derive(Clone, PartialEq, Debug)]
enum Left {
    /// A row with these words.
    Written(Id, String),
    Forgotten(MemoryId),
    Answer(Box<Recalled>),
    Refused(String),
}

fn perform(bench: &Bench, act: &Act) -> Left {
    let access = bench.main();
    match act {
        Act::Remember { content, about, private } => {
            let entity = about.map(|name| access.entity_show(name).unwrap().known.entity.id);
            let privacy = if *private { Privacy::Private } else { Privacy::Shared };
            let stored =
                access.remember(Draft { entity, privacy, ..Draft::new(content.clone()) }, None).unwrap();
            Left::Written(stored.id.id(), content.clone())
        }
        Act::Say { channel, speaker, content } => {
            let now = bench.mind().now().to_string();
            Left::Written(heard(bench, channel, &now, speaker, content).id(), content.clone())
        }
        Act::Edit(id, content) => {
            let edit = Edit { content: Some(content.clone()), ..Edit::default() };
            match access.edit(*id, edit, None) {
                Ok(stored) => Left::Written(stored.id.id(), content.clone()),
                Err(error) => Left::Refused(format!("{:?}", error.class())),
            }
        }
        Act::Forget(id) => match access.forget(*id, None) {
            Ok(_) => Left::Forgotten(*id),
            Err(error) => Left::Refused(format!("{:?}", error.class())),
        },
        Act::Ask(question) => {
            let answer = access.recall(question).unwrap();
            assert_eq!(access.recall(question).unwrap(), answer, "asked twice: {question:?}");
            Left::Answer(Box::new(answer))
        }
    }
}

fn everything(text: &str, mode: Mode) -> Question {
    Question { limit: Some(1000), mode, anyway: true, ..Question::new(text) }
}

fn found(access: &Access, question: &Question) -> BTreeSet<Id> {
    access.recall(question).unwrap().hits.iter().map(|hit| hit.found.id()).collect()
}

/// Every way in which something could be found: words, names, days, what stands beside it, and what is put away.
fn paths() -> Vec<Question> {
    let texts = [
        WORDS.join(" "),
        "what about Zoe and Noah".into(),
        "what happened on 1 January 2026".into(),
        "what happened in December 2025".into(),
        "yesterday".into(),
    ];
    texts
        .iter()
        .flat_map(|text| [everything(text, Mode::Balanced), everything(text, Mode::Timeline)])
        .collect()
}

/// What was written is there at once; what was forgotten is nowhere.
fn check(bench: &Bench, left: &Left, gone: &[MemoryId]) {
    let access = bench.main();
    if let Left::Written(id, content) = left {
        let question = everything(content, Mode::Balanced);
        assert!(found(&access, &question).contains(id), "{content:?} was written and is not found");
    }
    if let Left::Forgotten(_) = left {
        check_gone(bench, gone);
    }
}

fn check_gone(bench: &Bench, gone: &[MemoryId]) {
    let access = bench.main();
    for question in paths() {
        let found = found(&access, &question);
        let back: Vec<&MemoryId> = gone.iter().filter(|id| found.contains(&id.id())).collect();
        assert!(back.is_empty(), "{back:?} found by {question:?}");
    }
    let occasion = Occasion { query: Some(WORDS.join(" ")), ..Occasion::default() };
    let context = access.context(&occasion).unwrap().text;
    assert!(!gone.iter().any(|id| context.contains(&id.to_string())), "{context}");
}

/// Everything that is found, by every path, as a mind sees it.
fn all_answers(mind: &Mind) -> Vec<Recalled> {
    let access = mind.access("main", Speaker::Operator).unwrap();
    paths().iter().map(|question| access.recall(question).unwrap()).collect()
}

fn live(dice: &mut Dice) {
    let mut benches = [Bench::sqlite(), Bench::postgres()];
    for bench in &benches {
        knowing(bench, &PEOPLE);
    }
    let (mut alive, mut gone) = (Vec::new(), Vec::new());
    for number in 0..STEPS {
        let (act, pause) = (draw(dice, &alive), Duration::from_secs(*dice.pick(&PAUSES)));
        let left = benches.each_ref().map(|bench| {
            bench.clock().advance(pause);
            perform(bench, &act)
        });
        assert_eq!(left[0], left[1], "SQLite and PostgreSQL differ at step {number}: {act:?}");
        match (&act, &left[0]) {
            (Act::Remember { .. } | Act::Edit(..), Left::Written(id, _)) => alive.push(MemoryId::of(*id)),
            (_, Left::Forgotten(id)) => {
                alive.retain(|one| one != id);
                gone.push(*id);
            }
            _ => {}
        }
        for bench in &benches {
            check(bench, &left[0], &gone);
        }
    }
    let answers = all_answers(benches[0].mind());
    assert_eq!(answers, all_answers(benches[1].mind()), "the engines differ in the end");
    for bench in &mut benches {
        check_gone(bench, &gone);
        assert_eq!(
            all_answers(&bench.open_with(|_| {})),
            answers,
            "as another process sees it, nothing closed before"
        );
        assert_eq!(all_answers(bench.reopen()), answers, "after it was closed and opened");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }
}

#[test]
fn postgres_and_sqlite_recall_the_same_whatever_happens() {
    for_each_seed(5, |_, dice| live(dice));
}
