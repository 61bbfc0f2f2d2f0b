//! selfsame backup

use crate::output::{Output, Tone};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::backup::MakeBackup;

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = resolution.backend().call::<MakeBackup>("", &NoRequest {})?;
    output.reply(&reply, |output| {
        format!(
            "{}  {}\n{} memories of {} agents, checked; {} bytes\n",
            output.paint(Tone::Good, "copied to"),
            reply.path,
            reply.memories,
            reply.agents,
            reply.bytes
        )
    });
    Ok(())
}
