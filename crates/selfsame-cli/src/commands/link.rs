//! selfsame link

use crate::output::{Output, Tone};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::link::{
    Decision, LinkView, ListLinks, ListLinksRequest, RequestMemory, RequestMemoryRequest, RevokeLink,
    RevokeLinkRequest, ShareMemory, ShareMemoryRequest, ShowLink, ShowLinkRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Ask another agent for its whole memory
    Request {
        /// The agent that is asked
        target: String,
    },
    /// List the links of the agent, the newest first
    List {
        /// Only requests that the agent can answer now
        #[arg(long)]
        pending: bool,
        /// Links, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one link
    Show {
        /// The link: lnk_...
        link: String,
    },
    /// Answer a request: copy all memories to the other that are not private
    Share {
        /// The request: lnk_...
        request: String,
        /// Let the other give on what it receives
        #[arg(long)]
        allow_onward: bool,
    },
    /// Answer a request: share nothing
    Decline {
        /// The request: lnk_...
        request: String,
    },
    /// Take back what was shared, with all that was made of it
    Revoke {
        /// The link: lnk_...
        link: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    let link = match command {
        Command::Request { target } => {
            backend.call::<RequestMemory>(agent, &RequestMemoryRequest { target })?
        }
        Command::List { pending, limit } => {
            let request = ListLinksRequest { pending: pending.then_some(true), before: None, limit };
            let reply = backend.call::<ListLinks>(agent, &request)?;
            output.reply(&reply, |output| match reply.links.is_empty() {
                true => "there are no neural links\n".into(),
                false => reply.links.iter().map(|link| shown(link, output)).collect(),
            });
            return Ok(());
        }
        Command::Show { link } => backend.call::<ShowLink>(agent, &ShowLinkRequest { link })?,
        Command::Share { request, allow_onward } => {
            let allow_onward = allow_onward.then_some(true);
            let request = ShareMemoryRequest { request, decision: Some(Decision::Accept), allow_onward };
            backend.call::<ShareMemory>(agent, &request)?
        }
        Command::Decline { request } => {
            let request =
                ShareMemoryRequest { request, decision: Some(Decision::Decline), allow_onward: None };
            backend.call::<ShareMemory>(agent, &request)?
        }
        Command::Revoke { link } => backend.call::<RevokeLink>(agent, &RevokeLinkRequest { link })?,
    };
    output.reply(&link, |output| shown(&link, output));
    Ok(())
}

fn shown(link: &LinkView, output: &Output) -> String {
    let tone = match link.state.as_str() {
        "accepted" => Tone::Good,
        "requested" | "copying" => Tone::Strong,
        _ => Tone::Faint,
    };
    format!("{}  {}\n", output.paint(tone, &link.state), link.in_words())
}
