//! A mind to read: the same rows as Markdown, one file a layer, the diary one file a day, each conversation a file. It is
//! for people and cannot be read in again; the archive can.
//!
//! Every table is either shown, with all the words that are in it, or listed in [`left_out`] with the reason. What was stored is put
//! between words of ours so that it stays what it is (`ink.rs`), and names no file.

mod ink;
mod pages;

use crate::error::{Result, StoreResult};
use crate::mind::Access;
use selfsame_core::time::Zone;
use selfsame_store::tables::TABLES;
use selfsame_store::{Reader, StoreError, baggage};
use serde_json::Value;
use std::collections::BTreeSet;

/// A file of Markdown: its path, with slashes, and its text.
pub type Page = (String, String);

const MADE_OF: &str = "by id, what something was made of or belongs to; the archive has it";
const READ_OUT: &str =
    "what was read out of memories on the way to a belief; the belief and its evidence are shown";
const HISTORY: &str = "a log of what was done, in ids and words of ours; the archive has it";
const HEART: &str = "how the heartbeat keeps time and what it weighed; what it said is shown (nudges)";
const THINKING: &str = "how thinking was planned, tried and paid for; what it brought is shown (episodes)";

/// What pages do not show although an archive carries it, each with the reason.
static NOT_SHOWN: &[(&str, &str)] = &[
    ("agent_heads", HISTORY),
    ("erasures", HISTORY),
    ("events", HISTORY),
    ("memory_events", HISTORY),
    ("observation_events", HISTORY),
    ("erased_evidence", HISTORY),
    ("tombstones", HISTORY),
    ("memory_pairs", MADE_OF),
    ("mentions", MADE_OF),
    ("conversation_participants", MADE_OF),
    ("reflection_sources", MADE_OF),
    ("lesson_sources", MADE_OF),
    ("summary_sources", MADE_OF),
    ("nudge_refs", MADE_OF),
    ("knowledge_reading", READ_OUT),
    ("knowledge_slots", READ_OUT),
    ("knowledge_claims", READ_OUT),
    ("topic_days", HEART),
    ("topic_habits", HEART),
    ("deadlines", HEART),
    ("schedules", HEART),
    ("monitors", HEART),
    ("heartbeats", HEART),
    ("heartbeat_principals", HEART),
    ("heartbeat_surfaced", HEART),
    ("heartbeat_marks", HEART),
    ("receipts", HEART),
    ("deliveries", HEART),
    ("contemplations", THINKING),
    ("cycles", THINKING),
    ("work_items", THINKING),
    ("work_attempts", THINKING),
    ("tool_calls", THINKING),
    ("thinker_spend", THINKING),
    ("lesson_sightings", THINKING),
    ("learning", THINKING),
    ("care_batches", "summaries that are not written yet; those that are written are shown"),
    (
        "links",
        "neural links, by id; what came by one is shown with the memories, unless it is still being copied or taken back",
    ),
    ("link_items", "which memories came by which link, by id"),
    ("import_runs", "what was read in when; what came of it is shown (inbox)"),
    ("import_items", "hashes by which it is known what was read in before"),
];

/// What the pages leave out, table by table, and why.
pub fn left_out() -> impl Iterator<Item = (&'static str, &'static str)> {
    NOT_SHOWN.iter().chain(baggage::LEFT_OUT).copied()
}

impl Access<'_> {
    /// Everything there is to read of the agent. For the operator.
    pub fn export_markdown(&self) -> Result<Vec<Page>> {
        self.must_be_operator()?;
        let zone = self.zone()?;
        let agent = self.agent.id;
        Ok(self
            .mind
            .store
            .read(&self.caller, &[agent], |reader| readable(&zone, |table| rows_of(reader, table, agent)))?)
    }
}

/// The pages of rows, wherever those are from: `rows` gives those of a table, each as a line of an archive has it.
pub fn readable(
    zone: &Zone,
    mut rows: impl FnMut(&str) -> StoreResult<Vec<Value>>,
) -> StoreResult<Vec<Page>> {
    let hidden: BTreeSet<String> = rows("links")?
        .iter()
        .filter(|link| link["hidden"] == true)
        .map(|link| pages::text(link, "source_ref").to_owned())
        .collect();
    let is_hidden = |row: &Value| row["author"] == "link" && hidden.contains(pages::text(row, "source_ref"));
    let mut shown = |table: &str| {
        let mut rows = rows(table)?;
        rows.retain(|row| !is_hidden(row));
        Ok(rows)
    };
    pages::all(zone, &mut shown)
}

fn rows_of(reader: &mut Reader, table: &str, agent: selfsame_core::id::AgentId) -> StoreResult<Vec<Value>> {
    let table = TABLES.iter().find(|one| one.name == table);
    let table = table.ok_or_else(|| StoreError::Failed("a page of a table that is not there".into()))?;
    let mut rows = Vec::new();
    baggage::lines_of(reader, table, Some(agent), &mut |line| {
        rows.push(serde_json::from_str(line).map_err(|error| StoreError::Damaged(error.to_string()))?);
        Ok(())
    })?;
    Ok(rows)
}
