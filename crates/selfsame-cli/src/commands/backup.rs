//! selfsame backup

use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::backup::MakeBackup;

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = resolution.backend().call::<MakeBackup>("", &NoRequest {})?;
    output.reply(&reply, |output| {
        format!(
            "{}  {}\n{} of {}, checked; {} bytes\n",
            output.paint(Tone::Good, "copied to"),
            reply.path,
            counted(reply.memories, "memory", "memories"),
            counted(reply.agents, "agent", "agents"),
            reply.bytes
        )
    });
    Ok(())
}
