//! selfsame mcp

use crate::settings::Resolution;
use selfsame_daemon::operations::Profile;
use selfsame_daemon::{Backend, Failure, mcp};

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
    mcp::serve_stdio(Backend::for_agent(resolution.home.clone()), resolution.agent.clone(), profile)
}
