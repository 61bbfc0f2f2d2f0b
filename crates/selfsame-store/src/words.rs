//! Where words live: every column of text of every table, either with the item that its words belong to or with the reason
//! why nobody's words are in it.
//!
//! Forgetting is made of this list. A table that is added with a column that is not in it fails a test, so that nothing can
//! be kept where *forget* does not look. What is rendered from it: the search for words that repeat what is forgotten, the
//! check that a text is nowhere any more, and the end of a whole agent.

use crate::db::{Reader, Writer};
use crate::error::Result;
use crate::statement::{Scope, Statement};
use crate::tables::{TABLES, Table};
use crate::value::{Row, Value};
use selfsame_core::forgetting::spoken;
use selfsame_core::id::{AgentId, Id};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// What becomes of the words of a table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A row is an item of this kind, or belongs to the one that the column names: found by its words, and gone with it.
    Item(&'static str, &'static str),
    /// A row goes, or is worked out again, with the rows that it was made from; it is not looked for by itself.
    Follows,
    /// The operator's own: found, named, and left alone.
    Kept(&'static str, &'static str),
    /// There are none.
    Wordless,
}

/// A table, and its columns of text.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The table.
    pub table: &'static str,
    /// What becomes of its words.
    pub fate: Fate,
    /// Columns in which people's or a thinker's words are.
    pub words: &'static [&'static str],
    /// Columns in which they are not, by the reason.
    pub ours: &'static [(&'static str, &'static [&'static str])],
}

/// A word out of a list that is in the code.
const LISTED: &str = "a word of a list of ours";
/// Something like `operator` or `principal:pri_...`.
const WHO: &str = "who did it, by kind and id";
const ID: &str = "an id";
const TIME: &str = "a time, a day or a zone";
/// Why something did not work, in our words and numbers.
const REASON: &str = "a reason in words of ours";
const NAME: &str = "the name of something in the settings";

const fn wordless(table: &'static str, ours: &'static [(&'static str, &'static [&'static str])]) -> Place {
    Place { table, fate: Fate::Wordless, words: &[], ours }
}

const fn item(
    table: &'static str,
    fate: Fate,
    words: &'static [&'static str],
    ours: &'static [(&'static str, &'static [&'static str])],
) -> Place {
    Place { table, fate, words, ours }
}

