//! selfsame connect

use crate::connect::clients::Us;
use crate::connect::{FileOutcome, Outcome, Standing, Wiring};
use crate::env;
use crate::output::{Output, Tone, columns, harmless};
use crate::settings::{Resolution, own_program};
use selfsame_daemon::Failure;
use similar::{ChangeTag, TextDiff};
use std::fmt::Write as _;
use std::path::Path;

/// Lines around a change that are shown.
const AROUND: usize = 2;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Which: claude-code, claude-desktop, codex, cursor, vscode, openclaw, gemini-cli, opencode
    #[arg(value_name = "CLIENT")]
    clients: Vec<String>,
    /// All that are found on this machine
    #[arg(long, conflicts_with = "clients")]
    detect: bool,
    /// Show what would be changed, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Put everything back as it was; without a name, all that were connected
    #[arg(long, conflicts_with = "detect")]
    undo: bool,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let wiring = wiring(resolution)?;
    if args.clients.is_empty() && !args.detect && !args.undo {
        let standings = wiring.standings();
        output.reply(&standings, |output| list(&standings, output));
        return Ok(());
    }
    let named = match (args.detect, args.undo && args.clients.is_empty()) {
        (true, _) => names(wiring.found()),
        (_, true) => names(wiring.on_record()?),
        _ => args.clients.clone(),
    };
    let outcomes = match args.undo {
        true => wiring.undo(&named, args.dry_run)?,
        false => wiring.connect(&named, args.dry_run)?,
    };
    output.reply(&outcomes, |output| words(&outcomes, args, output));
    match outcomes.iter().find(|outcome| outcome.trouble.is_some()) {
        None => Ok(()),
        Some(Outcome { title, .. }) => Err(Failure::bad_request(
            "bad_client_file",
            format!("{title} was left as it is: see above; the others are done"),
        )),
    }
}

/// This user's programs, and this mind.
pub(crate) fn wiring(resolution: &Resolution) -> Result<Wiring, Failure> {
    let homes = env::homes().ok_or_else(|| {
        Failure::bad_request("no_home", "there is no HOME, so nobody's settings: set HOME and try again")
    })?;
    let us = Us::of(&own_program()?, &resolution.way);
    Ok(Wiring { homes, us, data: resolution.home.data.clone() })
}

fn names(names: Vec<&'static str>) -> Vec<String> {
    names.into_iter().map(str::to_owned).collect()
}

fn list(standings: &[Standing], output: &Output) -> String {
    let row = |standing: &Standing| {
        let how = match standing {
            Standing { trouble: Some(trouble), .. } => harmless(trouble),
            Standing { connected: true, .. } => "connected".into(),
            Standing { found: true, .. } => "found, not connected".into(),
            _ => "not found".into(),
        };
        vec![standing.client.to_owned(), standing.title.to_owned(), how]
    };
    let rows: Vec<Vec<String>> = standings.iter().map(row).collect();
    let hint = "selfsame connect --detect --dry-run shows what would be written for those that are found";
    format!("{}\n{}\n", columns(&rows), output.paint(Tone::Faint, hint))
}

fn words(outcomes: &[Outcome], args: &Args, output: &Output) -> String {
    if outcomes.is_empty() {
        return match args.undo {
            true => "nothing is connected\n".into(),
            false => "no client is found on this machine: `selfsame connect` lists the known ones\n".into(),
        };
    }
    let mut text: String = outcomes.iter().map(|outcome| one(outcome, args.dry_run, output)).collect();
    if args.dry_run {
        text += &format!("{}\n", output.paint(Tone::Faint, "nothing was changed: this was a dry run"));
    }
    text
}

fn one(outcome: &Outcome, dry: bool, output: &Output) -> String {
    let mut text = format!("{}\n", output.paint(Tone::Strong, outcome.title));
    if let Some(trouble) = &outcome.trouble {
        writeln!(text, "  {} {}", output.paint(Tone::Bad, "failed"), harmless(trouble)).unwrap_or_default();
    }
    for file in &outcome.files {
        let tone = if file.is_news() { Tone::Good } else { Tone::Faint };
        let word = format!("{:9}", if dry { would(file.outcome) } else { file.outcome });
        writeln!(text, "  {}  {}", output.paint(tone, &word), shown(&file.path)).unwrap_or_default();
        if let Some(copy) = file.copy.as_ref().filter(|_| file.is_news() && !dry) {
            writeln!(text, "  {:9}  {}", "copy", shown(copy)).unwrap_or_default();
        }
        if dry {
            text += &diff(file, output);
        }
    }
    if let Some(then) = outcome.then.filter(|_| !dry) {
        writeln!(text, "  {:9}  {then}", "then").unwrap_or_default();
    }
    text
}

fn would(outcome: &str) -> &str {
    match outcome {
        "made" => "make",
        "changed" => "change",
        "restored" => "restore",
        "cleaned" => "clean",
        "removed" => "remove",
        other => other,
    }
}

fn shown(path: &Path) -> String {
    harmless(&path.display().to_string())
}

/// What would change, line by line.
fn diff(file: &FileOutcome, output: &Output) -> String {
    let changes = TextDiff::from_lines(&file.before, &file.after);
    let mut text = String::new();
    for (number, group) in changes.grouped_ops(AROUND).iter().enumerate() {
        if number > 0 {
            text += "      ...\n";
        }
        for change in group.iter().flat_map(|operation| changes.iter_changes(operation)) {
            let (sign, tone) = match change.tag() {
                ChangeTag::Equal => (" ", Tone::Faint),
                ChangeTag::Delete => ("-", Tone::Bad),
                ChangeTag::Insert => ("+", Tone::Good),
            };
            let line = format!("{sign} {}", harmless(change.value().trim_end_matches(['\r', '\n'])));
            writeln!(text, "    {}", output.paint(tone, line.trim_end())).unwrap_or_default();
        }
    }
    text
}
