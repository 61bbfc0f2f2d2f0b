//! Figures of a run, as programs read them; `commands/bench.rs` puts them in words.

use super::learning::{Learned, features};
use super::run::{Outcome, Run};
use super::{Captions, Dataset};
use selfsame::recall::metrics::{
    Answerable, auc, floor_at_loss, hit_at, mean, ndcg_at, percentile, recall_at, reciprocal_rank,
    share_below,
};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

/// How much of R@10 abstaining may cost.
const BEARABLE_LOSS: f64 = 0.02;

#[derive(Serialize)]
pub(crate) struct Report {
    pub(crate) data: Data,
    /// By type, then over all.
    pub(crate) recall: Vec<Row>,
    pub(crate) speed: Speed,
    pub(crate) abstention: Abstention,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cross_validation: Option<CrossValidation>,
}

/// What was measured on.
#[derive(Serialize)]
pub(crate) struct Data {
    pub(crate) format: &'static str,
    pub(crate) conversations: usize,
    pub(crate) turns: usize,
    pub(crate) answerable: usize,
    pub(crate) unanswerable: usize,
    /// Whether image captions are part of the turns; of data that has none, nothing.
    pub(crate) captions: Option<bool>,
    pub(crate) skipped_evidence_ids: usize,
    pub(crate) questions_left_out: usize,
    pub(crate) turns_cut: usize,
}

/// The figures of some questions.
#[derive(Serialize)]
pub(crate) struct Row {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) questions: usize,
    pub(crate) recall_at_1: f64,
    pub(crate) recall_at_5: f64,
    pub(crate) recall_at_10: f64,
    pub(crate) recall_at_20: f64,
    pub(crate) hit_at_10: f64,
    pub(crate) ndcg_at_10: f64,
    pub(crate) mrr_at_20: f64,
}

#[derive(Serialize)]
pub(crate) struct Speed {
    pub(crate) recalls: usize,
    pub(crate) recall_cpu_ms: Percentiles,
    pub(crate) turns_per_second: f64,
    pub(crate) filing_cpu_ms_per_turn: f64,
}

#[derive(Serialize)]
pub(crate) struct Percentiles {
    pub(crate) p50: f64,
    pub(crate) p95: f64,
    pub(crate) p99: f64,
}

/// Whether recall knows when it does not know.
#[derive(Serialize)]
pub(crate) struct Abstention {
    /// Of the questions that have an answer, the share that got none.
    pub(crate) answerable_abstained: f64,
    pub(crate) recall_at_10_without: f64,
    pub(crate) recall_at_10_with: f64,
    /// Of the questions of the data that have no answer; nothing if there are none.
    pub(crate) unanswerable: Option<Unanswerable>,
    pub(crate) nonsense: Vec<Nonsense>,
}

#[derive(Serialize)]
pub(crate) struct Unanswerable {
    pub(crate) questions: usize,
    pub(crate) abstained: f64,
    /// How often an answerable question is more confident than one of these.
    pub(crate) auc: Option<f64>,
    pub(crate) at_bearable_loss: Option<AtLoss>,
}

/// What the highest floor would do that costs no more than so much of R@10.
#[derive(Serialize)]
pub(crate) struct AtLoss {
    pub(crate) loss: f64,
    pub(crate) answerable_abstained: f64,
    pub(crate) unanswerable_abstained: f64,
    pub(crate) nonsense_abstained: f64,
}

#[derive(Serialize)]
pub(crate) struct Nonsense {
    #[serde(rename = "type")]
    pub(crate) kind: String,
    pub(crate) questions: usize,
    pub(crate) abstained: f64,
}

/// Each conversation, measured with weights learned from the others.
#[derive(Serialize)]
pub(crate) struct CrossValidation {
    pub(crate) features: Vec<&'static str>,
    pub(crate) folds: Vec<FoldRow>,
    pub(crate) pooled: Pair,
    /// The same candidates with the weights of today.
    pub(crate) today: Pair,
}

#[derive(Serialize)]
pub(crate) struct FoldRow {
    pub(crate) left_out: String,
    pub(crate) questions: usize,
    pub(crate) figures: Pair,
    pub(crate) weights: Vec<f64>,
}

