//! What is said in other words is found, where a model knows that they mean the same; and is gone when it is forgotten.

use crate::conversation::say;
use crate::recall::{ask, contents, found};
use crate::recall_messages::{heard, knowing};
use crate::remember::remember;
use selfsame::context::Occasion;
use selfsame::id::Id;
use selfsame::memory::{Draft, Edit};
use selfsame::ports::{Embedder as _, Purpose};
use selfsame::recall::{Filter, Found, Layer, Question, Recalled};
use selfsame::trust::{Caller, Privacy};
use selfsame::vector::Unit;
use selfsame::{Access, Engine, Speaker};
use selfsame_store::postings::Kind;
use selfsame_store::vectors;
use selfsame_testkit::seeded::{Dice, for_each_seed};
use selfsame_testkit::{Bench, Meanings, both_engines};
use std::sync::Arc;
use std::time::Duration;

/// Words that mean the same to the models of these tests.
pub const SAME: &[&[&str]] = &[
    &["car", "automobile", "vehicle"],
    &["doctor", "physician"],
    &["bought", "purchased", "acquired"],
    &["cat", "kitten", "feline"],
    &["ill", "sick", "unwell"],
    &["red", "crimson", "scarlet"],
];

/// A model that is at hand.
pub fn model(name: &str) -> Arc<Meanings> {
    Meanings::at_hand(name, SAME)
}

/// What the agent has to say about other things.
pub fn fill(access: &Access) {
    for text in
        ["The harbour freezes in winter", "Bread needs salt", "Trains leave at seven", "Owls hunt by night"]
    {
        remember(access, text);
    }
}

/// How many rows a table has.
pub fn rows(bench: &Bench, table: &str, which: &str) -> i64 {
    bench.owner().number(&format!("SELECT count(*) FROM {table} WHERE {which}"))
}

/// How many vectors there are of a text; and of its short forms, those that are not empty.
pub fn vectors_of(bench: &Bench, item: Id) -> (i64, i64) {
    let id = bench.id(item);
    let codes = rows(bench, "vector_codes", &format!("item_id = {id} AND code IS NOT NULL"));
    (rows(bench, "vectors", &format!("item_id = {id}")), codes)
}

/// One vector, with its short form where there is one.
pub fn one_vector(bench: &Bench) -> (i64, i64) {
    (1, i64::from(bench.engine() == Engine::Sqlite))
}

fn has_part(answer: &Recalled, name: &str) -> bool {
    answer.hits[0].parts.iter().any(|part| part.name == name)
}

/// What is found first, if anything is.
pub fn first(access: &Access, question: &str) -> Option<String> {
    found(access, question).into_iter().next()
}

fn nearest(bench: &Bench, access: &Access, model: &Meanings, text: &str) -> Vec<Id> {
    let agent = access.agent();
    let unit = Unit::of(model.embed(&[text], Purpose::Question).unwrap().remove(0)).unwrap();
    let read = bench.store().read(&Caller::operator(agent.operator), &[agent.id], |reader| {
        let generation = vectors::generations(reader)?.remove(0);
        vectors::nearest(reader, agent.id, &generation, Kind::Memory, &unit, 10)
    });
    read.unwrap().into_iter().map(|near| near.item).collect()
}

