//! selfsame move

use super::export::absolute;
use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame::DataFolder;
use selfsame::clock::SystemClock;
use selfsame::moving::{self, Place};
use selfsame::time::Clock as _;
use selfsame_daemon::Failure;
use serde::Serialize;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Where to: a folder, or postgres://role:password@host/database
    #[arg(long, value_name = "PLACE", required_unless_present = "stay")]
    to: Option<String>,
    /// The role that owns the tables there, to make them
    #[arg(long, value_name = "URL")]
    to_owner: Option<String>,
    /// Live here again, in a house that was left or was being left
    #[arg(long, conflicts_with = "to")]
    stay: bool,
}

#[derive(Serialize)]
struct Reply {
    outcome: &'static str,
    to: String,
    agents: u64,
    tables: u64,
    rows: u64,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    if resolution.backend().daemon_address().is_some() {
        return Err(Failure::new(409, "busy", "the daemon of this house is running: stop it, and move then"));
    }
    let folder = resolution.home.folder()?;
    let now = SystemClock::default().now();
    let (from, _lock) = resolution.home.opening(&folder)?.open_bare(&folder)?;
    let Some(to) = &args.to else {
        moving::stay(&from)?;
        let reply = Reply { outcome: "stayed", to: String::new(), agents: 0, tables: 0, rows: 0 };
        output.reply(&reply, |output| format!("{}\n", output.paint(Tone::Good, "this house is lived in")));
        return Ok(());
    };
    let place = match Place::parse(to, args.to_owner.as_deref()) {
        Place::Folder(path) => Place::Folder(absolute(&path)?),
        server @ Place::Server(..) => server,
    };
    let (there, _their_lock) = place.open(now)?;
    let moved = output.watching("copying every row, and holding it against its copy", |watch| {
        moving::move_house(&from, &there, &place.to_string(), now, watch)
    })?;
    if let Place::Folder(path) = &place {
        let there = DataFolder::existing(path).map_err(selfsame::Error::from)?;
        moving::bring_files(&folder, &there)?;
    }
    let reply = Reply {
        outcome: "moved",
        to: place.to_string(),
        agents: moved.agents,
        tables: moved.tables,
        rows: moved.rows,
    };
    output.reply(&reply, |output| told(&reply, &place, output));
    Ok(())
}

fn told(reply: &Reply, place: &Place, output: &Output) -> String {
    let next = match place {
        Place::Folder(path) => format!("--data {} (or SELFSAME_DATA)", path.display()),
        Place::Server(..) => {
            "--db with that address (or SELFSAME_DB, or database.url in selfsame.toml)".into()
        }
    };
    format!(
        "{}  to {}\n{}, {} of {} held against their copies\nfrom now on: {next}\n\
         the old house stays as it is and takes no writes; when you are sure, delete it, or `selfsame move --stay`\n\
         settings, models and signals are files: copy what you changed\n",
        output.paint(Tone::Good, "moved"),
        reply.to,
        counted(reply.agents, "agent", "agents"),
        counted(reply.rows, "row", "rows"),
        counted(reply.tables, "table", "tables"),
    )
}
