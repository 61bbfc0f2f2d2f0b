//! selfsame mcp

use crate::settings::Resolution;
use selfsame_daemon::operations::Profile;
use selfsame_daemon::{Backend, Failure, mcp};
use std::time::Duration;

/// How long a daemon may take to start: it may have an index to build anew.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(clap::Args)]
pub(crate) struct Args {
    /// How many tools the model is shown
    #[arg(long, value_enum, default_value = "core")]
    profile: ProfileName,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ProfileName {
    /// The few that an agent needs every day
    Core,
    /// Every tool of the mind
    Mind,
}

pub(crate) fn run(args: &Args, resolution: &Resolution) -> Result<(), Failure> {
    let profile = match args.profile {
        ProfileName::Core => Profile::Core,
        ProfileName::Mind => Profile::Mind,
    };
    let backend = Backend::for_agent(resolution.home.clone()).starting(resolution.launch(PATIENCE)?);
    // Now rather than at the first call: the heart beats while the host is open. What goes wrong is told there, again.
    let early = backend.clone();
    std::thread::spawn(move || early.daemon_address());
    mcp::serve_stdio(backend, resolution.agent.clone(), profile)
}