/// Every table, in the order of [`TABLES`].
pub static PLACES: &[Place] = &[
    item("agents", Fate::Follows, &["name", "home", "location"], &[(TIME, &["zone"])]),
    wordless("agent_heads", &[]),
    item(
        "entities",
        Fate::Item("profile", "id"),
        &["name", "profile_summary"],
        &[(LISTED, &["kind"]), (WHO, &["profile_by"]), (ID, &["profile_sources"])],
    ),
    item("principals", Fate::Follows, &["name"], &[(TIME, &["zone"])]),
    wordless("keys", &[("what its maker called a key", &["name"]), (LISTED, &["speaks_as", "scopes"])]),
    wordless(
        "idempotency",
        &[
            (WHO, &["scope"]),
            ("a token that the caller made", &["idempotency_key"]),
            ("ids and words of ours", &["reply"]),
        ],
    ),
    item(
        "memory_items",
        Fate::Item("memory", "id"),
        &["content", "tags", "source_ref", "feeling"],
        &[(LISTED, &["memory_type", "author", "state"])],
    ),
    item("postings", Fate::Follows, &["term"], &[(LISTED, &["kind"])]),
    item("term_stats", Fate::Follows, &["term"], &[(LISTED, &["kind"])]),
    wordless("corpus_stats", &[(LISTED, &["kind"])]),
    wordless("indexed_texts", &[(LISTED, &["kind"])]),
    wordless("threads", &[(LISTED, &["kind"])]),
    wordless("embedding_models", &[(NAME, &["model"])]),
    // A vector is a copy of its text: who has the model can guess much of it back. It goes with its row.
    wordless("vectors", &[(LISTED, &["kind"])]),
    wordless("vector_codes", &[(LISTED, &["kind"])]),
    wordless("vector_stock", &[(LISTED, &["kind"])]),
    wordless("vector_use", &[]),
    wordless("erasures", &[(REASON, &["reason"])]),
    wordless("events", &[(WHO, &["actor"]), (LISTED, &["act", "subject_kind"])]),
    wordless(
        "duties",
        &[
            (LISTED, &["kind", "state"]),
            (ID, &["scope"]),
            (TIME, &["rhythm", "done_spans"]),
            (REASON, &["last_error"]),
        ],
    ),
    wordless("memory_events", &[(LISTED, &["state", "reason"])]),
    item("memory_sources", Fate::Item("memory", "memory_id"), &["source_ref"], &[(LISTED, &["author"])]),
    wordless("memory_pairs", &[(LISTED, &["how"])]),
    wordless("monitors", &[]),
    item("entity_names", Fate::Follows, &["name_key", "name"], &[]),
    wordless("mentions", &[(LISTED, &["item_kind"])]),
    item(
        "relationships",
        Fate::Item("relationship", "entity_id"),
        &["relationship_type", "emotional_tone", "rationale", "relationship_notes"],
        &[],
    ),
    item(
        "relationship_history",
        Fate::Item("relationship", "entity_id"),
        &["old_type", "new_type", "old_tone", "new_tone", "rationale", "source_ref"],
        &[(LISTED, &["author"])],
    ),
    item(
        "soul_entries",
        Fate::Kept("soul", "id"),
        &["content", "reason", "source_ref", "removed_reason"],
        &[(LISTED, &["kind", "author"]), (WHO, &["removed_by"])],
    ),
    item(
        "diary_entries",
        Fate::Item("diary", "id"),
        &["content", "mood", "location", "detail", "source_ref"],
        &[(TIME, &["day"]), (LISTED, &["author"])],
    ),
    item("conversations", Fate::Item("title", "id"), &["title", "channel"], &[]),
    wordless("conversation_participants", &[]),
    item(
        "messages",
        Fate::Item("message", "id"),
        &["content", "source_ref"],
        &[(LISTED, &["role", "author"])],
    ),
    item(
        "inbox_candidates",
        Fate::Item("candidate", "id"),
        &["content", "source_ref", "decision_reason"],
        &[(LISTED, &["candidate_type", "cue", "memory_type", "author", "status"]), (WHO, &["decided_by"])],
    ),
    item(
        "todos",
        Fate::Item("todo", "id"),
        &["title", "description", "source_ref"],
        &[(LISTED, &["author", "priority", "status"])],
    ),
    item(
        "calendar_events",
        Fate::Item("calendar", "id"),
        &["title", "description", "location", "source_ref", "removed_reason"],
        &[(TIME, &["starts", "ends", "zone", "recurrence"]), (LISTED, &["author"])],
    ),
    wordless("calendar_exceptions", &[(TIME, &["starts"])]),
    item("reflections", Fate::Item("reflection", "id"), &["content", "source_ref"], &[(LISTED, &["author"])]),
    wordless("reflection_sources", &[(LISTED, &["item_kind"])]),
    item(
        "lessons",
        Fate::Item("lesson", "id"),
        &["context", "action", "outcome", "lesson", "correction", "tags", "tools", "source_ref"],
        &[(LISTED, &["lesson_type", "author"])],
    ),
    wordless("lesson_sources", &[(LISTED, &["item_kind"])]),
    wordless("knowledge_reading", &[]),
    item("knowledge_slots", Fate::Follows, &["name", "joins"], &[]),
    item(
        "knowledge_claims",
        Fate::Follows,
        &["canonical_key", "value", "replaces", "sentence"],
        &[(LISTED, &["source_sort", "says", "reader", "voucher"])],
    ),
    item(
        "knowledge_observations",
        Fate::Item("observation", "id"),
        &["canonical_key", "value", "summary", "detail", "tags", "phrasing", "source_ref"],
        &[
            (LISTED, &["kind", "subject_type", "status", "author"]),
            (ID, &["subject_id"]),
            ("numbers", &["confidence_components"]),
        ],
    ),
    item("observation_evidence", Fate::Follows, &["excerpt"], &[(LISTED, &["stance"])]),
    wordless("observation_events", &[(LISTED, &["from_status", "to_status", "reason"])]),
    item("knowledge_conflicts", Fate::Follows, &["rival"], &[(LISTED, &["settled_how"])]),
    wordless("erased_evidence", &[(LISTED, &["source_sort", "stance"])]),
    wordless("tombstones", &[(LISTED, &["kind"])]),
    wordless("topic_days", &[]),
    wordless("topic_habits", &[]),
    wordless("deadlines", &[(LISTED, &["told", "outcome"])]),
    wordless(
        "schedules",
        &[(LISTED, &["source_kind", "last_outcome", "ended_how"]), (TIME, &["spec", "zone"])],
    ),
    wordless("heartbeats", &[(REASON, &["last_error"])]),
    wordless("heartbeat_pauses", &[]),
    wordless("heartbeat_principals", &[(LISTED, &["autonomy"]), (NAME, &["channels"])]),
    wordless("heartbeat_surfaced", &[]),
    wordless("heartbeat_marks", &[(LISTED, &["sort", "status"])]),
    wordless(
        "receipts",
        &[
            (LISTED, &["verdict", "step", "reason", "next_why"]),
            ("ids, counts and words of ours", &["inputs", "outcome"]),
        ],
    ),
    item(
        "nudges",
        Fate::Item("nudge", "id"),
        &["what", "why", "actions", "phrasing"],
        &[(LISTED, &["autonomy", "kind", "urgency", "state"]), (NAME, &["delivered_by"]), (ID, &["answer"])],
    ),
    wordless("nudge_refs", &[(LISTED, &["ref_kind", "status"]), (NAME, &["signal"])]),
    wordless("deliveries", &[(NAME, &["channel"]), (LISTED, &["state"]), (REASON, &["last_error"])]),
    item("agent_documents", Fate::Kept("document", "agent_id"), &["content"], &[(NAME, &["name"])]),
    wordless("contemplations", &[("hashes", &["signatures"]), ("numbers", &["drawn"])]),
    wordless("cycles", &[(LISTED, &["outcome", "cause"]), (REASON, &["reason"])]),
    item(
        "episodes",
        Fate::Item("episode", "id"),
        &["body", "said", "tools", "source_ref"],
        &[
            (LISTED, &["episode_type", "parse", "repairs", "author"]),
            (REASON, &["why_not"]),
            (NAME, &["thinker", "model"]),
        ],
    ),
    wordless(
        "work_items",
        &[
            (LISTED, &["kind", "state"]),
            (NAME, &["thinker"]),
            (ID, &["about", "quoted"]),
            (REASON, &["reason"]),
        ],
    ),
    wordless(
        "work_attempts",
        &[(NAME, &["thinker", "model"]), (LISTED, &["outcome"]), (REASON, &["reason"])],
    ),
    wordless("tool_calls", &[(NAME, &["tool"]), (LISTED, &["class", "outcome"]), (REASON, &["reason"])]),
    wordless("thinker_spend", &[(TIME, &["day"])]),
    wordless("lesson_sightings", &[(TIME, &["day"])]),
    wordless("learning", &[(TIME, &["reflected_on"])]),
    item(
        "character_memory_summaries",
        Fate::Item("summary", "id"),
        &["focus", "themes", "content", "source_ref"],
        &[(LISTED, &["written_by", "author"])],
    ),
    item(
        "conversation_summaries",
        Fate::Item("summary", "id"),
        &["content", "facts", "source_ref"],
        &[(LISTED, &["written_by", "author"])],
    ),
    wordless("summary_sources", &[(LISTED, &["item_kind"])]),
    item(
        "care_batches",
        Fate::Item("batch", "id"),
        &["what", "focus", "draft"],
        &[(LISTED, &["phase", "written_by"]), (ID, &["sources"])],
    ),
    item("import_runs", Fate::Item("run", "id"), &["source"], &[(LISTED, &["format"])]),
    wordless("import_items", &[]),
    wordless("house", &[(LISTED, &["name"]), ("where the house moved to", &["value"])]),
    wordless("links", &[(LISTED, &["side", "state"]), (ID, &["source_ref"])]),
    wordless("link_items", &[]),
    wordless(
        "erasure_proofs",
        &[(WHO, &["actor"]), (LISTED, &["how"]), ("numbers by kind", &["removed", "rewritten"])],
    ),
];

