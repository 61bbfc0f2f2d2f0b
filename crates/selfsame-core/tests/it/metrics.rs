//! The figures of a ranking, each against an example that was computed by hand.

use selfsame_core::recall::metrics::{
    Answerable, Floor, auc, floor_at_loss, hit_at, mean, ndcg_at, percentile, recall_at, reciprocal_rank,
    share_below,
};
use std::collections::BTreeSet;

fn set(items: &[u32]) -> BTreeSet<u32> {
    items.iter().copied().collect()
}

fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-12, "{found} is not {expected}");
}

const RANKED: [u32; 6] = [7, 1, 8, 2, 9, 3];

#[test]
fn recall_is_the_share_of_the_evidence_that_was_found() {
    let evidence = set(&[1, 2, 3, 4]);
    for (k, expected) in [(0, 0.0), (1, 0.0), (2, 0.25), (3, 0.25), (4, 0.5), (6, 0.75), (100, 0.75)] {
        close(recall_at(&RANKED, &evidence, k), expected);
    }
    close(recall_at(&[], &evidence, 10), 0.0);
    close(recall_at(&RANKED, &set(&[]), 10), 0.0);
}

#[test]
fn what_stands_there_twice_is_found_once_and_takes_two_places() {
    close(recall_at(&[1, 1, 2], &set(&[1, 2]), 2), 0.5);
    close(recall_at(&[1, 1, 2], &set(&[1, 2]), 3), 1.0);
    // The first and the third place: (1 + 1/2) of (1 + 1/log2(3)).
    close(ndcg_at(&[1, 1, 2], &set(&[1, 2]), 10), 1.5 / (1.0 + 1.0 / 3.0_f64.log2()));
}

#[test]
fn a_hit_needs_any_of_the_evidence() {
    let evidence = set(&[2, 3]);
    assert_eq!([3, 4, 6].map(|k| hit_at(&RANKED, &evidence, k)), [false, true, true]);
    assert!(!hit_at(&RANKED, &set(&[5]), 10));
}

#[test]
fn early_evidence_gives_more_gain() {
    // Places 2 and 4 of a best order in places 1 and 2: (1/log2(3) + 1/log2(5)) / (1 + 1/log2(3)).
    let evidence = set(&[1, 2]);
    close(ndcg_at(&RANKED, &evidence, 10), 0.650_920_929_807_132_6);
    close(ndcg_at(&RANKED, &evidence, 3), 0.386_852_807_234_541_6);
    close(ndcg_at(&[1, 2, 7], &evidence, 10), 1.0);
    // More evidence than places: the best order fills the places.
    close(ndcg_at(&[1, 2], &set(&[1, 2, 3]), 2), 1.0);
    close(ndcg_at(&RANKED, &set(&[]), 10), 0.0);
    // Nothing is nothing, and not a little less.
    assert!(ndcg_at(&RANKED, &set(&[5]), 10).is_sign_positive());
}

#[test]
fn the_reciprocal_rank_is_that_of_the_first() {
    close(reciprocal_rank(&RANKED, &set(&[3, 2])), 0.25);
    close(reciprocal_rank(&RANKED, &set(&[7])), 1.0);
    close(reciprocal_rank(&RANKED, &set(&[5])), 0.0);
}

#[test]
fn means_and_percentiles() {
    assert_eq!(mean(&[]), None);
    assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
    let values = [5.0, 1.0, 4.0, 2.0, 3.0, 10.0, 9.0, 8.0, 7.0, 6.0];
    let shares = [0.0, 0.05, 0.1, 0.5, 0.51, 0.95, 0.99, 1.0];
    let expected = [1.0, 1.0, 1.0, 5.0, 6.0, 10.0, 10.0, 10.0];
    assert_eq!(shares.map(|share| percentile(&values, share).unwrap()), expected);
    assert_eq!(percentile(&[], 0.5), None);
    assert_eq!(percentile(&[3.0], 0.99), Some(3.0));
}

#[test]
fn the_area_is_how_often_one_group_is_above_the_other() {
    assert_eq!(auc(&[3.0, 4.0], &[1.0, 2.0]), Some(1.0));
    assert_eq!(auc(&[1.0, 2.0], &[3.0, 4.0]), Some(0.0));
    // Pairs: 2>1, 2=2 (half), 4>1, 4>2: three and a half of four.
    assert_eq!(auc(&[2.0, 4.0], &[1.0, 2.0]), Some(0.875));
    assert_eq!(auc(&[1.0, 1.0, 1.0], &[1.0, 1.0]), Some(0.5));
    assert_eq!(auc(&[], &[1.0]), None);
    assert_eq!(auc(&[1.0], &[]), None);
}

fn answerable(all: &[(f64, f64)]) -> Vec<Answerable> {
    all.iter().map(|&(confidence, recall)| Answerable { confidence, recall }).collect()
}

#[test]
fn the_floor_goes_as_high_as_the_loss_allows() {
    // What the least sure question had was wrong anyway; the second costs 1/4, the third another 1/4.
    let asked = answerable(&[(0.2, 0.0), (0.4, 1.0), (0.6, 1.0), (0.9, 1.0)]);
    let others = [0.1, 0.3, 0.5, 0.8];
    let floor = |loss| floor_at_loss(&asked, &others, loss).unwrap();
    assert_eq!(floor(0.0), Floor { confidence: 0.4, answerable: 0.25, unanswerable: 0.5 });
    assert_eq!(floor(0.24), floor(0.0));
    assert_eq!(floor(0.25), Floor { confidence: 0.6, answerable: 0.5, unanswerable: 0.75 });
    let all = floor(1.0);
    assert_eq!((all.answerable, all.unanswerable), (1.0, 1.0));
    assert_eq!(all.confidence, f64::INFINITY);
}

#[test]
fn a_floor_that_tells_nothing_apart_refuses_nobody() {
    let asked = answerable(&[(1.0, 1.0), (1.0, 0.5)]);
    let floor = floor_at_loss(&asked, &[1.0, 1.0, 0.5], 0.02).unwrap();
    assert_eq!(floor, Floor { confidence: 1.0, answerable: 0.0, unanswerable: 1.0 / 3.0 });
    assert_eq!(floor_at_loss(&[], &[1.0], 0.02), None);
    assert_eq!(floor_at_loss(&asked, &[], 0.02), None);
}

#[test]
fn shares_below_a_floor() {
    assert_eq!(share_below(&[0.1, 0.2, 0.2, 0.9], 0.2), 0.25);
    assert_eq!(share_below(&[], 0.2), 0.0);
}
