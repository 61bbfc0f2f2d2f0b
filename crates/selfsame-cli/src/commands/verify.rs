//! selfsame verify

use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::verify::Verify;

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = output.watching("checking every row, seal and index", |watch| {
        resolution.backend().watched(watch.clone()).call::<Verify>("", &NoRequest {})
    })?;
    output.reply(&reply, |output| {
        let looked = format!(
            "{} of {}",
            counted(reply.memories, "memory", "memories"),
            counted(reply.agents, "agent", "agents")
        );
        match reply.ok {
            true => format!("{}  {looked}: structure, seals and index fit\n", output.paint(Tone::Good, "ok")),
            false => reply
                .problems
                .iter()
                .map(|problem| format!("{}  {problem}\n", output.paint(Tone::Bad, "damaged")))
                .collect(),
        }
    });
    if reply.ok {
        return Ok(());
    }
    Err(Failure::new(
        500,
        "damaged",
        format!(
            "{} found: damaged memories are not served; restore a backup, or forget them",
            counted(reply.problems.len() as u64, "problem was", "problems were")
        ),
    ))
}
