//! selfsame relate

use super::remember::finite;
use crate::output::{Output, Tone, columns, counted, date, harmless};
use crate::settings::Resolution;
use selfsame_daemon::Failure;
use selfsame_daemon::operations::relationship::{
    AssignRelationship, AssignRelationshipRequest, ChangeView, ListRelationships, ListRelationshipsRequest,
    RelationshipCardView, RelationshipView, ShowRelationship, ShowRelationshipRequest,
};

#[derive(clap::Subcommand)]
pub(crate) enum Command {
    /// Say how the agent stands to somebody; only the agent itself may (--as agent)
    Set {
        /// To whom: ent_..., a name, an alias or an agent's name
        who: String,
        /// ally, rival, mentor, neutral, ... in the agent's own word
        #[arg(value_name = "TYPE")]
        kind: String,
        /// -1 to 1
        #[arg(long, value_parser = finite, allow_hyphen_values = true)]
        trust: Option<f64>,
        /// The tone, in a word or two
        #[arg(long)]
        tone: Option<String>,
        /// Why; kept with the change for good
        #[arg(long, value_name = "REASON")]
        because: String,
        /// Whatever else is to be kept of it
        #[arg(long)]
        notes: Option<String>,
    },
    /// List how the agent stands to everybody whom it has met
    List {
        /// Begin after this one: ent_...
        #[arg(long)]
        after: Option<String>,
        /// Relationships, at most
        #[arg(long, short = 'n')]
        limit: Option<u32>,
    },
    /// Show how the agent stands to somebody, and how that came to be
    Show {
        /// To whom: ent_..., a name, an alias or an agent's name
        who: String,
    },
}

pub(crate) fn run(command: Command, resolution: &Resolution, output: &Output) -> Result<(), Failure> {
    let (backend, agent) = (resolution.backend(), &resolution.agent);
    match command {
        Command::Set { who, kind, trust, tone, because, notes } => {
            let request = AssignRelationshipRequest {
                entity: who,
                relationship_type: kind,
                trust_level: trust,
                emotional_tone: tone,
                rationale: because,
                notes,
            };
            let reply = backend.call::<AssignRelationship>(agent, &request)?;
            output.reply(&reply, |output| {
                format!("{}  {}  {}\n", output.paint(Tone::Good, "assigned"), reply.entity, reply.change)
            });
        }
        Command::List { after, limit } => {
            let request = ListRelationshipsRequest { after, limit };
            let reply = backend.call::<ListRelationships>(agent, &request)?;
            output.reply(&reply, |_| columns(&reply.relationships.iter().map(row).collect::<Vec<_>>()));
        }
        Command::Show { who } => {
            let reply = backend.call::<ShowRelationship>(agent, &ShowRelationshipRequest { entity: who })?;
            output.reply(&reply, |output| card(&reply, output));
        }
    }
    Ok(())
}

fn row(one: &RelationshipView) -> Vec<String> {
    vec![
        harmless(&one.name),
        harmless(&one.relationship_type),
        format!("trust {}", one.trust_level),
        one.emotional_tone.as_deref().map(harmless).unwrap_or_default(),
        counted(one.interaction_count.unsigned_abs(), "conversation", "conversations"),
        format!("met {}", date(&one.first_met_at)),
    ]
}

fn card(card: &RelationshipCardView, output: &Output) -> String {
    let one = &card.relationship;
    let mut rows = vec![
        vec!["entity".into(), one.entity.clone()],
        vec!["type".into(), harmless(&one.relationship_type)],
        vec!["trust".into(), one.trust_level.to_string()],
    ];
    let optional = [("tone", &one.emotional_tone), ("notes", &one.relationship_notes)];
    for (name, text) in optional {
        rows.extend(text.as_deref().map(|text| vec![name.into(), harmless(text)]));
    }
    let met = counted(one.interaction_count.unsigned_abs(), "conversation", "conversations");
    rows.push(vec!["because".into(), harmless(&one.rationale)]);
    rows.push(vec!["met".into(), format!("{}, {met}", date(&one.first_met_at))]);
    let history: Vec<Vec<String>> = card.history.iter().map(change).collect();
    let title = output.paint(Tone::Strong, &harmless(&one.name));
    format!("{title}\n{}\n{}", columns(&rows), columns(&history))
}

fn change(change: &ChangeView) -> Vec<String> {
    let (kind, trust) = (harmless(&change.new_type), change.new_trust);
    let to = match (&change.old_type, change.old_trust) {
        (Some(old), Some(old_trust)) => format!("{} {old_trust} -> {kind} {trust}", harmless(old)),
        _ => format!("{kind} {trust}"),
    };
    let by = format!("by {}", change.provenance.author);
    vec![date(&change.at).into(), to, by, harmless(&change.rationale)]
}
