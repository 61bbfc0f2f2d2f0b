//! What is read out of a question: words, names, days, who asks, and what is not looked up.

use jiff::civil::{Date, date};
use proptest::prelude::*;
use selfsame_core::entity::{candidate_names, capitalised, name_key, named};
use selfsame_core::id::{EntityId, Id};
use selfsame_core::recall::Plan;
use selfsame_core::recall::fillers::is_filler;
use selfsame_core::recall::plan::{Known, MAX_WORDS, Role, plan, spend, words_of};
use selfsame_core::when::Span;
use std::collections::BTreeSet;

const TODAY: Date = date(2023, 6, 10);

const fn somebody(number: u8) -> EntityId {
    EntityId::of(Id::from_bytes([number; 16]))
}

const ASKER: EntityId = somebody(200);

/// Reads a question as the engine does, among people who are known by these names.
fn read_among(people: &[(&str, u8)], asker: Option<EntityId>, question: &str) -> Plan {
    let mut known = Known::new();
    for (name, number) in people {
        known.entry(name_key(name)).or_default().push(somebody(*number));
    }
    let mut candidates = candidate_names(question);
    if named(&candidates, &known).is_empty() {
        candidates = candidate_names(&capitalised(question, |word| !is_filler(word)));
    }
    plan(question, TODAY, asker, &candidates, &known)
}

fn read(question: &str) -> Plan {
    read_among(&[], None, question)
}

/// What is looked up in this role.
fn terms(plan: &Plan, role: Role) -> Vec<&str> {
    plan.words.iter().filter(|word| word.role == role).map(|word| word.term.as_str()).collect()
}

fn proper(plan: &Plan) -> Vec<&str> {
    plan.words.iter().filter(|word| word.proper).map(|word| word.term.as_str()).collect()
}

#[test]
fn fillers_are_dropped_beside_words_that_say_something() {
    assert_eq!(terms(&read("What is the name of the dog?"), Role::Content), ["name", "dog"]);
    assert_eq!(terms(&read("please tell me where it's kept"), Role::Content), ["kept"]);
}

#[test]
fn fillers_are_kept_where_there_is_nothing_else() {
    assert_eq!(terms(&read("the who"), Role::Content), ["the", "who"]);
    assert_eq!(terms(&read("to be or not to be"), Role::Content), ["to", "be", "or", "not"]);
}

#[test]
fn a_name_or_a_day_is_something_else_than_fillers() {
    let will = read_among(&[("Will", 1)], None, "Who is Will?");
    assert_eq!(terms(&will, Role::Name), ["will"]);
    assert_eq!(terms(&will, Role::Content), [""; 0]);
    let day = read("What did we do on May 7, 2023?");
    assert_eq!(terms(&day, Role::Content), [""; 0]);
    assert_eq!(terms(&day, Role::Day), ["@2023-05-07"]);
}

#[test]
fn words_that_only_lost_their_apostrophe_are_no_fillers() {
    assert_eq!(terms(&read("who was ill at the party"), Role::Content), ["ill", "parti"]);
    assert_eq!(terms(&read("the ID of the invoice"), Role::Content), ["id", "invoic"]);
    for word in ["i'd", "i'll", "i'm", "don't", "dont", "the", "does", "doe", "veri"] {
        assert!(is_filler(word), "{word}");
    }
    for word in ["id", "ill", "dog", "monday", "", "who's who"] {
        assert!(!is_filler(word), "{word}");
    }
}

#[test]
fn each_word_is_looked_up_once_where_it_first_stands() {
    let words = read("Dogs, cats, dog and cat: the dog's cat");
    assert_eq!(terms(&words, Role::Content), ["dog", "cat"]);
    assert_eq!(words_of("the dog, the dogs, the cat"), ["the", "dog", "cat"]);
}

