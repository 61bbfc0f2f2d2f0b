//! selfsame dashboard

use crate::output::{Output, Tone, counted};
use crate::settings::Resolution;
use selfsame_daemon::Failure;

#[derive(clap::Args)]
pub(crate) struct Args {
    /// End every visit instead: whoever is in has to enter a new code
    #[arg(long)]
    close: bool,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    if args.close {
        let closed = backend.close_dashboard()?;
        let reply = serde_json::json!({ "closed": closed });
        output.reply(&reply, |_| format!("ended {}\n", counted(closed, "visit", "visits")));
        return Ok(());
    }
    let way = backend.dashboard_code()?;
    output.reply(&way, |output| {
        format!(
            "open   {}\nenter  {}   (good once, for {} minutes)\n",
            way.link,
            output.paint(Tone::Strong, &way.code),
            way.good_for_seconds / 60
        )
    });
    Ok(())
}
