//! A long text is found by the part of it that answers, and by no words that only happen to be in it.

use jiff::civil::{Date, date};
use selfsame_core::id::{EntityId, Id};
use selfsame_core::recall::indexed::told_of;
use selfsame_core::recall::parts::{Long, lay_out};
use selfsame_core::recall::plan::plan;
use selfsame_core::recall::weigh::{Candidate, Scales, level};
use selfsame_core::recall::{Layer, Spot, Weights};
use std::collections::BTreeMap;

const WEIGHTS: Weights = Weights { k1: 0.9, b: 0.4 };
const FIRST: Date = date(2026, 3, 1);
const LAST: Date = date(2026, 6, 30);
const MAYA: EntityId = EntityId::of(Id::from_bytes([1; 16]));

/// What is said of texts, each a summary of its own.
fn weighed(question: &str, texts: &[&str]) -> Vec<Candidate> {
    let plan = plan(question, LAST, None, &[], &BTreeMap::new());
    let rarities = vec![1.0; plan.words.len()];
    let long = |(thread, text): (u32, &&str)| Long {
        item: Id::from_bytes([thread as u8; 16]),
        spot: Spot { thread, place: 0 },
        text: (*text).to_owned(),
        from: FIRST,
        until: LAST,
        people: vec![MAYA],
    };
    let texts: Vec<Long> = (0..).zip(texts).map(long).collect();
    let scales = Scales { plan: &plan, rarities: &rarities, weights: WEIGHTS, meant: None };
    level(&[scales.weigh_parts(&lay_out(&plan, &rarities, WEIGHTS, &texts))])
}

const BETWEEN: &str = "It rained. The boats stayed in. Nobody came. The stove was lit. ";

#[test]
fn words_that_stand_far_apart_say_nothing_together() {
    let apart = format!("Otters swim. {BETWEEN}The violin was tuned.");
    let found =
        weighed("do otters play the violin", &[&apart, "It rained. The otters play violin. Nobody came."]);
    let said = |at: usize| (found[at].features.coverage, found[at].around);
    assert!(said(0).0 < 0.4 && said(0).1 < 0.4, "one of three: {:?}", said(0));
    assert_eq!(said(1), (1.0, 1.0));
    assert!(found[1].features.words > found[0].features.words);
    // One candidate for each, at the place that the index knows.
    let spots: Vec<Spot> = found.iter().map(|one| one.spot).collect();
    assert_eq!(spots, [Spot { thread: 0, place: 0 }, Spot { thread: 1, place: 0 }]);
    assert!(found.iter().all(|one| one.layer == Layer::Summary && one.spoken));
}

#[test]
fn sentences_beside_each_other_answer_together() {
    let beside = weighed("do otters play the violin", &["Otters came. They play. A violin, of all things."]);
    assert!(beside[0].features.coverage < 0.4 && beside[0].around == 1.0, "{beside:?}");
}

#[test]
fn a_text_without_words_is_there_nevertheless() {
    let found = weighed("otters", &["", "Otters."]);
    assert_eq!(found.len(), 2, "it may be meant");
    assert_eq!((found[0].features.coverage, found[1].features.coverage), (0.0, 1.0));
}

#[test]
fn a_day_counts_if_it_is_the_same_from_both_ends_of_the_time_that_is_told_of() {
    let days = |text: &str, from, until| -> Vec<String> {
        told_of(text, from, until)
            .words
            .counts
            .into_keys()
            .filter(|term| term.starts_with(['@', '=']))
            .collect()
    };
    assert!(days("They met on 4 May 2026", FIRST, LAST).contains(&"@2026-05-04".to_owned()));
    assert!(days("They met yesterday", FIRST, LAST).is_empty(), "nobody knows which day that was");
    assert!(days("They met yesterday", LAST, LAST).contains(&"@2026-06-29".to_owned()), "here one does");
    assert!(told_of("They met on 4 May 2026", FIRST, LAST).marks.speaks_of_time());
    let told = ["- 2026-05-04: The well was dug.", "- 2026-05-05: The well was dug."];
    let found = weighed("what happened on 4 May 2026 at the well", &told);
    assert!(found[0].features.speaks_of_day == 1.0 && found[1].features.speaks_of_day == 0.0, "{found:?}");
}