both_engines! {
    fn a_paraphrase_finds_its_memory_and_says_why(mut bench: Bench) {
        let access = { bench.reopen_with(Some(model("a")), &[]); bench.main() };
        fill(&access);
        remember(&access, "Maya purchased an automobile");
        let answer = ask(&access, "Who bought the car?");
        assert_eq!(contents(&answer)[0], "Maya purchased an automobile");
        assert!(has_part(&answer, "meaning"), "{:?}", answer.hits[0].parts);
        assert!(answer.hits[0].words.is_empty());
        assert_eq!((answer.by_meaning.model.as_deref(), answer.by_meaning.pending), (Some("a"), 0));
        assert_eq!(answer.by_meaning.trouble, None);
        bench.reopen_with(None, &[]);
        let answer = ask(&bench.main(), "Who bought the car?");
        assert_eq!(contents(&answer), [""; 0], "words alone do not find it");
        assert_eq!(answer.by_meaning, Default::default());
    }

    fn nonsense_still_finds_nothing(mut bench: Bench) {
        let access = { bench.reopen_with(Some(model("a")), &[]); bench.main() };
        fill(&access);
        for question in ["Which xylophone juggles turnips?", "qwzx", "???"] {
            let answer = ask(&access, question);
            assert_eq!(contents(&answer), [""; 0], "{question}");
            assert!(answer.why_empty.is_some(), "{question}");
        }
    }

    fn the_same_question_has_the_same_answer(mut bench: Bench) {
        let access = { bench.reopen_with(Some(model("a")), &[]); bench.main() };
        fill(&access);
        for number in 0..30 {
            remember(&access, &format!("automobile number{number} is crimson"));
        }
        let (one, other) = (ask(&access, "red car"), ask(&access, "red car"));
        assert_eq!(one, other);
        assert_eq!(one.hits.len(), 10);
    }

    fn messages_are_found_by_what_they_mean(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let access = knowing(&bench, &["Zoe", "Noah"]);
        heard(&bench, "c", "2025-06-01T10:00:00Z", "Zoe", "The bridge is closed");
        let message = heard(&bench, "c", "2025-06-01T18:00:00Z", "Noah", "my feline is unwell");
        heard(&bench, "d", "2025-06-02T10:00:00Z", "Zoe", "Snow fell on the roof");
        assert_eq!(vectors_of(&bench, message.id()), one_vector(&bench));
        let answer = ask(&access, "Is the cat sick?");
        assert_eq!(contents(&answer)[0], "my feline is unwell");
        assert!(has_part(&answer, "meaning"));
        bench.reopen_with(None, &[]);
        assert_eq!(found(&bench.main(), "Is the cat sick?"), [""; 0]);
    }

    fn what_was_forgotten_is_near_to_nothing(mut bench: Bench) {
        let a = model("a");
        let access = { bench.reopen_with(Some(Arc::clone(&a)), &[]); bench.main() };
        fill(&access);
        let id = remember(&access, "Maya purchased an automobile");
        assert_eq!(vectors_of(&bench, id.id()), one_vector(&bench));
        assert_eq!(nearest(&bench, &access, &a, "bought car")[0], id.id());
        access.forget(id, None).unwrap();
        assert_eq!(vectors_of(&bench, id.id()), (0, 0));
        assert!(!nearest(&bench, &access, &a, "bought car").contains(&id.id()));
        assert_eq!(found(&access, "Who bought the car?"), [""; 0]);
        assert_eq!(bench.mind().embed_pending(100).unwrap().texts, 0, "nobody makes it again");
        bench.reopen_with(Some(a), &[]);
        assert_eq!(found(&bench.main(), "Who bought the car?"), [""; 0], "nor is it there when the index is read anew");
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0]);
    }

    fn an_edited_memory_is_found_by_what_it_says_now(mut bench: Bench) {
        let access = { bench.reopen_with(Some(model("a")), &[]); bench.main() };
        fill(&access);
        let old = remember(&access, "Maya purchased an automobile");
        let edit = Edit { content: Some("Maya has a sick feline".into()), ..Edit::default() };
        let new = access.edit(old, edit, None).unwrap().id;
        assert_eq!(first(&access, "unwell kitten").as_deref(), Some("Maya has a sick feline"));
        assert!(!found(&access, "bought car").contains(&"Maya purchased an automobile".to_owned()));
        assert_eq!(vectors_of(&bench, new.id()), one_vector(&bench));
    }

    fn what_came_later_was_not_known_then(mut bench: Bench) {
        let access = { bench.reopen_with(Some(model("a")), &[]); bench.main() };
        fill(&access);
        remember(&access, "an automobile was purchased in Ghent");
        let then = bench.mind().now();
        bench.clock().advance(Duration::from_secs(3600));
        remember(&access, "a vehicle was acquired in Bruges");
        let asked = |as_of| {
            let question = Question { as_of, ..Question::new("bought a car") };
            let answer = access.recall(&question).unwrap();
            contents(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
        };
        let (ghent, bruges) = ("an automobile was purchased in Ghent", "a vehicle was acquired in Bruges");
        let mut now = asked(None);
        now[..2].sort();
        assert_eq!(now[..2], [bruges, ghent]);
        let known = asked(Some(then));
        assert_eq!(known[0], ghent);
        assert!(!known.iter().any(|text| text == bruges), "{known:?}");
    }

    fn filters_and_pages_hold_for_what_is_near(mut bench: Bench) {
        let access = { bench.reopen_with(Some(model("a")), &[]); bench.main() };
        fill(&access);
        for place in ["Ghent", "Bruges", "Antwerp"] {
            let tags = vec![place.to_lowercase()];
            access.remember(Draft { tags, ..Draft::new(format!("an automobile was purchased in {place}")) }, None).unwrap();
        }
        say(&access, "c", "one vehicle acquired");
        let asked = |filter: Filter, limit, offset| {
            let question = Question { filter, limit, offset, ..Question::new("bought a car") };
            access.recall(&question).unwrap()
        };
        let tagged = Filter { tags: vec!["bruges".into()], ..Filter::default() };
        assert_eq!(contents(&asked(tagged, None, 0)), ["an automobile was purchased in Bruges"]);
        let messages = Filter { layers: vec![Layer::Message], ..Filter::default() };
        assert_eq!(contents(&asked(messages, None, 0)), ["one vehicle acquired"]);
        let all: Vec<Id> = asked(Filter::default(), None, 0).hits.iter().map(|hit| hit.found.id()).collect();
        assert!(all.len() >= 4);
        let mut paged = Vec::new();
        let mut offset = Some(0);
        while let Some(from) = offset {
            let page = asked(Filter::default(), Some(1), from);
            paged.extend(page.hits.iter().map(|hit| hit.found.id()));
            offset = page.next_offset.filter(|_| paged.len() < 20);
        }
        assert_eq!(paged, all);
    }

    fn private_words_are_near_to_nobody_else(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let operator = bench.main();
        let noah = bench.principal(operator.agent(), "Noah");
        let maya = bench.principal(operator.agent(), "Maya");
        fill(&operator);
        let (noah, maya) = (bench.access("main", Speaker::Principal(noah)), bench.access("main", Speaker::Principal(maya)));
        let secret = Draft { privacy: Privacy::Private, ..Draft::new("purchased an automobile in secret") };
        noah.remember(secret, None).unwrap();
        assert_eq!(found(&noah, "who bought a car")[0], "purchased an automobile in secret");
        for other in [&maya, &bench.access("main", Speaker::Agent(None))] {
            assert!(!found(other, "who bought a car").contains(&"purchased an automobile in secret".to_owned()));
        }
    }

    fn each_agent_has_its_own(mut bench: Bench) {
        bench.reopen_with(Some(model("a")), &[]);
        let main = bench.main();
        bench.agent("other");
        let other = bench.access("other", Speaker::Operator);
        fill(&main);
        fill(&other);
        remember(&other, "Maya purchased an automobile");
        assert_eq!(found(&main, "bought car"), [""; 0]);
        assert_eq!(first(&other, "bought car").as_deref(), Some("Maya purchased an automobile"));
    }

    fn a_context_shows_what_is_near_and_leaves_no_trace(mut bench: Bench) {
        let access = { bench.reopen_with(Some(model("a")), &[]); bench.main() };
        fill(&access);
        let id = remember(&access, "Maya purchased an automobile");
        let before = access.memory(id).unwrap().unwrap();
        let occasion = Occasion { query: Some("bought car".into()), ..Occasion::default() };
        assert!(access.context(&occasion).unwrap().text.contains("Maya purchased an automobile"));
        assert_eq!(access.memory(id).unwrap().unwrap(), before);
        bench.reopen_with(Some(model("a")), &[]);
        assert_eq!(bench.main().memory(id).unwrap().unwrap(), before, "nor when it was closed");
    }

    fn a_model_that_is_asked_elsewhere_holds_up_no_write(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        let access = { bench.reopen_with(Some(Arc::clone(&far)), &[]); bench.main() };
        fill(&access);
        let id = remember(&access, "Maya purchased an automobile");
        let message = say(&access, "c", "the feline is unwell").message;
        assert_eq!(far.asked(), [], "nobody asked");
        let answer = ask(&access, "Who bought the car?");
        assert_eq!((contents(&answer).len(), answer.by_meaning.pending), (0, 6));
        assert_eq!(bench.mind().status().unwrap().model.unwrap().pending, 6);
        let done = bench.mind().embed_pending(100).unwrap();
        assert_eq!((done.texts, done.pending, done.trouble), (6, 0, None));
        assert_eq!(vectors_of(&bench, id.id()), one_vector(&bench));
        assert_eq!(vectors_of(&bench, message.id()), one_vector(&bench));
        assert_eq!(first(&access, "Who bought the car?").as_deref(), Some("Maya purchased an automobile"));
        remember(&access, "Noah met a scarlet physician");
        let answer = ask(&access, "Who bought the car?");
        assert_eq!(answer.by_meaning.pending, 1);
        let status = bench.mind().status().unwrap().model.unwrap();
        assert_eq!((status.vectors, status.pending, status.behind), (6, 1, 0));
        assert_eq!(found(&access, "crimson doctor"), [""; 0]);
        bench.mind().embed_pending(100).unwrap();
        assert_eq!(first(&access, "crimson doctor").as_deref(), Some("Noah met a scarlet physician"));
    }

    fn only_so_many_are_made_at_a_time(mut bench: Bench) {
        let far = Meanings::far_away("far", SAME);
        let access = { bench.reopen_with(Some(Arc::clone(&far)), &[]); bench.main() };
        for number in 0..100 {
            remember(&access, &format!("number{number} is here"));
        }
        let done = bench.mind().embed_pending(40).unwrap();
        // By whole batches, of 32.
        assert_eq!((done.texts, done.pending), (64, 36));
        let done = bench.mind().embed_pending(40).unwrap();
        assert_eq!((done.texts, done.pending), (36, 0));
        let mut texts = far.texts();
        texts.retain(|text| text.starts_with("number"));
        let all = texts.len();
        texts.sort();
        texts.dedup();
        assert_eq!((all, texts.len()), (100, 100), "each once");
    }
}