/// The places that have words.
pub fn with_words() -> impl Iterator<Item = &'static Place> {
    PLACES.iter().filter(|place| !place.words.is_empty())
}

/// The tables that forgetting leaves dead rows in.
pub(crate) fn to_be_vacuumed() -> Vec<&'static str> {
    let beside = ["vectors", "indexed_texts", "erased_evidence", "work_items"];
    with_words().map(|place| place.table).chain(beside).collect()
}

/// The item whose words a row has, where it is one's, and the words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Said {
    /// Whose.
    pub item: Option<Id>,
    /// What its columns say, each on a line of its own.
    pub words: String,
}

/// The rows of a place, an agent's, whose words are wanted. Goes through all of them: forgetting is
/// rare, and must miss none.
pub fn search(
    reader: &mut Reader,
    agent: AgentId,
    place: &'static Place,
    mut is_wanted: impl FnMut(&str) -> bool,
) -> Result<Vec<Said>> {
    let mut found = Vec::new();
    for Row(values) in rows_of(reader, agent, place)? {
        let mut values = values.into_iter();
        let item = match values.next() {
            Some(Value::Id(id)) => Some(id),
            Some(Value::Bytes(bytes)) => <[u8; 16]>::try_from(bytes).ok().map(Id::from_bytes),
            _ => None,
        };
        let texts: Vec<String> = values
            .filter_map(|value| match value {
                Value::Text(text) | Value::Json(text) => Some(spoken(&text).into_owned()),
                _ => None,
            })
            .collect();
        let words = texts.join("\n");
        if is_wanted(&words) {
            found.push(Said { item, words });
        }
    }
    Ok(found)
}

