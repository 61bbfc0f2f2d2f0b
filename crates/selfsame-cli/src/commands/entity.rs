//! selfsame entity

use crate::output::{Output, Tone, columns, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::entity::{
    AddEntity, AddEntityRequest, EntityCardView, EntityReply, EntityView, ListEntities, ListEntitiesRequest,
    MergeEntities, MergeEntitiesRequest, NameEntity, NameEntityRequest, ProfileEntity, ProfileEntityRequest,
    ShowEntity, ShowEntityRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Make an entity
    Add {
        /// Its first name
        name: String,
        /// person, organization, project, tool, place, agent [default: person]
        #[arg(long)]
        kind: Option<String>,
        /// Another name; may be repeated
        #[arg(long)]
        alias: Vec<String>,
    },
    /// List whom and what the agent knows
    List {
        /// Only of this kind
        #[arg(long)]
        kind: Option<String>,
        /// Begin after this one: ent_...
        #[arg(long)]
        after: Option<String>,
        /// Entities, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show one entity
    Show {
        /// ent_..., a name or an alias
        entity: String,
    },
    /// Give an entity another name
    Alias {
        /// ent_..., a name or an alias
        entity: String,
        /// The other name
        alias: String,
    },
    /// Say who or what an entity is
    Profile {
        /// ent_..., a name or an alias
        entity: String,
        /// In a few words
        text: String,
        /// What the words were made from: mem_... or msg_...; may be repeated
        #[arg(long)]
        source: Vec<String>,
    },
    /// Make two entities one; this cannot be undone
    Merge {
        /// The one that goes on as a name of the other
        from: String,
        /// The one that stays
        into: String,
        /// Only look whether it can be done
        #[arg(long)]
        dry_run: bool,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Add { name, kind, alias } => {
            let request = AddEntityRequest { name, kind, aliases: alias };
            let reply = backend.call::<AddEntity>(agent, &request)?;
            output.reply(&reply, |output| format!("{}  {}\n", output.paint(Tone::Good, "added"), reply.id));
            if !reply.shares_a_name_with.is_empty() && !output.is_json() {
                let others = reply.shares_a_name_with.join(", ");
                output.say(&format!("shares a name with {others}: `selfsame entity merge` makes two one"));
            }
        }
        Command::List { kind, after, limit } => {
            let reply = backend.call::<ListEntities>(agent, &ListEntitiesRequest { kind, after, limit })?;
            output.reply(&reply, |_| columns(&reply.entities.iter().map(row).collect::<Vec<_>>()));
        }
        Command::Show { entity } => {
            let reply = backend.call::<ShowEntity>(agent, &ShowEntityRequest { entity })?;
            output.reply(&reply, |output| card(&reply, output));
        }
        Command::Alias { entity, alias } => {
            say(&backend.call::<NameEntity>(agent, &NameEntityRequest { entity, alias })?, output);
        }
        Command::Profile { entity, text, source } => {
            let request = ProfileEntityRequest { entity, text, sources: source };
            say(&backend.call::<ProfileEntity>(agent, &request)?, output);
        }
        Command::Merge { from, into, dry_run } => {
            let request = MergeEntitiesRequest { from, into, dry_run };
            say(&backend.call::<MergeEntities>(agent, &request)?, output);
        }
    }
    Ok(())
}

fn say(reply: &EntityReply, output: &Output) {
    let words = reply.outcome.replace('_', " ");
    output.reply(reply, |output| format!("{}  {}\n", output.paint(Tone::Good, &words), reply.id));
}

fn row(entity: &EntityView) -> Vec<String> {
    vec![entity.id.clone(), entity.kind.clone(), harmless(&entity.name), harmless(&entity.aliases.join(", "))]
}

fn card(card: &EntityCardView, output: &Output) -> String {
    let entity = &card.entity;
    let mut rows = vec![vec!["id".into(), entity.id.clone()], vec!["kind".into(), entity.kind.clone()]];
    if !entity.aliases.is_empty() {
        rows.push(vec!["also".into(), harmless(&entity.aliases.join(", "))]);
    }
    if !card.former_ids.is_empty() {
        rows.push(vec!["formerly".into(), card.former_ids.join(", ")]);
    }
    rows.push(vec!["since".into(), date(&entity.first_seen_at).into()]);
    if let Some(seen) = &entity.last_seen_at {
        rows.push(vec!["seen".into(), date(seen).into()]);
    }
    rows.push(vec!["named".into(), format!("in {} memories, {} messages", card.memories, card.messages)]);
    if let Some(summary) = &entity.profile_summary {
        rows.push(vec!["profile".into(), harmless(summary)]);
    }
    format!("{}\n{}", output.paint(Tone::Strong, &harmless(&entity.name)), columns(&rows))
}