#[derive(Serialize, Clone, Copy)]
pub(crate) struct Pair {
    pub(crate) recall_at_5: f64,
    pub(crate) recall_at_10: f64,
}

impl Report {
    pub(crate) fn new(data: &Dataset, run: &Run, learned: Option<&Learned>) -> Report {
        Report {
            data: Data::new(data, run),
            recall: rows(&run.answerable),
            speed: Speed::new(run),
            abstention: Abstention::new(run),
            cross_validation: learned.map(|learned| CrossValidation::new(data, run, learned)),
        }
    }
}

impl Data {
    fn new(data: &Dataset, run: &Run) -> Data {
        Data {
            format: data.format,
            conversations: data.samples.len(),
            turns: run.effort.turns,
            answerable: run.answerable.len(),
            unanswerable: run.unanswerable.len(),
            captions: data.captions.map(|captions| captions == Captions::Appended),
            skipped_evidence_ids: data.samples.iter().map(|sample| sample.trouble.skipped_ids).sum(),
            questions_left_out: data.samples.iter().map(|sample| sample.trouble.left_out).sum(),
            turns_cut: run.effort.cut,
        }
    }
}

fn rows(outcomes: &[Outcome]) -> Vec<Row> {
    let mut rows: Vec<Row> =
        by_kind(outcomes).into_iter().map(|(kind, some)| Row::new(kind, &some)).collect();
    rows.push(Row::new("overall", &outcomes.iter().collect::<Vec<_>>()));
    rows
}

fn by_kind(outcomes: &[Outcome]) -> BTreeMap<&str, Vec<&Outcome>> {
    let mut kinds: BTreeMap<&str, Vec<&Outcome>> = BTreeMap::new();
    for outcome in outcomes {
        kinds.entry(&outcome.kind).or_default().push(outcome);
    }
    kinds
}

impl Row {
    fn new(kind: &str, outcomes: &[&Outcome]) -> Row {
        let over = |figure: &dyn Fn(&Outcome) -> f64| {
            let values: Vec<f64> = outcomes.iter().map(|outcome| figure(outcome)).collect();
            mean(&values).unwrap_or(0.0)
        };
        let recall = |k| over(&|one: &Outcome| one.recall(k));
        Row {
            kind: kind.to_owned(),
            questions: outcomes.len(),
            recall_at_1: recall(1),
            recall_at_5: recall(5),
            recall_at_10: recall(10),
            recall_at_20: recall(20),
            hit_at_10: over(&|one| f64::from(u8::from(hit_at(&one.ranked, &one.evidence, 10)))),
            ndcg_at_10: over(&|one| ndcg_at(&one.ranked, &one.evidence, 10)),
            mrr_at_20: over(&|one| reciprocal_rank(&one.ranked, &one.evidence)),
        }
    }
}

impl Outcome {
    fn recall(&self, k: usize) -> f64 {
        recall_at(&self.ranked, &self.evidence, k)
    }
}

impl Speed {
    fn new(run: &Run) -> Speed {
        let asked = run.answerable.iter().chain(&run.unanswerable).chain(&run.nonsense);
        let times: Vec<f64> = asked.map(|outcome| millis(outcome.cpu)).collect();
        let at = |share| percentile(&times, share).unwrap_or(0.0);
        let (turns, took) = (run.effort.turns.max(1) as f64, run.effort.took);
        Speed {
            recalls: times.len(),
            recall_cpu_ms: Percentiles { p50: at(0.5), p95: at(0.95), p99: at(0.99) },
            turns_per_second: turns / took.wall.as_secs_f64().max(f64::MIN_POSITIVE),
            filing_cpu_ms_per_turn: millis(took.cpu) / turns,
        }
    }
}

