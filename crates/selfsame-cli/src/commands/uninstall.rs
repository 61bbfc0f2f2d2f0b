//! selfsame uninstall: takes back everything outside of the data folder. The mind itself stays: it is the owner's to delete.

use super::connect::wiring;
use super::serve::make_way;
use super::service;
use crate::output::{Output, Tone};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The mind stays where it is; there is no other way
    #[arg(long)]
    keep_data: bool,
    /// Show what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

/// What was taken back.
#[derive(Serialize)]
struct Undone {
    clients: Vec<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    service: Option<PathBuf>,
    /// Where the mind still is.
    data: PathBuf,
    /// The program itself.
    program: Option<PathBuf>,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let data = resolution.home.data.clone();
    if !args.keep_data && !args.dry_run {
        let shown = data.display();
        return Err(Failure::bad_request(
            "keep_data",
            format!(
                "say `selfsame uninstall --keep-data`: clients and the service are undone, and the mind in {shown} stays. \
                 To be rid of that too, make an end of it yourself: rm -r {shown}"
            ),
        ));
    }
    let wiring = wiring(resolution)?;
    let clients = wiring.on_record()?;
    let names: Vec<String> = clients.iter().map(|name| (*name).to_owned()).collect();
    let outcomes = wiring.undo(&names, args.dry_run)?;
    if let Some(trouble) = outcomes.into_iter().find_map(|outcome| outcome.trouble) {
        return Err(Failure::bad_request("bad_client_file", trouble));
    }
    let service = service::remove_if_there(resolution, args.dry_run)?;
    if let Ok(folder) = resolution.home.folder()
        && !args.dry_run
    {
        make_way(&folder);
    }
    let undone = Undone { clients, service, data, program: std::env::current_exe().ok() };
    output.reply(&undone, |output| words(&undone, args.dry_run, output));
    Ok(())
}

fn words(undone: &Undone, dry: bool, output: &Output) -> String {
    let clients = if undone.clients.is_empty() { "none were".into() } else { undone.clients.join(", ") };
    let service = undone.service.as_ref().map_or("none was".into(), |file| file.display().to_string());
    let title = if dry { "This would be undone." } else { "Undone." };
    let mut text = format!(
        "{}\nclients connected  {clients}\nservice installed  {service}\nmind, kept         {}\n",
        output.paint(Tone::Good, title),
        undone.data.display()
    );
    if let Some(program) = &undone.program {
        text += &format!("program            {} (remove it when you like)\n", program.display());
    }
    text
}
