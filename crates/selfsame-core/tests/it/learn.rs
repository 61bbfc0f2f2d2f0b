//! Weights are found where they are known, and are never tried on what they were learned from.

use selfsame_core::recall::learn::{Candidate, Case, Figures, learn, leave_one_out, measure};

/// Numbers between 0 and 1 that look like chance and never change.
struct Chance(u64);

impl Chance {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

fn candidate(features: &[f64], is_evidence: bool) -> Candidate {
    Candidate { features: features.to_vec(), is_evidence }
}

/// Questions whose evidence is what scores best under `truth`; features beyond it are noise.
fn questions(chance: &mut Chance, count: usize, candidates: usize, truth: &[f64], noise: usize) -> Vec<Case> {
    let question = |_| {
        let mut all: Vec<Candidate> = (0..candidates)
            .map(|_| candidate(&(0..truth.len() + noise).map(|_| chance.next()).collect::<Vec<_>>(), false))
            .collect();
        let score = |one: &Candidate| {
            one.features.iter().zip(truth).map(|(value, weight)| value * weight).sum::<f64>()
        };
        let best =
            (0..all.len()).max_by(|a, b| score(&all[*a]).total_cmp(&score(&all[*b]))).expect("candidates");
        all[best].is_evidence = true;
        Case { candidates: all, evidence: 1 }
    };
    (0..count).map(question).collect()
}

fn refs(cases: &[Case]) -> Vec<&Case> {
    cases.iter().collect()
}

#[test]
fn the_only_feature_that_tells_is_found() {
    let mut chance = Chance(1);
    let cases = questions(&mut chance, 60, 60, &[0.0, 1.0], 1);
    let weights = learn(&refs(&cases), &[1.0, 1.0, 1.0]);
    let figures = measure(&refs(&cases), &weights);
    assert_eq!(figures, Figures { recall_at_5: 1.0, recall_at_10: 1.0 });
    assert!(weights[1] > 0.5 && weights[1] > weights[0] + weights[2], "{weights:?}");
    assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
}

#[test]
fn known_weights_are_found_from_a_start_far_away() {
    let mut chance = Chance(2);
    let truth = [0.6, 0.3, 0.1];
    let cases = questions(&mut chance, 200, 100, &truth, 2);
    let start = [0.01, 0.01, 0.5, 1.0, 1.0];
    let weights = learn(&refs(&cases), &start);
    let (before, after) = (measure(&refs(&cases), &start), measure(&refs(&cases), &weights));
    assert!(before.recall_at_5 < 0.5, "{before:?}");
    assert!(after.recall_at_5 > 0.99 && after.recall_at_10 > 0.99, "{after:?} with {weights:?}");
    assert!(weights[0] > weights[1] && weights[1] > weights[3] + weights[4], "{weights:?}");
}

#[test]
fn a_feature_that_speaks_against_gets_no_weight() {
    let mut chance = Chance(3);
    let cases = questions(&mut chance, 80, 40, &[1.0, -0.5], 0);
    let weights = learn(&refs(&cases), &[1.0, 1.0]);
    assert!(weights[1] < 0.05, "{weights:?}");
    assert!(learn(&refs(&cases), &[1.0, -3.0]).iter().all(|weight| *weight >= 0.0));
}

#[test]
fn a_weight_that_was_zero_can_come_back() {
    let mut chance = Chance(4);
    let cases = questions(&mut chance, 60, 60, &[0.0, 1.0], 0);
    let weights = learn(&refs(&cases), &[1.0, 0.0]);
    assert_eq!(measure(&refs(&cases), &weights).recall_at_5, 1.0, "{weights:?}");
    let from_nothing = learn(&refs(&cases), &[0.0, 0.0]);
    assert_eq!(measure(&refs(&cases), &from_nothing).recall_at_5, 1.0, "{from_nothing:?}");
}

#[test]
fn equal_questions_give_equal_weights() {
    let cases = questions(&mut Chance(5), 50, 50, &[0.5, 0.5], 3);
    let start = [1.0; 5];
    assert_eq!(learn(&refs(&cases), &start), learn(&refs(&cases), &start));
}

#[test]
fn ties_go_to_who_was_proposed_first() {
    let others = |count: usize| (0..count).map(|_| candidate(&[1.0], false));
    let placed = |before: usize| {
        let candidates = others(before).chain([candidate(&[1.0], true)]).chain(others(20)).collect();
        measure(&[&Case { candidates, evidence: 1 }], &[1.0])
    };
    assert_eq!(placed(4), Figures { recall_at_5: 1.0, recall_at_10: 1.0 });
    assert_eq!(placed(5), Figures { recall_at_5: 0.0, recall_at_10: 1.0 });
    assert_eq!(placed(10), Figures::default());
}

#[test]
fn evidence_that_was_not_proposed_counts_as_missed() {
    let case = Case { candidates: vec![candidate(&[1.0], true)], evidence: 4 };
    let nothing = Case { candidates: Vec::new(), evidence: 1 };
    assert_eq!(measure(&[&case], &[1.0]), Figures { recall_at_5: 0.25, recall_at_10: 0.25 });
    assert_eq!(measure(&[&case, &nothing], &[1.0]).recall_at_5, 0.125);
    assert_eq!(measure(&[], &[1.0]), Figures::default());
}

#[test]
fn a_group_is_measured_with_weights_that_never_saw_it() {
    let mut chance = Chance(6);
    let mut groups: Vec<Vec<Case>> = (0..3).map(|_| questions(&mut chance, 30, 60, &[1.0, 0.0], 0)).collect();
    // The last one follows another rule and outweighs the others: weights that saw it would follow it.
    groups.push(questions(&mut chance, 300, 60, &[0.0, 1.0], 0));
    let left_out = leave_one_out(&groups[..3], &[1.0, 1.0]);
    assert_eq!(left_out.pooled.recall_at_5, 1.0);
    assert_eq!(left_out.folds.len(), 3);
    let odd = leave_one_out(&groups, &[1.0, 1.0]);
    assert!(odd.folds[3].weights[0] > 0.9, "{:?}", odd.folds[3]);
    assert!(odd.folds[3].figures.recall_at_5 < 0.5, "{:?}", odd.folds[3]);
    // Pooled by questions: 30, 30, 30 and 300.
    let by_hand: f64 =
        odd.folds.iter().zip([30.0, 30.0, 30.0, 300.0]).map(|(f, n)| f.figures.recall_at_5 * n).sum();
    assert!((odd.pooled.recall_at_5 - by_hand / 390.0).abs() < 1e-12);
}
