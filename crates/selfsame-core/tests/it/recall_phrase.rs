//! Words that stand together: in the question, in a text, and word for word where they are quoted.

use jiff::civil::date;
use proptest::prelude::*;
use selfsame_core::id::Id;
use selfsame_core::recall::features::Features;
use selfsame_core::recall::phrase::{Together, hand_on, may_be_in, quoted, together};
use selfsame_core::recall::plan::{Known, Role, plan};
use selfsame_core::recall::sheet::Entry;
use selfsame_core::recall::{Fit, Layer, Plan, Spot};
use selfsame_core::text;

fn read(question: &str) -> Plan {
    plan(question, date(2023, 6, 10), None, &[], &Known::new())
}

/// What a text has of a question whose words are all equally rare.
fn in_text(question: &str, content: &str) -> Together {
    let plan = read(question);
    together(&plan, &vec![1.0; plan.words.len()], content)
}

fn phrase(question: &str, content: &str) -> f64 {
    in_text(question, content).phrase
}

fn quote(question: &str, content: &str) -> f64 {
    in_text(question, content).quoted
}

/// The words of a plan that a text has, as the index gives them.
fn own_words(plan: &Plan, content: &str) -> Vec<Entry> {
    let counts = text::count_terms(content).counts;
    let entry = |word: usize, tf: u32| Entry {
        spot: Spot { thread: 0, place: 0 },
        word,
        tf: tf.try_into().expect("a small count"),
        score: 1.0,
    };
    let words = plan.words.iter().enumerate();
    words.filter_map(|(at, word)| Some(entry(at, *counts.get(&word.term)?))).collect()
}

fn is_looked_at(question: &str, content: &str) -> bool {
    let plan = read(question);
    may_be_in(&plan, &own_words(&plan, content))
}

#[test]
fn words_count_that_follow_each_other_in_the_same_order() {
    assert_eq!(phrase("Where is the red fox?", "A red fox sat there"), 1.0);
    assert_eq!(phrase("Where is the red fox?", "That fox, red as fire"), 0.0);
    assert_eq!(phrase("Where is the red fox?", "A red barn and a fox"), 0.0);
    assert_eq!(phrase("Where is the red fox?", "Red."), 0.0);
    assert_eq!(
        phrase("Where did they keep their running shoes?", "new running shoe, kept runs"),
        0.5,
        "by stem"
    );
}

#[test]
fn a_few_fillers_may_stand_between_on_either_side() {
    assert_eq!(phrase("walking to the beach", "we walk at a beach"), 1.0);
    assert_eq!(phrase("walking beach", "we walk at the beach"), 1.0);
    assert_eq!(phrase("walking to the beach", "walk, beach"), 1.0);
    assert_eq!(phrase("walking beach", "we walk, and it was the beach"), 0.0, "too many of them");
    assert_eq!(phrase("walking, and it was the beach", "walking beach"), 0.0, "in the question, too");
}

#[test]
fn rare_pairs_weigh_more_and_each_counts_once() {
    let plan = read("red fox barn");
    let share = |content: &str| together(&plan, &[1.0, 2.0, 4.0], content).phrase;
    assert_eq!(share("a red fox"), 3.0 / 9.0);
    assert_eq!(share("a fox barn, another fox barn"), 6.0 / 9.0);
    assert_eq!(share("a red fox barn"), 1.0);
    assert_eq!(together(&plan, &[0.0; 3], "a red fox barn").phrase, 0.0, "words that are in every text");
    assert_eq!(phrase("red fox, oh red fox", "red fox"), 1.0 / 3.0, "red fox, fox oh, oh red");
}

#[test]
fn a_question_without_phrases_has_none_in_any_text() {
    for question in ["fox", "the fox", "fox fox", "?!", "What happened on 5 May 2023?"] {
        assert_eq!(in_text(question, "the fox, fox, on 5 May 2023"), Together::default(), "{question}");
        assert!(!is_looked_at(question, "the fox, fox, on 5 May 2023"), "{question}");
    }
}

