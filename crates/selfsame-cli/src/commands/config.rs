//! selfsame config

use crate::output::{Output, columns};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use serde::Serialize;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Show every setting, and where its value came from
    Show,
}

#[derive(Serialize)]
struct Shown {
    key: String,
    value: String,
    origin: String,
}

pub(crate) fn run(command: &Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let Command::Show = command;
    let shown: Vec<Shown> = resolution
        .resolved
        .explain()
        .into_iter()
        .map(|setting| Shown { key: setting.key, value: setting.value, origin: setting.origin.to_string() })
        .collect();
    output.reply(&shown, |_| {
        let rows: Vec<Vec<String>> =
            shown.iter().map(|one| vec![one.key.clone(), one.value.clone(), one.origin.clone()]).collect();
        columns(&rows)
    });
    Ok(())
}
