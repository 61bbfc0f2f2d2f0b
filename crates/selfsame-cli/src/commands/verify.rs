//! selfsame verify

use crate::output::{Output, Tone};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::verify::Verify;

pub(crate) fn run(resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let reply = resolution.backend().call::<Verify>("", &NoRequest {})?;
    output.reply(&reply, |output| {
        let looked = format!("{} memories of {} agents", reply.memories, reply.agents);
        match reply.ok {
            true => format!(
                "{}  {looked}: structure, seals and index fit\n",
                output.paint(Tone::Good, "ok")
            ),
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
            "{} problems were found: damaged memories are not served; restore a backup, or forget them",
            reply.problems.len()
        ),
    ))
}
