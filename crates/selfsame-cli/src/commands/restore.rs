//! selfsame restore

use super::serve::make_way;
use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame::backup::{self, Restoring};
use selfsame::clock::SystemClock;
use selfsame::time::Clock as _;
use selfsame_daemon::Failure;
use serde::Serialize;
use std::path::PathBuf;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The backup: a .db file with its manifest beside it
    backup: PathBuf,
    /// Although the ledger of what was forgotten is missing or damaged: what was forgotten since may come back
    #[arg(long)]
    accept_resurrection: bool,
    /// Only check the backup
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize)]
struct Restored {
    backup: String,
    made_at: String,
    memories: u64,
    outcome: &'static str,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    if resolution.home.settings.database.url.is_some() {
        return Err(Failure::bad_request(
            "not_sqlite",
            "a PostgreSQL database is restored with PostgreSQL's own tools (pg_restore, or a base backup with its WAL)",
        ));
    }
    if !args.backup.exists() {
        let backups = resolution.home.data.join("backups");
        return Err(Failure::new(
            404,
            "no_backup",
            format!(
                "there is no file {}: name one of those in {} (`selfsame backup` makes one)",
                args.backup.display(),
                backups.display()
            ),
        ));
    }
    let wait = resolution.home.settings.database.lock_wait;
    let (known, outcome) = match args.dry_run {
        true => (backup::check(&args.backup)?, "would_restore"),
        false => {
            let folder = resolution.home.make_folder()?;
            let how = Restoring { wait, accept_resurrection: args.accept_resurrection };
            make_way(&folder);
            let restore = || backup::restore(&folder, &args.backup, how, SystemClock::default().now());
            (output.waiting("checking the backup and putting it in place", restore)?, "restored")
        }
    };
    let restored = Restored {
        backup: args.backup.display().to_string(),
        made_at: known.made_at.to_string(),
        memories: known.memories,
        outcome,
    };
    output.reply(&restored, |output| {
        let word = output.paint(Tone::Good, &outcome.replace('_', " "));
        let memories = counted(restored.memories, "memory", "memories");
        format!("{word}  {memories} as of {}\n", restored.made_at)
    });
    Ok(())
}
