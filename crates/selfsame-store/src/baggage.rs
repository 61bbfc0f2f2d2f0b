//! What goes along when a mind leaves in an archive, and what stays behind for which reason. Every table is in one of the
//! two lists: who adds one decides.

pub use crate::copy::{Passed, count_of, lines_of, owner_of, put_lines};

use crate::tables::{TABLES, Table};

/// The tables whose rows an archive carries.
pub static CARRIED: &[&str] = &[
    "agents",
    "agent_heads",
    "entities",
    "principals",
    "memory_items",
    "erasures",
    "events",
    "memory_events",
    "memory_sources",
    "memory_pairs",
    "monitors",
    "entity_names",
    "mentions",
    "relationships",
    "relationship_history",
    "soul_entries",
    "diary_entries",
    "conversations",
    "conversation_participants",
    "messages",
    "inbox_candidates",
    "todos",
    "calendar_events",
    "calendar_exceptions",
    "reflections",
    "reflection_sources",
    "lessons",
    "lesson_sources",
    "knowledge_reading",
    "knowledge_slots",
    "knowledge_claims",
    "knowledge_observations",
    "observation_evidence",
    "observation_events",
    "knowledge_conflicts",
    "erased_evidence",
    "tombstones",
    "topic_days",
    "topic_habits",
    "deadlines",
    "schedules",
    "heartbeats",
    "heartbeat_principals",
    "heartbeat_surfaced",
    "heartbeat_marks",
    "receipts",
    "nudges",
    "nudge_refs",
    "deliveries",
    "agent_documents",
    "contemplations",
    "cycles",
    "episodes",
    "work_items",
    "work_attempts",
    "tool_calls",
    "thinker_spend",
    "lesson_sightings",
    "learning",
    "character_memory_summaries",
    "conversation_summaries",
    "summary_sources",
    "care_batches",
    "links",
    "link_items",
    "import_runs",
    "import_items",
];

const INDEX: &str = "part of the index of words: built anew from the rows when they are read in";
const VECTORS: &str =
    "what texts mean, as numbers of one model: made anew by the model of the house that reads it in";

/// The tables that an archive leaves out, each with the reason.
pub static LEFT_OUT: &[(&str, &str)] = &[
    ("keys", "keys open doors of this house; another house makes its own"),
    ("idempotency", "replies to requests that may be repeated here, within a day or two"),
    ("postings", INDEX),
    ("term_stats", INDEX),
    ("corpus_stats", INDEX),
    ("indexed_texts", INDEX),
    ("threads", INDEX),
    ("embedding_models", VECTORS),
    ("vectors", VECTORS),
    ("vector_codes", VECTORS),
    ("vector_stock", VECTORS),
    ("vector_use", VECTORS),
    ("duties", "background work of this house with its leases; another house plans its own"),
    ("heartbeat_pauses", "that all hearts of this house are silent; it is the house's, not an agent's"),
    ("erasure_proofs", "proofs stay with the ledger of the house in which something was forgotten"),
    ("house", "whether this house moved, and where to"),
];

/// The tables that are carried, in an order in which rows can be put.
pub fn carried() -> impl Iterator<Item = &'static Table> {
    TABLES.iter().filter(|table| CARRIED.contains(&table.name))
}
