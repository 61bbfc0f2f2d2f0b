//! Asks every question, and keeps what came back.

use super::filing::{As, Effort, Filed, timed};
use super::learning::{self, candidates_of};
use super::lent::Lent;
use super::nonsense::{self, Nonsense};
use super::{Dataset, Sample};
use selfsame::Access;
use selfsame::config::Settings;
use selfsame::id::{Id, MessageId};
use selfsame::recall::learn::Case;
use selfsame::recall::{Found, Hit, Question};
use selfsame_daemon::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// Answers asked for: as many as the deepest figure looks at.
pub(crate) const DEPTH: usize = 20;
/// The nonsense is the same in every run.
const SEED: u64 = 20_230_508;

/// How a run is done.
pub(crate) struct How<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) filed_as: As,
    /// Also gather what weights are learned from.
    pub(crate) with_candidates: bool,
    /// What turns texts into vectors; none: words alone.
    pub(crate) embedder: Option<Lent>,
}

/// What came back.
#[derive(Default)]
pub(crate) struct Run {
    /// For questions that have an answer.
    pub(crate) answerable: Vec<Outcome>,
    /// For questions of the data that have none.
    pub(crate) unanswerable: Vec<Outcome>,
    /// For nonsense.
    pub(crate) nonsense: Vec<Outcome>,
    pub(crate) effort: Effort,
    /// What weights are learned from, by sample.
    pub(crate) groups: Vec<Vec<Case>>,
}

/// What came back for one question.
pub(crate) struct Outcome {
    /// The name of the sample.
    pub(crate) sample: String,
    pub(crate) kind: String,
    pub(crate) question: String,
    pub(crate) evidence: BTreeSet<Id>,
    /// The best there is, whether or not recall would have abstained.
    pub(crate) ranked: Vec<Id>,
    pub(crate) confidence: f64,
    /// Asked plainly, there was no answer.
    pub(crate) abstained: bool,
    /// Of the plain question.
    pub(crate) cpu: Duration,
    /// What the data calls the rows.
    pub(crate) names: RankedNames,
}

/// Evidence and answers in the words of the data.
pub(crate) struct RankedNames {
    pub(crate) evidence: Vec<String>,
    pub(crate) ranked: Vec<String>,
}

/// Files every sample and asks its questions, and a part of the nonsense; says how far it is.
pub(crate) fn run(data: &Dataset, how: &How, progress: &dyn Fn(&str)) -> Result<Run, Failure> {
    let nonsense = nonsense::questions(SEED, &words_of(data));
    let mut run = Run::default();
    for (place, sample) in data.samples.iter().enumerate() {
        let at = format!("{} ({} of {})", sample.name, place + 1, data.samples.len());
        progress(&format!("{at}: filing {} turns", sample.turns.len()));
        let filed = Filed::new(sample, how)?;
        run.effort.add(&filed.effort);
        progress(&format!("{at}: asking {} questions", sample.questions.len()));
        let part: Vec<&Nonsense> = nonsense.iter().skip(place).step_by(data.samples.len()).collect();
        let asking = Asking::new(sample, &filed)?;
        run.take(&asking, &part)?;
        if how.with_candidates {
            progress(&format!("{at}: gathering candidates"));
            run.groups.push(asking.cases()?);
        }
    }
    Ok(run)
}

fn words_of(data: &Dataset) -> BTreeSet<String> {
    let texts = data.samples.iter().flat_map(|sample| &sample.turns).map(|turn| &turn.text);
    texts.flat_map(|text| nonsense::words(text)).collect()
}

impl Run {
    fn take(&mut self, asking: &Asking, nonsense: &[&Nonsense]) -> Result<(), Failure> {
        for asked in &asking.sample.questions {
            let evidence = asking.rows_of(&asked.evidence);
            let outcome = asking.ask(&asked.text, &asked.kind, evidence)?;
            match asked.evidence.is_empty() {
                true => self.unanswerable.push(outcome),
                false => self.answerable.push(outcome),
            }
        }
        for one in nonsense {
            self.nonsense.push(asking.ask(&one.text, one.kind, BTreeSet::new())?);
        }
        Ok(())
    }
}

impl Effort {
    fn add(&mut self, other: &Effort) {
        self.turns += other.turns;
        self.cut += other.cut;
        self.took.wall += other.took.wall;
        self.took.cpu += other.took.cpu;
    }
}

/// A sample that can be asked.
struct Asking<'f> {
    sample: &'f Sample,
    rows: &'f [Id],
    /// What the data calls a row.
    names: BTreeMap<Id, &'f str>,
    asker: Access<'f>,
}

impl<'f> Asking<'f> {
    fn new(sample: &'f Sample, filed: &'f Filed) -> Result<Asking<'f>, Failure> {
        let names = filed.rows.iter().zip(&sample.turns).rev();
        let names = names.map(|(row, turn)| (*row, turn.id.as_str())).collect();
        Ok(Asking { sample, rows: &filed.rows, names, asker: filed.asker()? })
    }

    fn rows_of(&self, turns: &BTreeSet<usize>) -> BTreeSet<Id> {
        turns.iter().map(|turn| self.rows[*turn]).collect()
    }

    /// Asks plainly, and for the best there is if that gave nothing.
    fn ask(&self, text: &str, kind: &str, evidence: BTreeSet<Id>) -> Result<Outcome, Failure> {
        let mut question = Question { limit: Some(DEPTH), ..Question::new(text) };
        let (plain, took) = timed(|| self.asker.recall(&question));
        let plain = plain?;
        let abstained = plain.hits.is_empty();
        question.anyway = true;
        let best = if abstained { self.asker.recall(&question)? } else { plain };
        let ranked: Vec<Id> = best.hits.iter().map(row_of).collect();
        let names = RankedNames { evidence: self.named(&evidence), ranked: self.named(&ranked) };
        Ok(Outcome {
            sample: self.sample.name.clone(),
            kind: kind.to_owned(),
            question: text.to_owned(),
            evidence,
            ranked,
            confidence: best.confidence,
            abstained,
            cpu: took.cpu,
            names,
        })
    }

    fn named<'i>(&self, rows: impl IntoIterator<Item = &'i Id>) -> Vec<String> {
        let name = |row| self.names.get(row).copied().unwrap_or(NOT_OF_THE_DATA);
        rows.into_iter().map(|row| name(row).to_owned()).collect()
    }

    /// What weights are learned from: the questions that have an answer.
    fn cases(&self) -> Result<Vec<Case>, Failure> {
        let answerable = self.sample.questions.iter().filter(|asked| !asked.evidence.is_empty());
        let case = |asked: &super::Asked| {
            let evidence = self.rows_of(&asked.evidence);
            Ok(learning::case(candidates_of(&self.asker, &asked.text)?, &evidence))
        };
        answerable.map(case).collect()
    }
}

/// A memory that the engine made by itself has no name in the data.
const NOT_OF_THE_DATA: &str = "(not of the data)";

/// The row that an answer stands for: of a memory that was captured from a message, the message.
pub(super) fn row_of(hit: &Hit) -> Id {
    match &hit.found {
        Found::Message(message) => message.id.id(),
        Found::Memory(memory) => {
            let source = memory.provenance.source().and_then(|source| source.parse::<MessageId>().ok());
            source.map_or(memory.id.id(), MessageId::id)
        }
        Found::Observation(belief) => belief.observation.id.id(),
        Found::Summary(card) => card.summary.id().id(),
    }
}