fn rows_of(reader: &mut Reader, agent: AgentId, place: &'static Place) -> Result<Vec<Row>> {
    let statement = select(place);
    match statement.scope {
        Scope::Agent => reader.rows(statement, agent, &[]),
        Scope::Global => reader.global_rows(statement, &[Value::Id(agent.id())]),
    }
}

/// Deletes every row of an agent, in all tables; says how many of each. An erasure must be open: it goes last.
pub fn wipe(writer: &mut Writer, agent: AgentId) -> Result<BTreeMap<&'static str, u64>> {
    // What the guards ask goes when there is nothing left to guard, and the proofs stay.
    const LAST: [&str; 4] = ["tombstones", "erasures", "agent_heads", "agents"];
    let mut gone = BTreeMap::new();
    let table = |name: &str| TABLES.iter().find(|table| table.name == name);
    let first =
        TABLES.iter().rev().filter(|table| !LAST.contains(&table.name) && table.name != "erasure_proofs");
    for table in first.chain(LAST.into_iter().filter_map(table)) {
        let Some(statement) = delete(table) else { continue };
        let count = match statement.scope {
            Scope::Agent => writer.execute(statement, agent, &[])?,
            Scope::Global => writer.global_execute(statement, &[Value::Id(agent.id())])?,
        };
        if count > 0 {
            gone.insert(table.name, count);
        }
    }
    Ok(gone)
}

/// How many rows an agent has in each table, where it has any.
pub fn count_all(reader: &mut Reader, agent: AgentId) -> Result<BTreeMap<&'static str, u64>> {
    let mut counts = BTreeMap::new();
    for table in TABLES.iter().filter(|table| table.name != "erasure_proofs") {
        let Some(statement) = count(table) else { continue };
        let rows = match statement.scope {
            Scope::Agent => reader.rows(statement, agent, &[])?,
            Scope::Global => reader.global_rows(statement, &[Value::Id(agent.id())])?,
        };
        let count = rows.into_iter().next().map_or(Ok(0), |row| row.fields().count())?;
        if count > 0 {
            counts.insert(table.name, count);
        }
    }
    Ok(counts)
}

/// The column that says whose row it is, also where the table is no agent's.
fn owner_column(table: &Table) -> Option<&'static str> {
    match table.name {
        "agents" => Some("id"),
        "keys" | "idempotency" | "duties" | "heartbeats" | "contemplations" | "work_items" => {
            Some("agent_id")
        }
        _ => table.agent_column,
    }
}

fn select(place: &'static Place) -> &'static Statement {
    let table = TABLES.iter().find(|table| table.name == place.table);
    let is_agents = table.is_some_and(|table| table.agent_column.is_some());
    made(place.table, "select", is_agents, || {
        let of = match place.fate {
            Fate::Item(_, column) | Fate::Kept(_, column) => column,
            Fate::Follows | Fate::Wordless => "NULL",
        };
        let column = table.and_then(owner_column).unwrap_or("agent_id");
        format!("SELECT {of}, {} FROM {} WHERE {column} = $1", place.words.join(", "), place.table)
    })
}

fn delete(table: &'static Table) -> Option<&'static Statement> {
    let column = owner_column(table)?;
    let text = || format!("DELETE FROM {} WHERE {column} = $1", table.name);
    Some(made(table.name, "delete", table.agent_column.is_some(), text))
}

fn count(table: &'static Table) -> Option<&'static Statement> {
    let column = owner_column(table)?;
    let text = || format!("SELECT COUNT(*) FROM {} WHERE {column} = $1", table.name);
    Some(made(table.name, "count", table.agent_column.is_some(), text))
}

/// Every statement that is made from the list, for the test that prepares them.
pub(crate) fn statements() -> Vec<&'static Statement> {
    let selects = with_words().map(select);
    selects.chain(TABLES.iter().filter_map(delete)).chain(TABLES.iter().filter_map(count)).collect()
}

/// Made from our own lists, kept for the life of the program.
fn made(
    table: &'static str,
    sort: &'static str,
    is_agents: bool,
    text: impl FnOnce() -> String,
) -> &'static Statement {
    static MADE: Mutex<BTreeMap<(&str, &str), &Statement>> = Mutex::new(BTreeMap::new());
    let mut made = MADE.lock().unwrap_or_else(PoisonError::into_inner);
    made.entry((table, sort)).or_insert_with(|| {
        let scope = if is_agents { Scope::Agent } else { Scope::Global };
        Box::leak(Box::new(Statement::new(table, scope, text().leak())))
    })
}
