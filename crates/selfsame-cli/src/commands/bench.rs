//! selfsame bench

mod knowledge;

use crate::bench::learning::cross_validate;
use crate::bench::lent::Lent;
use crate::bench::report::{Abstention, CrossValidation, Data, Pair, Report, Row, Speed, dump};
use crate::bench::run::{self, How};
use crate::bench::{As, Captions, Dataset, load};
use crate::output::{Output, Tone, columns, counted, harmless};
use crate::settings::Resolution;
use selfsame::recall::metrics::{mean, percentile};
use selfsame_daemon::Failure;
use std::fs::File;
use std::path::{Path, PathBuf};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Measure how well recall finds, on data in a known format
    ///
    /// The folder has locomo.json (LoCoMo), folders with chat.json and probing_questions.json (BEAM), or memories.jsonl
    /// ({"id", "text", "at"?, "speaker"?, "conversation"?}) with questions.jsonl ({"question", "evidence": [ids], "type"?}).
    /// Every conversation is filed into a mind of its own in a temporary folder; yours is not touched.
    Recall(RecallArgs),
    /// Measure what is believed: contradictions and updates that are found, and what confidence means
    ///
    /// The folder has folders with chat.json and probing_questions.json (BEAM), whose labels say which messages are at
    /// odds. Beside them, histories are made up whose truth is known: sources of known reliability, truths that change, a
    /// liar, copies. Each is lived through in a mind of its own in a temporary folder; yours is not touched.
    Knowledge(knowledge::KnowledgeArgs),
}

#[derive(clap::Args)]
pub(crate) struct RecallArgs {
    // The same name as the data folder of every other command, which this one has no use for.
    /// The folder with the data to measure on
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// Only this conversation: 1 is the first
    #[arg(long, value_name = "N")]
    conversation: Option<usize>,
    /// Questions of each conversation, at most: for a quick look
    #[arg(long, value_name = "N")]
    questions: Option<usize>,
    /// Compare meaning too, with the model in this folder; without it, by words alone
    #[arg(long, value_name = "DIR")]
    model: Option<PathBuf>,
    /// Leave image captions out of the turns (LoCoMo)
    #[arg(long)]
    no_captions: bool,
    /// Learn weights, and measure each conversation with those learned from the others
    #[arg(long)]
    cross_validate: bool,
    /// Write every question with its evidence and what was found to this file, as JSON Lines
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
    /// File every turn as a memory, whatever it is
    #[arg(long, hide = true)]
    as_memories: bool,
}

pub(crate) fn run(command: &Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    match command {
        Command::Recall(args) => recall_run(args, resolution, output),
        Command::Knowledge(args) => knowledge::run(args, resolution, output),
    }
}

fn recall_run(args: &RecallArgs, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let data = wanted(args)?;
    // Made first: nobody wants to hear after minutes that it cannot be.
    let file = args.dump.as_deref().map(|path| create(path).map(|file| (path, file))).transpose()?;
    let how = How {
        settings: &resolution.home.settings,
        filed_as: if args.as_memories { As::Memories } else { As::Given },
        with_candidates: args.cross_validate,
        embedder: args
            .model
            .as_deref()
            .map(|folder| Lent::new(folder, &resolution.home.settings))
            .transpose()?,
    };
    let run = run::run(&data, &how, &|text| output.progress(text));
    output.end_progress();
    let run = run?;
    if let Some((path, file)) = file {
        dump(&run, file).map_err(|error| unwritable(path, &error))?;
    }
    let learned = args.cross_validate.then(|| cross_validate(&run.groups, args.model.is_some()));
    let report = Report::new(&data, &run, learned.as_ref());
    output.reply(&report, |output| words(&report, output));
    Ok(())
}

/// The data, or as much of it as was asked for.
fn wanted(args: &RecallArgs) -> Result<Dataset, Failure> {
    let captions = if args.no_captions { Captions::LeftOut } else { Captions::Appended };
    let mut data = load(&args.data, captions)?;
    let count = data.samples.len();
    if let Some(number) = args.conversation {
        let there = (1..=count).contains(&number).then(|| data.samples.remove(number - 1));
        data.samples = vec![there.ok_or_else(|| {
            refused(format!(
                "there is no conversation {number}: the data has {}",
                counted(count as u64, "conversation", "conversations")
            ))
        })?];
    }
    if args.cross_validate && data.samples.len() < 2 {
        return Err(refused("cross-validation leaves one conversation out: it needs two or more".into()));
    }
    if let Some(most) = args.questions {
        data.samples.iter_mut().for_each(|sample| sample.keep_questions(most));
    }
    match data.samples.iter().all(|sample| sample.questions.is_empty()) {
        true => Err(refused(format!("{}: there is no question in it", args.data.display()))),
        false => Ok(data),
    }
}

fn refused(what: String) -> Failure {
    Failure::bad_request("bad_data", what)
}

fn create(path: &Path) -> Result<File, Failure> {
    File::create(path).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::bad_request("cannot_write", format!("{} cannot be written: {error}", path.display()))
}

fn words(report: &Report, output: &Output) -> String {
    let mut parts = vec![
        about(&report.data),
        section("recall: hit and NDCG at 10, MRR within 20", &recall(&report.recall), output),
        section("speed", &speed(&report.speed), output),
        section("abstention", &abstention(&report.abstention), output),
    ];
    if let Some(found) = &report.cross_validation {
        parts.push(section("cross-validation: weights learned from the others", &folds(found), output));
        parts.push(section("weights learned", &weights(found), output));
    }
    parts.join("\n")
}

