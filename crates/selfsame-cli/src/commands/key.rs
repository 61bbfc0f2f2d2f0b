//! selfsame key

use crate::output::{Output, Tone, columns, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::NoRequest;
use selfsame_daemon::operations::key::{CreateKey, CreateKeyRequest, ListKeys, RevokeKey, RevokeKeyRequest};
use selfsame_daemon::wire::KeyView;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make a key; it is shown this once
    Create {
        /// What it is for
        name: String,
        /// In whose name it speaks: operator, principal, agent, host
        #[arg(long, value_name = "VOICE", default_value = "operator")]
        speaks_as: String,
        /// What it may do: read, write, admin; may be repeated [default: read and write]
        #[arg(long)]
        scope: Vec<String>,
        /// Which principal (pri_... or its name), for principal and host [default: the operator]
        #[arg(long)]
        principal: Option<String>,
        /// Open every agent, not only the one in use
        #[arg(long)]
        all_agents: bool,
    },
    /// List the keys, without their secrets
    List,
    /// Revoke a key, at once and for good
    Revoke {
        /// The key: key_...
        id: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    match command {
        Command::Create { name, speaks_as, scope, principal, all_agents } => {
            let scopes = if scope.is_empty() { vec!["read".into(), "write".into()] } else { scope };
            let agent = (!all_agents).then(|| resolution.agent.clone());
            let request = CreateKeyRequest { name, agent, speaks_as, principal, scopes };
            let reply = backend.call::<CreateKey>("", &request)?;
            output.reply(&reply, |output| {
                format!(
                    "{}\n{}  keep it now: it is not stored and not shown again\n",
                    reply.secret,
                    output.paint(Tone::Faint, &reply.key.id)
                )
            });
        }
        Command::List => {
            let reply = backend.call::<ListKeys>("", &NoRequest {})?;
            output.reply(&reply, |_| columns(&reply.keys.iter().map(row).collect::<Vec<_>>()));
        }
        Command::Revoke { id } => {
            let reply = backend.call::<RevokeKey>("", &RevokeKeyRequest { id })?;
            let words = reply.outcome.replace('_', " ");
            output.reply(&reply, |output| format!("{}  {}\n", output.paint(Tone::Good, &words), reply.id));
        }
    }
    Ok(())
}

fn row(key: &KeyView) -> Vec<String> {
    let state = match &key.revoked_at {
        Some(at) => format!("revoked {}", date(at)),
        None => format!("since {}", date(&key.created_at)),
    };
    vec![
        key.id.clone(),
        harmless(&key.name),
        key.speaks_as.clone(),
        key.scopes.join(","),
        key.agent.clone().unwrap_or_else(|| "all agents".into()),
        state,
    ]
}
