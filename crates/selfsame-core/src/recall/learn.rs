//! Finds the weights of a linear ranking from questions whose answers are known.
//!
//! Coordinate ascent: one weight after the other is moved to where the mean of R@5 + R@10 is best, until a whole round
//! changes nothing. The measure is a staircase without slopes, so values are tried rather than derived; every value
//! tried follows from the present weights, so equal questions always give equal weights. What the features are is not
//! known here.

use super::metrics::mean;

/// Something that may be an answer.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// What speaks for it, in an order that is the same for all.
    pub features: Vec<f64>,
    /// Whether it is one.
    pub is_evidence: bool,
}

/// A question with all that was proposed for it.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// In the order in which ties are broken.
    pub candidates: Vec<Candidate>,
    /// How much evidence there is, proposed or not.
    pub evidence: usize,
}

/// How good weights are: means over questions.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Figures {
    /// R@5.
    pub recall_at_5: f64,
    /// R@10.
    pub recall_at_10: f64,
}

/// Weights that were learned without a group, and how good they are on it.
#[derive(Clone, PartialEq, Debug)]
pub struct Fold {
    /// One for each feature; they sum to one, unless all are zero.
    pub weights: Vec<f64>,
    /// On the group that was left out.
    pub figures: Figures,
}

/// Every group measured with weights that never saw it.
#[derive(Clone, PartialEq, Debug)]
pub struct LeftOut {
    /// In the order of the groups.
    pub folds: Vec<Fold>,
    /// Over all questions.
    pub pooled: Figures,
}

/// A weight is tried at these multiples of itself: far ones to get away, near ones to settle.
const MULTIPLES: [f64; 14] = [0.0, 0.1, 0.25, 0.5, 0.7, 0.85, 0.95, 1.05, 1.15, 1.4, 2.0, 3.0, 5.0, 10.0];
/// And at these shares of the mean of the others: the only ones that bring back what was zero.
const SHARES: [f64; 8] = [0.02, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0];
/// An improvement below this is noise of adding up.
const WORTH_IT: f64 = 1e-9;
/// No staircase is so long; this only bounds what cannot happen.
const MAX_ROUNDS: usize = 64;

/// Non-negative weights that maximise the mean of R@5 + R@10 over these questions, from a start.
///
/// `start` has one weight for each feature; below zero counts as zero.
pub fn learn(cases: &[&Case], start: &[f64]) -> Vec<f64> {
    let table = Table::of(cases, start.len());
    let mut weights: Vec<f64> = start.iter().map(|weight| weight.max(0.0)).collect();
    let mut best = table.figures(&table.scores(&weights)).sum();
    for _ in 0..MAX_ROUNDS {
        let before = best;
        for feature in 0..weights.len() {
            best = table.improve(&mut weights, feature, best);
        }
        if best <= before + WORTH_IT {
            break;
        }
    }
    normalised(weights)
}

/// How good these weights are on these questions.
pub fn measure(cases: &[&Case], weights: &[f64]) -> Figures {
    let table = Table::of(cases, weights.len());
    table.figures(&table.scores(weights))
}

/// Learns once for each group, from all the others, and measures on the one that was left out.
pub fn leave_one_out(groups: &[Vec<Case>], start: &[f64]) -> LeftOut {
    let fold = |left_out: usize| {
        let others = groups.iter().enumerate().filter(|(group, _)| *group != left_out);
        let cases: Vec<&Case> = others.flat_map(|(_, cases)| cases).collect();
        let weights = learn(&cases, start);
        let own: Vec<&Case> = groups[left_out].iter().collect();
        Fold { figures: measure(&own, &weights), weights }
    };
    let folds: Vec<Fold> = (0..groups.len()).map(fold).collect();
    let pooled = pool(groups, &folds);
    LeftOut { folds, pooled }
}

/// The mean over questions, not over groups.
fn pool(groups: &[Vec<Case>], folds: &[Fold]) -> Figures {
    let total: usize = groups.iter().map(Vec::len).sum();
    let over_all = |figure: fn(&Figures) -> f64| {
        let sum: f64 =
            groups.iter().zip(folds).map(|(cases, fold)| cases.len() as f64 * figure(&fold.figures)).sum();
        sum / total.max(1) as f64
    };
    Figures { recall_at_5: over_all(|one| one.recall_at_5), recall_at_10: over_all(|one| one.recall_at_10) }
}

