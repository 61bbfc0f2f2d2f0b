//! What was looked up, laid out: held against lists that are gone through from end to end.

use proptest::prelude::*;
use selfsame_core::recall::bm25::{TermPostings, score};
use selfsame_core::recall::sheet::{Entry, Looked, Sheet, rarities};
use selfsame_core::recall::{Corpus, Layer, Posting, Spot, Weights};
use std::collections::{BTreeMap, BTreeSet};

const WEIGHTS: Weights = Weights { k1: 0.9, b: 0.4 };
const CORPUS: Corpus = Corpus { docs: 40, words: 400 };
const WORDS: usize = 4;

const fn spot(thread: u32, place: u32) -> Spot {
    Spot { thread, place }
}

/// For each word where it is, how often, in texts how long.
type Found = Vec<BTreeMap<(u32, u32), (u16, u16)>>;

fn found() -> impl Strategy<Value = Found> {
    let postings = prop::collection::btree_map((0u32..3, 0u32..8), (1u16..5, 1u16..30), 0..10);
    prop::collection::vec(postings, WORDS)
}

fn lay_out(found: &Found) -> (Sheet, Vec<f64>) {
    let frequencies: Vec<u64> = found.iter().map(|postings| postings.len() as u64).collect();
    let rare = rarities(&frequencies, CORPUS.docs);
    let looked: Vec<Looked> = found
        .iter()
        .enumerate()
        .map(|(word, postings)| Looked {
            word,
            postings: postings
                .iter()
                .rev()
                .map(|((thread, place), (tf, len))| Posting {
                    spot: spot(*thread, *place),
                    tf: *tf,
                    len: *len,
                })
                .collect(),
        })
        .collect();
    (Sheet::lay_out(Layer::Message, CORPUS, &looked, &rare, WEIGHTS), rare)
}

/// Every word in every text, in the order of the texts.
fn naive(found: &Found, rare: &[f64]) -> Vec<Entry> {
    let spots: BTreeSet<(u32, u32)> = found.iter().flat_map(|postings| postings.keys().copied()).collect();
    let mut entries = Vec::new();
    for (thread, place) in spots {
        for (word, postings) in found.iter().enumerate() {
            if let Some((tf, len)) = postings.get(&(thread, place)) {
                let (many, long) = (f64::from(*tf), f64::from(*len) / 10.0);
                let length = 1.0 - WEIGHTS.b + WEIGHTS.b * long;
                let score = rare[word] * (many * (WEIGHTS.k1 + 1.0) / (many + WEIGHTS.k1 * length));
                entries.push(Entry { spot: spot(thread, place), word, tf: *tf, score });
            }
        }
    }
    entries
}

#[test]
fn nothing_looked_up_is_an_empty_sheet() {
    let sheet = Sheet::lay_out(Layer::Memory, Corpus::default(), &[], &[], WEIGHTS);
    assert!(sheet.texts().is_empty() && sheet.around(spot(0, 0), 4).is_empty());
    assert_eq!((sheet.at(spot(0, 0)), sheet.threads().count()), (None, 0));
}

proptest! {
    /// A sheet without some texts is what would have been laid out without them, with the words as rare as they were.
    #[test]
    fn without_some_texts_the_others_are_as_they_were(found in found(), gone in prop::collection::btree_set((0u32..3, 0u32..8), 0..6)) {
        let (sheet, rare) = lay_out(&found);
        let spots: BTreeSet<Spot> = gone.iter().map(|(thread, place)| spot(*thread, *place)).collect();
        let rest = sheet.without(&spots);
        let mut left = found.clone();
        left.iter_mut().for_each(|postings| postings.retain(|at, _| !gone.contains(at)));
        let expected = naive(&left, &rare);
        let entries: Vec<Entry> = rest.texts().iter().flat_map(|text| rest.words(text)).copied().collect();
        prop_assert_eq!(entries, expected);
        prop_assert!(spots.iter().all(|spot| rest.at(*spot).is_none()));
        prop_assert_eq!((rest.layer, rest.corpus), (sheet.layer, sheet.corpus));
    }
}

