//! selfsame principal

use crate::output::{Output, Tone, columns, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::principal::{
    AddPrincipal, AddPrincipalRequest, ListPrincipals, PrincipalReply, SetPrincipal, SetPrincipalRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Add somebody whom the agent serves
    Add {
        /// The name it goes by
        name: String,
        /// IANA zone of its days [default: the agent's]
        #[arg(long)]
        zone: Option<String>,
    },
    /// List whom the agent serves
    List,
    /// Give a principal another name or zone
    Set {
        /// Which: pri_... or its name
        principal: String,
        /// Another name
        #[arg(long)]
        name: Option<String>,
        /// Another IANA zone
        #[arg(long)]
        zone: Option<String>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Add { name, zone } => {
            say(&backend.call::<AddPrincipal>(agent, &AddPrincipalRequest { name, zone })?, output);
        }
        Command::List => {
            let reply = backend.call::<ListPrincipals>(agent, &NoRequest {})?;
            output.reply(&reply, |_| {
                let row = |one: &selfsame_daemon::wire::PrincipalView| {
                    let rank = if one.operator { "operator" } else { "principal" };
                    vec![one.id.clone(), harmless(&one.name), rank.into(), one.zone.clone()]
                };
                columns(&reply.principals.iter().map(row).collect::<Vec<_>>())
            });
        }
        Command::Set { principal, name, zone } => {
            let request = SetPrincipalRequest { principal, name, zone };
            say(&backend.call::<SetPrincipal>(agent, &request)?, output);
        }
    }
    Ok(())
}

fn say(reply: &PrincipalReply, output: &Output) {
    output.reply(reply, |output| format!("{}  {}\n", output.paint(Tone::Good, &reply.outcome), reply.id));
}