#[test]
fn words_beyond_the_most_are_dropped() {
    let page: String = (0..200).map(|number| format!("word{number} ")).collect();
    let plan = read(&page);
    assert_eq!(plan.words.len(), MAX_WORDS);
    assert_eq!(plan.words[0].term, "word0");
    assert_eq!(words_of(&page).len(), MAX_WORDS);
    let with_day = read(&format!("{page} on May 7, 2023"));
    assert_eq!(with_day.words.len(), MAX_WORDS);
    assert_eq!(with_day.days.len(), 1, "it is still known that it speaks of one");
}

#[test]
fn a_question_without_words_has_none() {
    for question in ["", "?!", "   ", "..."] {
        assert_eq!(read(question), Plan::default(), "{question:?}");
    }
}

#[test]
fn names_of_who_is_known_are_names_and_fill_people() {
    let people = [("Maya Chen", 1), ("Maya", 1), ("Tom", 2)];
    let plan = read_among(&people, None, "What did Maya Chen give Tom?");
    assert_eq!(terms(&plan, Role::Name), ["maya", "chen", "tom"]);
    assert_eq!(terms(&plan, Role::Content), ["give"]);
    assert_eq!(plan.people, BTreeSet::from([somebody(1), somebody(2)]));
    assert_eq!(plan.named_once, 0, "two are named");
    let typed_small = read_among(&people, None, "what did maya's dog eat");
    assert_eq!(terms(&typed_small, Role::Name), ["maya"]);
    assert_eq!(typed_small.people, BTreeSet::from([somebody(1)]));
    let unknown = read("What did Maya eat?");
    assert_eq!((terms(&unknown, Role::Name), unknown.people.len()), (vec![], 0));
}

#[test]
fn one_name_is_one_however_often_it_is_said_and_whoever_has_it() {
    let one = read_among(&[("Maya", 1)], None, "What did Maya say about Maya's dog?");
    assert_eq!((one.named_once, one.people.len()), (1, 1));
    let shared = read_among(&[("Maya", 1), ("Maya", 2)], None, "What did Maya say?");
    assert_eq!((shared.named_once, shared.people.len()), (2, 2));
    assert_eq!(read("What was said?").named_once, 0);
    let asked = read_among(&[("Maya", 1)], Some(ASKER), "What did Maya say about my dog?");
    assert_eq!((asked.named_once, asked.people.len()), (1, 2), "the one who asks is not named");
}

#[test]
fn days_are_looked_up_as_days_and_not_as_words() {
    let plan = read("What did they paint in May 2023?");
    assert_eq!(terms(&plan, Role::Content), ["paint"]);
    assert_eq!(terms(&plan, Role::Day), ["@2023-05"]);
    assert_eq!(terms(&plan, Role::SaidOn), ["=2023-05"]);
    assert_eq!(plan.days, [Span { first: date(2023, 5, 1), last: date(2023, 5, 31) }]);
    assert_eq!(terms(&read("may I go to the march"), Role::Content), ["go", "march"], "no days");
}

#[test]
fn every_word_and_every_day_is_one_thing() {
    let plan = read("the dog and the cat last weekend or on May 7, 2023");
    let things: Vec<Vec<&str>> =
        plan.things().map(|thing| thing.iter().map(|word| word.term.as_str()).collect()).collect();
    let weekend = vec!["@2023-06-03", "@2023-06-04", "=2023-06-03", "=2023-06-04"];
    assert_eq!(things, [vec!["dog"], vec!["cat"], weekend, vec!["@2023-05-07", "=2023-05-07"]]);
    assert!(plan.words.iter().all(|word| !(word.proper && word.role.is_day())));
}

#[test]
fn a_day_is_never_one_thing_with_a_word_however_many_terms_a_word_has() {
    // In the first the last term has the number that the length of the question is.
    for question in ["1a-2b 3c-4d 5e-6f 7g-8h 9i-0j 1k-2l today", "1a 2b today", "ﷺﷺﷺ 2023-05-07"] {
        let plan = read(question);
        assert_eq!(plan.days.len(), 1, "{question}");
        let is_mixed = |thing: &[selfsame_core::recall::plan::Word]| {
            thing.iter().any(|word| word.role.is_day()) && thing.iter().any(|word| !word.role.is_day())
        };
        assert!(!plan.things().any(is_mixed), "{question}");
    }
}