#[test]
fn the_ends_of_a_thread_are_no_trouble() {
    let posting = |thread, place| Posting { spot: spot(thread, place), tf: 1, len: 5 };
    let postings = vec![posting(0, u32::MAX), posting(1, 0), posting(1, u32::MAX), posting(2, 0)];
    let sheet = Sheet::lay_out(Layer::Message, CORPUS, &[Looked { word: 0, postings }], &[1.0], WEIGHTS);
    let around = |thread, place| sheet.around(spot(thread, place), 4).len();
    assert_eq!([around(1, 0), around(1, u32::MAX), around(1, 4), around(1, 5)], [1, 1, 1, 0]);
}

#[test]
fn rarities_fall_with_frequency() {
    let rare = rarities(&[0, 1, 5, 40], 40);
    assert!(rare.windows(2).all(|pair| pair[0] > pair[1]), "{rare:?}");
    assert!(rare[3] > 0.0);
}

proptest! {
    #[test]
    fn a_sheet_is_what_was_looked_up_in_order(found in found()) {
        let (sheet, rare) = lay_out(&found);
        let entries = naive(&found, &rare);
        let laid_out: Vec<Entry> = sheet.texts().iter().flat_map(|text| sheet.words(text).to_vec()).collect();
        prop_assert_eq!(&laid_out, &entries);
        let by_thread: Vec<Entry> = sheet.threads().flatten().copied().collect();
        prop_assert_eq!(&by_thread, &entries);
        let threads: Vec<u32> = sheet.threads().map(|thread| thread[0].spot.thread).collect();
        let distinct: BTreeSet<u32> = entries.iter().map(|entry| entry.spot.thread).collect();
        prop_assert_eq!(threads, distinct.into_iter().collect::<Vec<_>>());
    }

    #[test]
    fn each_place_has_its_text_and_its_surroundings(found in found(), reach in 0u32..5) {
        let (sheet, rare) = lay_out(&found);
        let entries = naive(&found, &rare);
        for at in (0..4).flat_map(|thread| (0..9).map(move |place| spot(thread, place))) {
            let own: Vec<Entry> = entries.iter().filter(|entry| entry.spot == at).copied().collect();
            let text = sheet.at(at);
            prop_assert_eq!(text.map(|text| sheet.words(text).to_vec()).unwrap_or_default(), own.clone());
            let sum: f64 = own.iter().map(|entry| entry.score).sum();
            prop_assert_eq!(text.map_or(0.0, |text| text.score), sum);
            prop_assert!(text.is_none_or(|text| text.spot == at && !own.is_empty()));
            let is_near = |entry: &&Entry| {
                entry.spot.thread == at.thread && entry.spot.place.abs_diff(at.place) <= reach
            };
            let near: Vec<Entry> = entries.iter().filter(is_near).copied().collect();
            prop_assert_eq!(sheet.around(at, reach), &near[..]);
        }
    }

    #[test]
    fn a_text_scores_as_it_does_by_words_alone(found in found()) {
        let (sheet, _) = lay_out(&found);
        let words: Vec<TermPostings> = found
            .iter()
            .map(|postings| TermPostings {
                term: String::new(),
                df: postings.len() as u64,
                postings: postings
                    .iter()
                    .map(|((thread, place), (tf, len))| Posting { spot: spot(*thread, *place), tf: *tf, len: *len })
                    .collect(),
            })
            .collect();
        let scored = score(&words, CORPUS, WEIGHTS);
        prop_assert_eq!(scored.len(), sheet.texts().len());
        for hit in scored {
            prop_assert_eq!(sheet.at(hit.spot).map(|text| text.score), Some(hit.score));
        }
    }
}