#[test]
fn quotation_marks_of_many_lands_quote() {
    for (question, quotes) in [
        (r#"who said "red fox" first"#, vec!["red fox"]),
        (r#""one" and "two three""#, vec!["one", "two three"]),
        ("who said “red fox”, „roter Fuchs“ or „a”?", vec!["red fox", "roter Fuchs", "a"]),
        ("«renard roux» »roter Fuchs« 「赤い狐」『狐』", vec!["renard roux", "roter Fuchs", "赤い狐", "狐"]),
        (r#"what of "The Lean Startup?"#, vec![]),
        (r#"who said "" or " ?""#, vec![]),
        ("the fox's 'red' don't", vec![]),
    ] {
        assert_eq!(quoted(question), quotes, "{question}");
    }
}

#[test]
fn what_is_quoted_is_wanted_word_for_word() {
    let question = r#"Who said "Running to the Café"?"#;
    assert_eq!(quote(question, "he was running to the cafe again"), 1.0);
    assert_eq!(quote(question, "he was Running, to the CAFÉ!"), 1.0);
    assert_eq!(quote(question, "he runs to the cafe"), 0.0, "another ending");
    assert_eq!(quote(question, "he was running to a cafe"), 0.0, "another filler");
    assert_eq!(quote(question, "the cafe; to running"), 0.0, "another order");
    assert_eq!(quote("Who said Running to the Café?", "running to the cafe"), 0.0, "not quoted");
    assert_eq!(quote(r#"Who asked "where is it?""#, "where is it now"), 1.0);
    assert_eq!(quote(r#"Who said "red fox" or "blue owl"?"#, "a red fox"), 0.5);
    assert_eq!(quote("谁说「東京都」", "我在東京都"), 1.0);
    assert_eq!(quote(r#""fox""#, ""), 0.0);
}

#[test]
fn a_quote_of_fillers_is_looked_for() {
    let terms = |question: &str| read(question).words.into_iter().map(|word| word.term).collect::<Vec<_>>();
    assert_eq!(terms(r#"When did "The Who" play?"#), ["the", "who", "play"]);
    assert_eq!(terms(r#"When did "The Lean Startup" appear?"#), ["lean", "startup", "appear"]);
    assert_eq!(terms("When did The Who play?"), ["play"]);
    assert!(read(r#"When did "The Who" play?"#).words.iter().all(|word| word.role == Role::Content));
}

#[test]
fn only_what_may_have_a_phrase_is_looked_at() {
    assert!(is_looked_at("red fox barn", "fox, and a red thing"));
    assert!(!is_looked_at("red fox barn", "red, or a barn"), "these two are no pair");
    assert!(
        is_looked_at(r#"who wrote "new york nights"?"#, "york"),
        "the others may be too common to look up"
    );
    assert!(!is_looked_at(r#"who wrote "new york nights"?"#, "who wrote"));
    assert!(is_looked_at(r#"who wrote "5 May 2023"?"#, "nothing of that"), "a day is no word of the index");
}

/// A candidate that has so much of the phrases, and says something or asks.
fn fit(layer: Layer, thread: u32, place: u32, phrase: f64, statement: f64) -> Fit {
    let features = Features { phrase, statement, quoted: phrase, ..Features::default() };
    let (item, spot) = (Id::from_bytes([place as u8; 16]), Spot { thread, place });
    Fit { layer, item, spot, fit: 0.5, features, around: 0.0, spoken: true, surprise: 0.0 }
}

#[test]
fn the_phrase_of_a_question_counts_for_what_was_said_next() {
    const MESSAGE: Layer = Layer::Message;
    let mut fits = [
        fit(MESSAGE, 1, 4, 0.0, 1.0),
        fit(MESSAGE, 1, 3, 0.8, 0.0),
        fit(MESSAGE, 1, 2, 0.0, 1.0),
        fit(MESSAGE, 1, 5, 0.0, 1.0),
        fit(MESSAGE, 2, 4, 0.0, 1.0),
        fit(MESSAGE, 3, 0, 0.3, 1.0),
        fit(MESSAGE, 3, 1, 0.0, 1.0),
        fit(MESSAGE, 4, 0, 0.3, 0.0),
        fit(MESSAGE, 4, 1, 0.6, 0.0),
        fit(MESSAGE, 4, 2, 0.1, 1.0),
        fit(Layer::Memory, 1, 3, 0.7, 0.0),
        fit(Layer::Memory, 1, 4, 0.0, 1.0),
    ];
    let quotes: Vec<f64> = fits.iter().map(|fit| fit.features.quoted).collect();
    hand_on(&mut fits);
    let phrases: Vec<f64> = fits.iter().map(|fit| fit.features.phrase).collect();
    let answered = [0.8, 0.0, 0.0, 0.0, 0.0];
    let stated = [0.3, 0.0];
    let asked_back = [0.0, 0.3, 0.6];
    let memories = [0.7, 0.0];
    assert_eq!(phrases, [&answered[..], &stated, &asked_back, &memories].concat());
    assert_eq!(
        fits.iter().map(|fit| fit.features.quoted).collect::<Vec<_>>(),
        quotes,
        "who quotes wants the words"
    );
}

/// Few words, so that they meet; fillers and words that stem alike among them.
fn sentence() -> impl Strategy<Value = String> {
    let word =
        prop::sample::select(vec!["red", "fox", "foxes", "barn", "the", "of", "Friday", "日本語", "red-fox"]);
    prop::collection::vec(word, 0..10).prop_map(|words| words.join(" "))
}

proptest! {
    #[test]
    fn a_share_is_from_nought_to_one_and_never_missed(question in sentence(), content in sentence()) {
        let quoting = format!("{question} \"{content}\"");
        for question in [&question, &quoting] {
            let found = in_text(question, &content);
            prop_assert!((0.0..=1.0).contains(&found.phrase) && (0.0..=1.0).contains(&found.quoted));
            if found != Together::default() {
                prop_assert!(is_looked_at(question, &content), "{question}: {content}");
            }
        }
        let own = in_text(&quoting, &quoting);
        prop_assert_eq!(own.quoted, if quoted(&quoting).is_empty() { 0.0 } else { 1.0 });
    }
}
