//! selfsame bench knowledge

use super::{create, figure, percent, section, unwritable};
use crate::bench::knowledge::report::{Chats, Half, Report};
use crate::bench::knowledge::{How, User, run as measure};
use crate::output::{Output, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct KnowledgeArgs {
    /// The folder with the chats to measure on
    #[arg(long, value_name = "DIR")]
    data: PathBuf,
    /// File the chats as another principal's, whose word does not outrank evidence
    #[arg(long)]
    as_principal: bool,
    /// Made-up histories to live through: every second is of the test half
    #[arg(long, value_name = "N", default_value_t = 24)]
    histories: usize,
    /// Write every flagged pair, and every belief that was looked at, to this file, as JSON Lines
    #[arg(long, value_name = "FILE")]
    dump: Option<PathBuf>,
}

pub(super) fn run(args: &KnowledgeArgs, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let file = args.dump.as_deref().map(|path| create(path).map(|file| (path, file))).transpose()?;
    let how = How {
        settings: &resolution.home.settings,
        user: if args.as_principal { User::Principal } else { User::Operator },
        histories: args.histories,
    };
    let report = measure(&args.data, &how, &|text| output.progress(text));
    output.end_progress();
    let report = report?;
    if let Some((path, file)) = file {
        report.dump(file).map_err(|error| unwritable(path, &error))?;
    }
    output.reply(&report, |output| words(&report, output));
    Ok(())
}

fn words(report: &Report, output: &Output) -> String {
    let mut parts = vec![about(&report.chats), section("labelled pairs", &pairs(&report.chats), output)];
    for half in &report.chat_halves {
        let head = format!(
            "{} half: {}, {}",
            half.half,
            counted(half.chats.chats as u64, "chat", "chats"),
            counted(half.chats.beliefs as u64, "belief", "beliefs"),
        );
        parts.push(section(&head, &pairs(&half.chats), output));
    }
    for half in &report.histories {
        let head = format!(
            "{} half: {}, {} looked at, {} true",
            half.half,
            counted(half.histories as u64, "history", "histories"),
            counted(half.beliefs as u64, "belief", "beliefs"),
            percent(half.accuracy)
        );
        parts.push(section(&head, &course(half), output));
        for formula in &half.formulas {
            let head = format!("confidence by formula {}: Brier {}", formula.formula, figure(formula.brier));
            let mut rows = vec![["from", "beliefs", "confidence", "true"].map(str::to_owned).to_vec()];
            rows.extend(formula.reliability.iter().map(|row| {
                vec![
                    format!("{:.1}", row.from),
                    row.beliefs.to_string(),
                    figure(row.confidence),
                    figure(row.is_true),
                ]
            }));
            parts.push(section(&head, &rows, output));
        }
    }
    parts.join("\n")
}

fn about(chats: &Chats) -> String {
    let mut text = format!(
        "BEAM: {}, {} of the user, {}, {}\n",
        counted(chats.chats as u64, "chat", "chats"),
        counted(chats.messages as u64, "message", "messages"),
        counted(chats.memories as u64, "memory", "memories"),
        counted(chats.beliefs as u64, "belief", "beliefs"),
    );
    let faults = [
        (chats.skipped_ids, "ids that name no message, skipped"),
        (chats.labels_left_out, "labels without two statements, left out"),
        (chats.kinds_cut, "kinds of belief of which not all could be looked at"),
    ];
    for (count, what) in faults.into_iter().filter(|(count, _)| *count > 0) {
        text += &format!("{what}: {count}\n");
    }
    text
}

fn pairs(chats: &Chats) -> Vec<Vec<String>> {
    let found = |name: &str, found: &crate::bench::knowledge::report::Found| {
        let said = format!("{} of {} found: {}", found.found, found.labelled, figure(found.recall));
        vec![name.to_owned(), said]
    };
    let current = format!(
        "{} of {} believed: {}; {} are behind any belief",
        chats.updates_current,
        chats.updates.labelled,
        figure(chats.update_accuracy),
        chats.updates_read
    );
    let flagged = format!(
        "{}, {:.1} in 100 messages",
        counted(chats.flagged_pairs as u64, "pair", "pairs"),
        chats.flagged_per_100_messages
    );
    vec![
        found("contradictions", &chats.contradictions),
        found("updates", &chats.updates),
        vec!["newest value".to_owned(), current],
        vec!["flagged".to_owned(), flagged],
    ]
}

fn course(half: &Half) -> Vec<Vec<String>> {
    let mut rows = vec![["days", "answered", "true"].map(str::to_owned).to_vec()];
    rows.extend(half.course.iter().map(|stretch| {
        vec![
            format!("{} to {}", stretch.from_day + 1, stretch.to_day + 1),
            figure(stretch.answered),
            figure(stretch.accuracy),
        ]
    }));
    rows
}
