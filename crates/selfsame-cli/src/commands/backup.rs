//! selfsame backup

use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::backup::{BackupRequest, MakeBackup};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Then remove older copies that still have what was forgotten since
    #[arg(long)]
    purge: bool,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let copy = || resolution.backend().call::<MakeBackup>("", &BackupRequest { purge: args.purge });
    let reply = output.waiting("copying and checking the copy", copy)?;
    output.reply(&reply, |output| {
        let purged: String = reply.purged.iter().map(|path| format!("removed {path}\n")).collect();
        format!(
            "{}  {}\n{} of {}, checked; {} bytes\n{purged}",
            output.paint(Tone::Good, "copied to"),
            reply.path,
            counted(reply.memories, "memory", "memories"),
            counted(reply.agents, "agent", "agents"),
            reply.bytes
        )
    });
    Ok(())
}
