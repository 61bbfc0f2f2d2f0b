//! selfsame forget

use crate::output::{Output, Tone, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::forget::{Forget, ForgetRequest};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The memory: mem_...
    id: String,
    /// Only show what would go
    #[arg(long)]
    dry_run: bool,
}

pub(crate) fn run(args: Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = ForgetRequest { id: args.id, dry_run: args.dry_run };
    let reply = resolution.backend().call::<Forget>(&resolution.agent, &request)?;
    output.reply(&reply, |output| match &reply.memory {
        Some(memory) => format!("would forget  {}  {}\n", memory.id, harmless(&memory.content)),
        None => format!("{}  {}\n", output.paint(Tone::Good, "forgotten"), request.id),
    });
    Ok(())
}
