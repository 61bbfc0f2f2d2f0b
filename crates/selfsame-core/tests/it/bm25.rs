//! Rare words weigh more, long texts less, and equals come in the order of their spots.

use proptest::prelude::*;
use selfsame_core::recall::bm25::{TermPostings, score};
use selfsame_core::recall::{Corpus, Posting, Scored, Spot, Weights};

const WEIGHTS: Weights = Weights { k1: 0.9, b: 0.4 };
const CORPUS: Corpus = Corpus { docs: 10, words: 100 };

/// Every other one stands in the middle of a thread.
const fn spot(number: u8) -> Spot {
    Spot { thread: number as u32 / 2, place: number as u32 % 2 }
}

fn posting(number: u8, tf: u32, len: u32) -> Posting {
    Posting::new(spot(number), tf, len)
}

fn word(term: &str, df: u64, postings: &[Posting]) -> TermPostings {
    TermPostings { term: term.into(), df, postings: postings.to_vec() }
}

fn spots(ranked: &[Scored]) -> Vec<Spot> {
    ranked.iter().map(|scored| scored.spot).collect()
}

#[test]
fn equals_come_in_the_order_of_their_spots() {
    let found = [word("fox", 3, &[posting(9, 1, 10), posting(1, 1, 10), posting(5, 1, 10)])];
    assert_eq!(spots(&score(&found, CORPUS, WEIGHTS)), [spot(1), spot(5), spot(9)]);
}

#[test]
fn a_rare_word_outweighs_a_common_one() {
    let found = [word("the", 10, &[posting(1, 1, 10)]), word("fox", 1, &[posting(2, 1, 10)])];
    assert_eq!(spots(&score(&found, CORPUS, WEIGHTS)), [spot(2), spot(1)]);
}

#[test]
fn more_of_a_word_and_less_around_it_are_better() {
    let found = [word("fox", 3, &[posting(1, 1, 10), posting(2, 2, 10), posting(3, 1, 5)])];
    let ranked = score(&found, CORPUS, WEIGHTS);
    assert_eq!(spots(&ranked), [spot(2), spot(3), spot(1)]);
}

#[test]
fn an_empty_corpus_and_no_words_are_no_trouble() {
    assert_eq!(score(&[], Corpus::default(), WEIGHTS), []);
    assert_eq!(score(&[word("fox", 0, &[])], Corpus::default(), WEIGHTS), []);
    let odd = score(&[word("fox", 5, &[posting(1, 1, 1)])], Corpus { docs: 2, words: 2 }, WEIGHTS);
    assert!(odd[0].score > 0.0, "statistics that lag behind never make a score negative");
}

#[test]
fn counts_that_do_not_fit_are_the_highest_that_do() {
    let long = Posting::new(spot(1), 70_000, 1_000_000);
    assert_eq!((long.tf, long.len), (u16::MAX, u16::MAX));
    let short = Posting::new(spot(1), 65_535, 2);
    assert_eq!((short.tf, short.len), (65_535, 2));
}

proptest! {
    #[test]
    fn scores_are_sums_positive_and_in_order(
        words in prop::collection::vec((1u64..10, prop::collection::btree_map(0u8..6, (1u32..4, 1u32..20), 0..6)), 0..5)
    ) {
        let found: Vec<TermPostings> = words
            .iter()
            .enumerate()
            .map(|(place, (df, postings))| {
                let postings: Vec<_> = postings.iter().map(|(number, (tf, len))| posting(*number, *tf, *len)).collect();
                word(&place.to_string(), *df, &postings)
            })
            .collect();
        let ranked = score(&found, CORPUS, WEIGHTS);
        for scored in &ranked {
            let sum: f64 = scored.matches.iter().map(|part| part.score).sum();
            prop_assert!((scored.score - sum).abs() < 1e-12);
            prop_assert!(scored.score > 0.0);
        }
        for pair in ranked.windows(2) {
            let in_order = pair[0].score > pair[1].score
                || (pair[0].score == pair[1].score && pair[0].spot < pair[1].spot);
            prop_assert!(in_order, "{pair:?}");
        }
    }
}