#[test]
fn capitals_make_a_name_but_not_of_the_first_word_or_a_filler() {
    assert_eq!(proper(&read("Where did Zorblax buy the Red car?")), ["zorblax", "red"]);
    assert_eq!(proper(&read("Zorblax is where?")), [""; 0]);
    assert_eq!(proper(&read("what do I and They buy on Friday?")), [""; 0]);
}

#[test]
fn it_is_seen_whether_a_time_is_asked_for() {
    for question in
        ["When did it rain?", "what year was it", "Which day?", "how long did it rain", "what time"]
    {
        assert!(read(question).asks_when, "{question}");
    }
    for question in ["What rained?", "How did it rain?", "which of the years was wet", "whenever", "day"] {
        assert!(!read(question).asks_when, "{question}");
    }
}

#[test]
fn whoever_says_i_speaks_of_themselves() {
    let takes_asker = |question: &str| read_among(&[], Some(ASKER), question).people.contains(&ASKER);
    for question in [
        "what did I say",
        "where is my dog",
        "What am I allergic to?",
        "the town I'm from",
        "the book I've read",
        "did Maya tell me about it",
        "tell me what I said",
        "when did we meet",
    ] {
        assert!(takes_asker(question), "{question}");
    }
    for question in [
        "how do I boil an egg",
        "How do we boil an egg?",
        "can I fly",
        "what should we eat",
        "where could I go",
        "tell me about eggs",
        "please show us the way",
        "can you give me the address",
        "what did Maya say",
        "who is ill",
    ] {
        assert!(!takes_asker(question), "{question}");
    }
    assert!(read("what did I say").people.is_empty(), "nobody is known to ask");
}

#[test]
fn the_rarest_word_is_always_looked_up() {
    assert_eq!(spend(&[("common", 5000)], 10), ["common"]);
    assert_eq!(spend(&[("b", 20), ("a", 20), ("c", 5000)], 30), ["a"]);
    assert_eq!(spend(&[("gone", 0)], 10), [""; 0]);
}

proptest! {
    #[test]
    fn any_text_around_days_is_read(
        parts in prop::collection::vec("\\PC{0,6}", 1..5),
        days in prop::collection::vec(
            prop::sample::select(vec![
                "May 7, 2023", "in May 2023", "yesterday", "2023-05-07", "last Friday", "in 2022", "two weeks ago",
                "the past week", "Christmas",
            ]),
            1..5,
        ),
        gap in prop::sample::select(vec!["", " ", "é", "日", "\u{301}", "ﷺ", "'", "–"]),
    ) {
        let mut question = String::new();
        for (at, day) in days.iter().enumerate() {
            question += &parts[at % parts.len()];
            question += gap;
            question += day;
            question += gap;
        }
        let plan = read_among(&[("日", 1), ("May", 2)], Some(ASKER), &question);
        prop_assert!(plan.words.len() <= MAX_WORDS);
        let distinct: BTreeSet<&str> = plan.words.iter().map(|word| word.term.as_str()).collect();
        prop_assert_eq!(distinct.len(), plan.words.len());
        for thing in plan.things() {
            prop_assert!(thing.iter().all(|word| word.role.is_day() == thing[0].role.is_day()));
            prop_assert!(thing[0].role.is_day() || thing.len() == 1);
        }
        for word in &plan.words {
            let first = word.term.chars().next();
            prop_assert_eq!(word.role == Role::Day, first == Some('@'), "{:?}", word);
            prop_assert_eq!(word.role == Role::SaidOn, first == Some('='), "{:?}", word);
        }
        prop_assert_eq!(plan.things().map(<[_]>::len).sum::<usize>(), plan.words.len());
    }
}