fn section(head: &str, rows: &[Vec<String>], output: &Output) -> String {
    format!("{}\n{}", output.paint(Tone::Strong, head), columns(rows))
}

fn about(data: &Data) -> String {
    let count = |number: usize, one: &str, many: &str| counted(number as u64, one, many);
    let mut text = format!(
        "{}: {}, {}\n{} with evidence, {} without an answer\n",
        data.format,
        count(data.conversations, "conversation", "conversations"),
        count(data.turns, "turn", "turns"),
        count(data.answerable, "question", "questions"),
        data.unanswerable
    );
    text += match data.captions {
        Some(true) => "image captions are part of the turns\n",
        Some(false) => "image captions are left out\n",
        None => "",
    };
    let faults = [
        (data.skipped_evidence_ids, "evidence ids that name no turn, skipped"),
        (data.questions_left_out, "questions without evidence that names a turn, left out"),
        (data.turns_cut, "turns too long to be stored whole, cut"),
    ];
    for (count, what) in faults.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!("{what}: {count}\n");
    }
    text
}

fn recall(rows: &[Row]) -> Vec<Vec<String>> {
    let head = ["type", "n", "R@1", "R@5", "R@10", "R@20", "hit", "NDCG", "MRR"].map(str::to_owned);
    let width = rows.iter().map(|row| row.questions.to_string().len()).max().unwrap_or(0);
    let line = |row: &Row| {
        let figures = [
            row.recall_at_1,
            row.recall_at_5,
            row.recall_at_10,
            row.recall_at_20,
            row.hit_at_10,
            row.ndcg_at_10,
            row.mrr_at_20,
        ];
        let mut line = vec![clipped(&row.kind), format!("{:width$}", row.questions)];
        line.extend(figures.map(figure));
        line
    };
    std::iter::once(head.to_vec()).chain(rows.iter().map(line)).collect()
}

fn speed(speed: &Speed) -> Vec<Vec<String>> {
    let times = &speed.recall_cpu_ms;
    let recall = format!("CPU ms p50 {:.2}, p95 {:.2}, p99 {:.2}", times.p50, times.p95, times.p99);
    let filing = format!(
        "{:.0} turns per second, {:.2} CPU ms each",
        speed.turns_per_second, speed.filing_cpu_ms_per_turn
    );
    vec![vec![format!("{} recalls", speed.recalls), recall], vec!["filing".into(), filing]]
}

fn abstention(found: &Abstention) -> Vec<Vec<String>> {
    let with = format!(
        "{} abstained; R@10 {} with abstention, {} without",
        percent(found.answerable_abstained),
        figure(found.recall_at_10_with),
        figure(found.recall_at_10_without)
    );
    let mut rows = vec![vec!["answerable".to_owned(), with]];
    if let Some(others) = &found.unanswerable {
        let auc = others.auc.map_or("-".into(), figure);
        let said = format!("{} abstained; AUC of confidence {auc}", percent(others.abstained));
        rows.push(vec!["without answer".into(), said]);
        if let Some(at) = &others.at_bearable_loss {
            let floor = format!(
                "{} of these, {} of answerable, {} of nonsense",
                percent(at.unanswerable_abstained),
                percent(at.answerable_abstained),
                percent(at.nonsense_abstained)
            );
            rows.push(vec![format!("at R@10 - {}", at.loss), floor]);
        }
    }
    for one in &found.nonsense {
        let name = if one.kind == "overall" { "all nonsense" } else { &one.kind };
        rows.push(vec![
            name.to_owned(),
            format!("{} of {} abstained", percent(one.abstained), one.questions),
        ]);
    }
    rows
}

fn folds(found: &CrossValidation) -> Vec<Vec<String>> {
    let mut rows = vec![["left out", "n", "R@5", "R@10"].map(str::to_owned).to_vec()];
    for fold in &found.folds {
        rows.push(pair(&clipped(&fold.left_out), &fold.questions.to_string(), fold.figures));
    }
    rows.push(pair("pooled", "", found.pooled));
    rows.push(pair("as it is", "", found.today));
    rows
}

/// What the folds agree on, and how far.
fn weights(found: &CrossValidation) -> Vec<Vec<String>> {
    let mut rows = vec![["feature", "mean", "least", "most"].map(str::to_owned).to_vec()];
    for (place, name) in found.features.iter().enumerate() {
        let learned: Vec<f64> = found.folds.iter().map(|fold| fold.weights[place]).collect();
        let ends = [mean(&learned), percentile(&learned, 0.0), percentile(&learned, 1.0)];
        let mut row = vec![(*name).to_owned()];
        row.extend(ends.map(|value| figure(value.unwrap_or(0.0))));
        rows.push(row);
    }
    rows
}

fn pair(name: &str, count: &str, figures: Pair) -> Vec<String> {
    vec![name.to_owned(), count.to_owned(), figure(figures.recall_at_5), figure(figures.recall_at_10)]
}

fn figure(value: f64) -> String {
    format!("{value:.3}")
}

fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// So much of a name as leaves room for the figures in eighty columns.
fn clipped(name: &str) -> String {
    harmless(name).chars().take(24).collect()
}