/// What one mind and the other make of the same life.
fn live(benches: &[Bench; 2], seed: u64, dice: &mut Dice) {
    const WORDS: [&str; 16] = [
        "car",
        "automobile",
        "doctor",
        "physician",
        "bought",
        "purchased",
        "cat",
        "feline",
        "sick",
        "unwell",
        "red",
        "scarlet",
        "harbour",
        "bread",
        "not",
        "7",
    ];
    let texts = |dice: &mut Dice| {
        let words: Vec<&str> = (0..=dice.below(4)).map(|_| *dice.pick(&WORDS)).collect();
        words.join(" ")
    };
    let mut known = Vec::new();
    for step in 0..40 {
        let (choice, text, other) = (dice.below(10), texts(dice), dice.next() as usize);
        let question = Question { anyway: dice.percent(50), ..Question::new(texts(dice)) };
        let here = format!("seed {seed}, step {step}: {text:?}, {question:?}");
        let mut new = Vec::new();
        let answers = benches.each_ref().map(|bench| {
            let access = bench.main();
            match choice {
                0..5 => new.push(access.remember(Draft::new(text.clone()), None).unwrap().id),
                5 => drop(say(&access, "c", &text)),
                6 if !known.is_empty() => {
                    let edit = Edit { content: Some(text.clone()), ..Edit::default() };
                    new.extend(
                        access.edit(known[other % known.len()], edit, None).ok().map(|edited| edited.id),
                    );
                }
                7 if !known.is_empty() => drop(access.forget(known[other % known.len()], None)),
                _ => {}
            }
            access.recall(&question).unwrap()
        });
        let shown = answers.each_ref().map(|answer| {
            let hit = |hit: &selfsame::recall::Hit| (hit.found.id(), hit.score.to_bits(), hit.fit.to_bits());
            let is_message = |hit: &selfsame::recall::Hit| matches!(hit.found, Found::Message(_));
            let hits: Vec<_> =
                answer.hits.iter().map(|one| (hit(one), is_message(one), one.parts.clone())).collect();
            (hits, answer.confidence.to_bits(), answer.why_empty.clone(), answer.by_meaning.clone())
        });
        assert_eq!(shown[0], shown[1], "{here}");
        assert_eq!(new.first(), new.last(), "{here}");
        known.extend(new.first());
    }
    for bench in benches {
        assert_eq!(bench.mind().verify().unwrap().problems, [""; 0], "seed {seed}");
    }
}

#[test]
fn both_engines_give_the_same_answers_to_the_bit() {
    for_each_seed(6, |seed, dice| {
        let benches = [Bench::sqlite(), Bench::postgres()].map(|mut bench| {
            bench.reopen_with(Some(model("a")), &[]);
            bench
        });
        live(&benches, seed, dice);
    });
}
