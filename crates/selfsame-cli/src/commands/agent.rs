//! selfsame agent

use crate::output::{Output, Tone, columns, date};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::agent::{CreateAgent, CreateAgentRequest, ListAgents, NoRequest, ShowAgent};
use selfsame_daemon::wire::AgentCardView;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make an agent
    Create {
        /// Its name: letters, digits, -, _ and .
        name: String,
        /// IANA zone of its days, such as Europe/Berlin
        #[arg(long)]
        zone: Option<String>,
    },
    /// List the agents
    List,
    /// Show one agent: whom it serves, how much it remembers
    Show {
        /// Its name or id [default: the agent in use]
        name: Option<String>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    match command {
        Command::Create { name, zone } => {
            let reply = backend.call::<CreateAgent>("", &CreateAgentRequest { name, zone })?;
            output.reply(&reply, |output| {
                format!(
                    "{}  {}  {}  {}\n",
                    output.paint(Tone::Good, "created"),
                    reply.name,
                    reply.id,
                    reply.zone
                )
            });
        }
        Command::List => {
            let reply = backend.call::<ListAgents>("", &NoRequest {})?;
            output.reply(&reply, |_| {
                let rows: Vec<Vec<String>> = reply
                    .agents
                    .iter()
                    .map(|agent| {
                        vec![
                            agent.name.clone(),
                            agent.id.clone(),
                            agent.zone.clone(),
                            date(&agent.created_at).into(),
                        ]
                    })
                    .collect();
                columns(&rows)
            });
        }
        Command::Show { name } => {
            let agent = name.as_deref().unwrap_or(&resolution.agent);
            let reply = backend.call::<ShowAgent>(agent, &NoRequest {})?;
            output.reply(&reply, |output| card(&reply, output));
        }
    }
    Ok(())
}

fn card(card: &AgentCardView, output: &Output) -> String {
    let agent = &card.agent;
    let mut rows = vec![
        vec!["id".into(), agent.id.clone()],
        vec!["zone".into(), agent.zone.clone()],
        vec!["since".into(), date(&agent.created_at).into()],
        vec!["memories".into(), card.memories.to_string()],
    ];
    if card.needs_self_care {
        rows.push(vec!["advice".into(), "much is not archived: the agent should take care of itself".into()]);
    }
    for principal in &card.principals {
        rows.push(vec!["serves".into(), format!("{}  {}  {}", principal.name, principal.id, principal.zone)]);
    }
    format!("{}\n{}", output.paint(Tone::Strong, &agent.name), columns(&rows))
}
