//! The rows of a batch as lines: for whoever writes a summary, and for the choice of sentences where nobody does.

use super::plan::{Material, Planner, Talk};
use crate::error::{Result, StoreResult};
use crate::mind::Access;
use selfsame_core::care::extract::{Piece, extract};
use selfsame_core::care::facts::Said;
use selfsame_core::care::prompt::{self, Asked, Line, Part};
use selfsame_core::care::reply::Written;
use selfsame_core::care::{MemorySummary, WrittenBy, without_label};
use selfsame_core::conversation::{Message, Role};
use selfsame_core::id::{EntityId, PrincipalId};
use selfsame_core::kept::Kept;
use selfsame_core::memory::Memory;
use selfsame_core::time::Zone;
use selfsame_core::tokens::count;
use selfsame_core::trust::Author;
use selfsame_store::summaries::Batch;
use selfsame_store::{Reader, entities, principals};
use std::collections::{BTreeMap, BTreeSet};

/// Tokens of a summary, at least: with fewer nothing can be said.
const LEAST_TOKENS: usize = 200;
/// What the sentences of an earlier summary count for beside what was said since.
const EARLIER: f64 = 0.8;
/// What the agent's own words count for beside those of others: they are there twice, in what was answered.
const OWN: f64 = 0.6;
const OTHERS: f64 = 1.0;

/// Who is called how.
pub(super) struct Names {
    agent: String,
    people: BTreeMap<EntityId, String>,
    principals: BTreeMap<PrincipalId, String>,
}

/// The names of who took part.
pub(super) fn names(reader: &mut Reader, access: &Access<'_>, talk: &Talk) -> StoreResult<Names> {
    let agent = access.agent.id;
    let ids: BTreeSet<EntityId> =
        talk.messages.iter().filter_map(|message| message.speaker).chain(talk.counterpart).collect();
    let ids: Vec<EntityId> = ids.into_iter().collect();
    let known = entities::by_ids(reader, agent, &ids)?;
    let people = known.into_iter().map(|entity| (entity.id, entity.name)).collect();
    let principals = principals::all(reader, agent)?.into_iter().map(|one| (one.id, one.name)).collect();
    Ok(Names { agent: access.agent.name.clone(), people, principals })
}

impl Names {
    fn speaker(&self, message: &Message) -> &str {
        let named = message.speaker.and_then(|speaker| self.people.get(&speaker));
        match (named, message.role) {
            (Some(name), _) => name,
            (None, Role::Assistant) => &self.agent,
            (None, role) => role.as_str(),
        }
    }

    /// A message as something that was said.
    pub(super) fn said<'m>(&'m self, message: &'m Message, zone: &Zone) -> Said<'m> {
        Said { on: zone.date(message.created_at), who: self.speaker(message), text: &message.content }
    }

    fn writer(&self, memory: &Memory) -> &str {
        let principal = memory.provenance.principal_id().and_then(|id| self.principals.get(&id));
        match (memory.provenance.author(), principal) {
            (Author::Principal, Some(name)) => name,
            (Author::Agent, _) => "yourself",
            (author, _) => author.as_str(),
        }
    }
}

/// The next part of a batch, to be put before whoever writes.
pub(super) fn part(access: &Access<'_>, material: &Material, batch: &Batch) -> Result<Part> {
    let (names, zone) = (names_of(access, material)?, access.zone()?);
    let lines = lines(material, &names, &zone);
    let settings = access.care();
    let (mut before, mut facts, mut withheld, mut counterpart) = (None, [].as_slice(), 0, None);
    if let Material::Talk(talk) = material {
        before = talk.before.as_ref().map(|before| before.content.as_str());
        facts = talk.before.as_ref().map_or([].as_slice(), |before| before.facts.as_slice());
        withheld = talk.messages.len() - talk.told().count();
        counterpart = talk.counterpart.and_then(|who| names.people.get(&who)).map(String::as_str);
    }
    Ok(prompt::part(&Asked {
        phase: batch.phase,
        counterpart,
        focus: batch.focus.as_deref(),
        so_far: batch.draft.as_deref().or(before),
        facts,
        lines: &lines,
        done: batch.done,
        withheld,
        most_tokens: budget(access, material),
        window: settings.window_tokens,
    }))
}

