//! selfsame agent

use crate::editor::Edited;
use crate::output::{Output, Tone, columns, date, harmless};
use crate::settings::Resolution;
use selfsame::document::CONTEMPLATION;
use selfsame_daemon::operations::agent::{
    CreateAgent, CreateAgentRequest, ListAgents, MoveAgent, MoveAgentRequest, NoRequest, SetAgent,
    SetAgentRequest, ShowAgent,
};
use selfsame_daemon::operations::document::{
    DocumentRequest, SetDocument, SetDocumentReply, SetDocumentRequest, ShowDocument,
};
use selfsame_daemon::wire::AgentCardView;
use selfsame_daemon::{Backend, Failure};
use std::fs;
use std::path::{Path, PathBuf};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make an agent
    Create {
        /// Its name: letters, digits, -, _ and .
        name: String,
        /// IANA zone of its days, such as Europe/Berlin
        #[arg(long)]
        zone: Option<String>,
        /// One of the family: it thinks as often as contemplation.family_every says
        #[arg(long)]
        family: bool,
    },
    /// List the agents
    List,
    /// Show one agent: whom it serves, how much it remembers
    Show {
        /// Its name or id [default: the agent in use]
        name: Option<String>,
    },
    /// Say whether an agent is one of the family, or where it lives
    Set {
        /// Its name or id [default: the agent in use]
        name: Option<String>,
        /// One of the family thinks as often as contemplation.family_every says
        #[arg(long, value_name = "true|false", action = clap::ArgAction::Set, required_unless_present = "home")]
        family: Option<bool>,
        /// Where it lives; elsewhere it does not take care of itself. "" is nowhere
        #[arg(long, value_name = "PLACE")]
        home: Option<String>,
    },
    /// Go to a place, as the agent in use
    Move {
        /// Where to
        place: String,
    },
    /// Edit how an agent is to contemplate, its CONTEMPLATION.md, in your editor
    Edit {
        /// Its name or id [default: the agent in use]
        name: Option<String>,
        /// Take the text from a file instead; `-` is standard input
        #[arg(long)]
        file: Option<PathBuf>,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let backend = resolution.backend();
    match command {
        Command::Create { name, zone, family } => {
            let reply = backend.call::<CreateAgent>("", &CreateAgentRequest { name, zone, family })?;
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
                            if agent.family { "family" } else { "" }.into(),
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
        Command::Move { place } => {
            let reply = backend.call::<MoveAgent>(&resolution.agent, &MoveAgentRequest { place })?;
            output.reply(&reply, |output| {
                format!("{}  {}\n", output.paint(Tone::Good, &reply.outcome), reply.id)
            });
        }
        Command::Set { name, family, home } => {
            let agent = name.as_deref().unwrap_or(&resolution.agent);
            let reply = backend.call::<SetAgent>(agent, &SetAgentRequest { family, home })?;
            output.reply(&reply, |output| {
                format!("{}  {}\n", output.paint(Tone::Good, &reply.outcome), reply.id)
            });
        }
        Command::Edit { name, file } => {
            let agent = name.as_deref().unwrap_or(&resolution.agent);
            let reply = match file {
                Some(file) => set(&backend, agent, text_of(&file)?)?,
                None => edit(&backend, agent)?,
            };
            output.reply(&reply, |output| {
                format!("{}  {}\n", output.paint(Tone::Good, &reply.outcome), reply.name)
            });
        }
    }
    Ok(())
}

/// Opens the editor on what holds now.
fn edit(backend: &Backend, agent: &str) -> Result<SetDocumentReply, Failure> {
    let name = CONTEMPLATION.to_owned();
    let before = backend.call::<ShowDocument>(agent, &DocumentRequest { name: name.clone() })?;
    let edited = Edited::of(&before.content, &name)?;
    // Whoever changed nothing must not undo what somebody else changed meanwhile.
    if edited.text == before.content {
        return Ok(SetDocumentReply { name, outcome: "unchanged".into() });
    }
    set(backend, agent, edited.text.clone()).map_err(|failure| edited.kept(failure))
}

fn set(backend: &Backend, agent: &str, content: String) -> Result<SetDocumentReply, Failure> {
    backend.call::<SetDocument>(agent, &SetDocumentRequest { name: CONTEMPLATION.to_owned(), content })
}

fn text_of(file: &Path) -> Result<String, Failure> {
    let text = match file == Path::new("-") {
        true => std::io::read_to_string(std::io::stdin()),
        false => fs::read_to_string(file),
    };
    text.map_err(|error| {
        Failure::bad_request("bad_input", format!("{} cannot be read as text: {error}", file.display()))
    })
}

fn card(card: &AgentCardView, output: &Output) -> String {
    let agent = &card.agent;
    let mut rows = vec![
        vec!["id".into(), agent.id.clone()],
        vec!["zone".into(), agent.zone.clone()],
        vec!["since".into(), date(&agent.created_at).into()],
        vec!["memories".into(), card.memories.to_string()],
    ];
    if agent.family {
        rows.push(vec!["family".into(), "yes".into()]);
    }
    if card.summaries > 0 {
        rows.push(vec!["summaries".into(), card.summaries.to_string()]);
    }
    for (what, place) in [("home", &agent.home), ("is at", &agent.location)] {
        rows.extend(place.iter().map(|place| vec![what.into(), harmless(place)]));
    }
    if card.needs_self_care {
        rows.push(vec!["advice".into(), "much is not archived: the agent should take care of itself".into()]);
    }
    for principal in &card.principals {
        rows.push(vec!["serves".into(), format!("{}  {}  {}", principal.name, principal.id, principal.zone)]);
    }
    format!("{}\n{}", output.paint(Tone::Strong, &agent.name), columns(&rows))
}