fn millis(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

impl Abstention {
    fn new(run: &Run) -> Abstention {
        let recalls = |worth: fn(&Outcome) -> f64| {
            mean(&run.answerable.iter().map(worth).collect::<Vec<_>>()).unwrap_or(0.0)
        };
        Abstention {
            answerable_abstained: abstained(&run.answerable),
            recall_at_10_without: recalls(|one| one.recall(10)),
            recall_at_10_with: recalls(|one| if one.abstained { 0.0 } else { one.recall(10) }),
            unanswerable: (!run.unanswerable.is_empty()).then(|| Unanswerable::new(run)),
            nonsense: nonsense(&run.nonsense),
        }
    }
}

fn nonsense(outcomes: &[Outcome]) -> Vec<Nonsense> {
    let kinds = by_kind(outcomes).into_iter();
    let mut all: Vec<Nonsense> = kinds.map(|(kind, some)| Nonsense::new(kind, &some)).collect();
    all.push(Nonsense::new("overall", &outcomes.iter().collect::<Vec<_>>()));
    all
}

impl Unanswerable {
    fn new(run: &Run) -> Unanswerable {
        let others = confidences(&run.unanswerable);
        let answerable: Vec<Answerable> = run
            .answerable
            .iter()
            .map(|one| Answerable { confidence: one.confidence, recall: one.recall(10) })
            .collect();
        let floor = floor_at_loss(&answerable, &others, BEARABLE_LOSS);
        Unanswerable {
            questions: others.len(),
            abstained: abstained(&run.unanswerable),
            auc: auc(&confidences(&run.answerable), &others),
            at_bearable_loss: floor.map(|floor| AtLoss {
                loss: BEARABLE_LOSS,
                answerable_abstained: floor.answerable,
                unanswerable_abstained: floor.unanswerable,
                nonsense_abstained: share_below(&confidences(&run.nonsense), floor.confidence),
            }),
        }
    }
}

impl Nonsense {
    fn new(kind: &str, outcomes: &[&Outcome]) -> Nonsense {
        let abstained = abstained(outcomes.iter().copied());
        Nonsense { kind: kind.to_owned(), questions: outcomes.len(), abstained }
    }
}

/// The share of questions that got no answer; none of none.
fn abstained<'o>(outcomes: impl IntoIterator<Item = &'o Outcome>) -> f64 {
    let each: Vec<f64> = outcomes.into_iter().map(|one| f64::from(u8::from(one.abstained))).collect();
    mean(&each).unwrap_or(0.0)
}

fn confidences(outcomes: &[Outcome]) -> Vec<f64> {
    outcomes.iter().map(|outcome| outcome.confidence).collect()
}

impl CrossValidation {
    fn new(data: &Dataset, run: &Run, learned: &Learned) -> CrossValidation {
        let folds = data.samples.iter().zip(&run.groups).zip(&learned.left_out.folds);
        let pair = |figures: &selfsame::recall::learn::Figures| Pair {
            recall_at_5: figures.recall_at_5,
            recall_at_10: figures.recall_at_10,
        };
        CrossValidation {
            features: features().to_vec(),
            folds: folds
                .map(|((sample, cases), fold)| FoldRow {
                    left_out: sample.name.clone(),
                    questions: cases.len(),
                    figures: pair(&fold.figures),
                    weights: fold.weights.clone(),
                })
                .collect(),
            pooled: pair(&learned.left_out.pooled),
            today: pair(&learned.today),
        }
    }
}

/// A line of a dump.
#[derive(Serialize)]
struct Line<'o> {
    conversation: &'o str,
    #[serde(rename = "type")]
    kind: &'o str,
    question: &'o str,
    evidence: &'o [String],
    ranked: &'o [String],
    confidence: f64,
    abstained: bool,
}

/// Writes every question with what was found and what should have been, one to a line.
pub(crate) fn dump(run: &Run, file: impl Write) -> io::Result<()> {
    let mut file = io::BufWriter::new(file);
    for outcome in run.answerable.iter().chain(&run.unanswerable).chain(&run.nonsense) {
        let line = Line {
            conversation: &outcome.sample,
            kind: &outcome.kind,
            question: &outcome.question,
            evidence: &outcome.names.evidence,
            ranked: &outcome.names.ranked,
            confidence: outcome.confidence,
            abstained: outcome.abstained,
        };
        serde_json::to_writer(&mut file, &line)?;
        file.write_all(b"\n")?;
    }
    file.flush()
}