/// Tokens that a summary may have. Those of all counterparts together take half of what may be in mind, or somebody who talks
/// to everybody could not be brought below the ceiling.
fn budget(access: &Access<'_>, material: &Material) -> usize {
    let settings = access.care();
    match material {
        Material::Talk(talk) => {
            let share = settings.after_tokens / 2 / talk.counterparts.max(1);
            share.clamp(LEAST_TOKENS.min(settings.summary_tokens), settings.summary_tokens)
        }
        Material::Memories(_) | Material::Summaries(_) => settings.summary_tokens,
    }
}

fn names_of(access: &Access<'_>, material: &Material) -> Result<Names> {
    let agent = access.agent.id;
    let nobody = Talk { counterpart: None, messages: Vec::new(), before: None, counterparts: 0 };
    let talk = if let Material::Talk(talk) = material { talk } else { &nobody };
    Ok(access.mind.store.read(&access.caller, &[agent], |reader| names(reader, access, talk))?)
}

/// One line for each row, so that a part of a batch is a part of its rows. What is nobody's turn says only that.
fn lines(material: &Material, names: &Names, zone: &Zone) -> Vec<Line> {
    match material {
        Material::Memories(rows) => rows.iter().map(|row| memory_line(row, names, zone)).collect(),
        Material::Talk(talk) => {
            let told: BTreeSet<_> = talk.told().map(|row| row.id).collect();
            let line = |row: &Kept<Message>| Line {
                about: format!("{} {}", zone.date(row.created_at), names.speaker(row)),
                text: if told.contains(&row.id) { row.content.clone() } else { "(not shown)".into() },
            };
            talk.messages.iter().map(line).collect()
        }
        Material::Summaries(rows) => {
            let line = |row: &Kept<MemorySummary>| Line {
                about: format!("{} to {}", zone.date(row.from), zone.date(row.until)),
                text: row.content.clone(),
            };
            rows.iter().map(line).collect()
        }
    }
}

fn memory_line(row: &Memory, names: &Names, zone: &Zone) -> Line {
    let about = format!("{} {}, {}", zone.date(row.created_at), row.kind.as_str(), names.writer(row));
    Line { about, text: row.content.clone() }
}

/// The summary of a batch that nobody writes. It says so itself.
pub(super) fn extracted(access: &Access<'_>, material: &Material, planner: &Planner<'_>) -> Result<Written> {
    let (names, zone) = (names_of(access, material)?, access.zone()?);
    let pieces = pieces(material, &names, &zone);
    let label = match material {
        Material::Memories(rows) => {
            format!("Sentences chosen from {} memories; nobody wrote this.", rows.len())
        }
        Material::Talk(talk) => {
            let all = talk.before.as_ref().map_or(0, |before| before.messages as usize) + talk.messages.len();
            format!("Sentences chosen from {all} messages; nobody wrote this.")
        }
        Material::Summaries(rows) => {
            format!("Sentences chosen from {} summaries; nobody wrote this.", rows.len())
        }
    };
    let most = budget(access, material).saturating_sub(count(&label) + 1);
    let chosen = extract(&pieces, planner.focus.as_ref(), most);
    let content = std::iter::once(label).chain(chosen.lines).collect::<Vec<_>>().join("\n");
    Ok(Written { themes: chosen.themes, content, facts: Vec::new() })
}

fn pieces(material: &Material, names: &Names, zone: &Zone) -> Vec<Piece> {
    match material {
        Material::Memories(rows) => {
            let piece = |row: &Memory| Piece {
                about: Some(zone.date(row.created_at).to_string()),
                text: row.content.clone(),
                weight: row.importance,
            };
            rows.iter().map(piece).collect()
        }
        Material::Talk(talk) => {
            let piece = |row: &Kept<Message>| Piece {
                about: Some(format!("{} {}", zone.date(row.created_at), names.speaker(row))),
                text: row.content.clone(),
                weight: if row.role == Role::Assistant { OWN } else { OTHERS },
            };
            let before = talk.before.iter().flat_map(|before| earlier(&before.content, before.written_by));
            before.chain(talk.told().map(piece)).collect()
        }
        Material::Summaries(rows) => {
            rows.iter().flat_map(|row| earlier(&row.content, row.written_by)).collect()
        }
    }
}

/// What an earlier summary says, a piece for each line.
fn earlier(content: &str, by: WrittenBy) -> impl Iterator<Item = Piece> {
    let lines = without_label(content, by).lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| Piece { about: None, text: line.to_owned(), weight: EARLIER })
}
