//! selfsame events

use crate::output::{Output, columns};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::event::{EventsRequest, ListEvents};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Begin after this number
    #[arg(long)]
    after: Option<u32>,
    /// Events, at most
    #[arg(long, short = 'n')]
    limit: Option<u32>,
}

pub(crate) fn run(args: &Args, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = EventsRequest { after: args.after, limit: args.limit };
    let reply = resolution.backend().call::<ListEvents>(&resolution.agent, &request)?;
    output.reply(&reply, |_| {
        let rows: Vec<Vec<String>> = reply
            .events
            .iter()
            .map(|event| {
                let at = event.at.get(..19).unwrap_or(&event.at).replace('T', " ");
                vec![
                    event.seq.to_string(),
                    at,
                    event.act.clone(),
                    event.subject.clone(),
                    format!("by {}", event.actor),
                ]
            })
            .collect();
        columns(&rows)
    });
    Ok(())
}