/// Only the proportions of weights matter.
fn normalised(weights: Vec<f64>) -> Vec<f64> {
    let sum: f64 = weights.iter().sum();
    if sum > 0.0 { weights.into_iter().map(|weight| weight / sum).collect() } else { weights }
}

impl Figures {
    fn sum(self) -> f64 {
        self.recall_at_5 + self.recall_at_10
    }
}

/// All candidates of all questions, feature by feature, so that a score is a run over flat memory.
struct Table {
    columns: Vec<Vec<f64>>,
    questions: Vec<Span>,
}

/// Where a question's candidates stand in the columns.
struct Span {
    begin: usize,
    end: usize,
    /// The rows that are evidence.
    evidence_rows: Vec<usize>,
    /// Including what was not proposed.
    evidence: usize,
}

impl Table {
    fn of(cases: &[&Case], features: usize) -> Table {
        let mut columns = vec![Vec::new(); features];
        let mut questions = Vec::new();
        let mut begin = 0;
        for case in cases {
            for candidate in &case.candidates {
                assert_eq!(candidate.features.len(), features, "one weight for each feature");
                for (column, value) in columns.iter_mut().zip(&candidate.features) {
                    column.push(*value);
                }
            }
            let end = begin + case.candidates.len();
            let is_evidence = |row: &usize| case.candidates[row - begin].is_evidence;
            let evidence_rows = (begin..end).filter(is_evidence).collect();
            questions.push(Span { begin, end, evidence_rows, evidence: case.evidence });
            begin = end;
        }
        Table { columns, questions }
    }

    fn scores(&self, weights: &[f64]) -> Vec<f64> {
        let rows = self.columns.first().map_or(0, Vec::len);
        let mut scores = vec![0.0; rows];
        for (column, weight) in self.columns.iter().zip(weights) {
            add(&mut scores, column, *weight);
        }
        scores
    }

    /// Moves one weight to where the measure is best, and gives the measure. Where nothing is better it stays.
    fn improve(&self, weights: &mut [f64], feature: usize, best: f64) -> f64 {
        let present = weights[feature];
        weights[feature] = 0.0;
        let others = self.scores(weights);
        let mean_of_others = mean(weights).unwrap_or(0.0);
        let (mut best, mut chosen) = (best, present);
        let mut scores = Vec::with_capacity(others.len());
        for tried in trials(present, mean_of_others) {
            scores.clone_from(&others);
            add(&mut scores, &self.columns[feature], tried);
            let measure = self.figures(&scores).sum();
            if measure > best + WORTH_IT {
                (best, chosen) = (measure, tried);
            }
        }
        weights[feature] = chosen;
        best
    }

    fn figures(&self, scores: &[f64]) -> Figures {
        let (mut at_5, mut at_10) = (0.0, 0.0);
        for question in self.questions.iter().filter(|question| question.evidence > 0) {
            let ranks = question.evidence_rows.iter().map(|row| question.rank(*row, scores));
            let (mut in_5, mut in_10) = (0, 0);
            for rank in ranks {
                in_5 += usize::from(rank < 5);
                in_10 += usize::from(rank < 10);
            }
            at_5 += in_5 as f64 / question.evidence as f64;
            at_10 += in_10 as f64 / question.evidence as f64;
        }
        let questions = self.questions.len().max(1) as f64;
        Figures { recall_at_5: at_5 / questions, recall_at_10: at_10 / questions }
    }
}

impl Span {
    /// How many candidates stand before this one: those with a better score, and equals that come earlier.
    fn rank(&self, row: usize, scores: &[f64]) -> usize {
        let own = scores[row];
        let earlier = scores[self.begin..row].iter().filter(|score| **score >= own).count();
        let later = scores[row + 1..self.end].iter().filter(|score| **score > own).count();
        earlier + later
    }
}

fn add(scores: &mut [f64], column: &[f64], weight: f64) {
    for (score, value) in scores.iter_mut().zip(column) {
        *score += weight * value;
    }
}

/// The values at which a weight is tried.
fn trials(present: f64, mean_of_others: f64) -> impl Iterator<Item = f64> {
    let own = MULTIPLES.iter().map(move |multiple| present * multiple);
    // Where all others are zero the scale is free, and any will do.
    let scale = if mean_of_others > 0.0 { mean_of_others } else { 1.0 };
    own.chain(SHARES.iter().map(move |share| scale * share))
}
