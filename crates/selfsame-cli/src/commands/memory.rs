//! selfsame memory

use super::remember;
use crate::output::{Output, Tone, columns, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::memory::{
    ChangeReply, EditMemory, EditMemoryRequest, GetMemory, ListMemories, ListMemoriesRequest, MemoryRequest,
    PinMemory, PinMemoryRequest, PortraitView, ResolveMemory,
};
use selfsame_daemon::wire::MemoryView;

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// List memories, the newest first
    List {
        /// Of this type
        #[arg(long = "type", value_name = "TYPE")]
        kind: Option<String>,
        /// In this state: active, stale, archived or resolved [default: active and stale]
        #[arg(long)]
        state: Option<String>,
        /// With this label
        #[arg(long)]
        tag: Option<String>,
        /// About this entity: ent_...
        #[arg(long)]
        entity: Option<String>,
        /// How many, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one memory: how firmly it is held, its history, who else said it
    Show {
        /// mem_...
        id: String,
    },
    /// Store a next edition; the old one stays readable
    Edit {
        /// mem_...
        id: String,
        /// The new words
        content: Option<String>,
        /// Another type
        #[arg(long = "type", value_name = "TYPE")]
        kind: Option<String>,
        /// 0 to 1
        #[arg(long, value_parser = remember::finite)]
        importance: Option<f64>,
        /// A label, instead of the old ones; may be repeated
        #[arg(long)]
        tag: Option<Vec<String>>,
    },
    /// Keep a memory from fading
    Pin {
        /// mem_...
        id: String,
    },
    /// Let it fade again
    Unpin {
        /// mem_...
        id: String,
    },
    /// A plan, an activity or a question is done
    Resolve {
        /// mem_...
        id: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::List { kind, state, tag, entity, limit } => {
            let request = ListMemoriesRequest { kind, state, tag, entity, before: None, limit };
            let reply = backend.call::<ListMemories>(agent, &request)?;
            output.reply(&reply, |_| match reply.memories.is_empty() {
                true => "no memory fits\n".into(),
                false => columns(&reply.memories.iter().map(row).collect::<Vec<_>>()),
            });
        }
        Command::Show { id } => {
            let reply = backend.call::<GetMemory>(agent, &MemoryRequest { id })?;
            output.reply(&reply, |output| portrait(&reply, output));
        }
        Command::Edit { id, content, kind, importance, tag } => {
            let request = EditMemoryRequest { id, content, kind, importance, tags: tag, source: None };
            let reply = backend.call::<EditMemory>(agent, &request)?;
            output.reply(&reply, |output| remember::words(&reply, output));
        }
        Command::Pin { id } => pin(id, true, resolution, output)?,
        Command::Unpin { id } => pin(id, false, resolution, output)?,
        Command::Resolve { id } => {
            let reply = backend.call::<ResolveMemory>(agent, &MemoryRequest { id })?;
            output.reply(&reply, |output| changed(&reply, output));
        }
    }
    Ok(())
}

fn pin(id: String, pinned: bool, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let request = PinMemoryRequest { id, pinned: Some(pinned) };
    let reply = resolution.backend().call::<PinMemory>(&resolution.agent, &request)?;
    output.reply(&reply, |output| changed(&reply, output));
    Ok(())
}

fn changed(reply: &ChangeReply, output: &Output) -> String {
    let already = if reply.changed { "" } else { "  it was already" };
    format!("{}  {}{already}\n", output.paint(Tone::Good, &reply.is), reply.id)
}

fn row(memory: &MemoryView) -> Vec<String> {
    vec![
        memory.id.clone(),
        date(&memory.created_at).into(),
        memory.kind.clone(),
        memory.state.clone(),
        harmless(&memory.content).chars().take(80).collect(),
    ]
}

fn portrait(portrait: &PortraitView, output: &Output) -> String {
    let memory = &portrait.memory;
    let mut rows: Vec<[String; 2]> = vec![
        ["id".into(), memory.id.clone()],
        ["type".into(), memory.kind.clone()],
        ["state".into(), state(portrait)],
        ["held".into(), held(portrait)],
        ["said by".into(), format!("{}, trust {}", memory.provenance.author, memory.provenance.trust)],
        ["stored".into(), date(&memory.created_at).into()],
        ["sources".into(), portrait.sources.to_string()],
    ];
    let mut add = |word: &str, value: Option<String>| rows.extend(value.map(|value| [word.into(), value]));
    add("importance", Some(memory.importance.to_string()));
    add("tags", Some(memory.tags.join(", ")).filter(|tags| !tags.is_empty()).map(|tags| harmless(&tags)));
    add("deadline", memory.expires_at.clone());
    add("feeling", memory.feeling.as_deref().map(harmless));
    add("serves", memory.goal.clone());
    add("answers", memory.answers.clone());
    add("resolves", memory.resolves.clone());
    add("replaces", memory.replaces.clone());
    add("replaced by", memory.replaced_by.clone());
    for odds in &portrait.at_odds_with {
        add("at odds with", Some(format!("{} ({})", odds.id, odds.how)));
    }
    for change in &portrait.history {
        let why = Some(&change.reason).filter(|reason| **reason != change.state);
        let why = why.map(|reason| format!(", {reason}")).unwrap_or_default();
        add(date(&change.at), Some(format!("{}{why}", change.state)));
    }
    let rows: Vec<Vec<String>> = rows.into_iter().map(Vec::from).collect();
    format!("{}\n{}", output.paint(Tone::Strong, &harmless(&memory.content)), columns(&rows))
}

fn state(portrait: &PortraitView) -> String {
    let memory = &portrait.memory;
    match (&portrait.stale_at, memory.pinned) {
        (_, true) => format!("{}, pinned", memory.state),
        (Some(stale), _) if memory.state == "active" => format!("active, stale from {}", date(stale)),
        (None, _) if memory.state == "active" => "active, does not fade".into(),
        _ => memory.state.clone(),
    }
}

fn held(portrait: &PortraitView) -> String {
    let recalled = match portrait.recall_count {
        0 => "never recalled".into(),
        1 => "recalled on one day".into(),
        days => format!("recalled on {days} days"),
    };
    format!("{:.0} %, stability {:.0} days, {recalled}", portrait.retention * 100.0, portrait.stability_days)
}
