//! The tables as data: whose rows they hold, what in them may never change, in which order they are dumped.
//!
//! Migrations say how tables are made; this says what is always true of them. Both engines' guards, PostgreSQL's
//! row-level security and the tests that attack them are all rendered from this one list.

/// What the schema itself refuses.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// Columns that an UPDATE may not change.
    pub immutable: &'static [&'static str],
    /// Rows may not be deleted.
    pub keep_rows: bool,
}

/// One table.
#[derive(Clone, Copy, Debug)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// The migration that made it.
    pub since: i64,
    /// The column that says whose row it is; none for a global table.
    pub agent_column: Option<&'static str>,
    /// The primary key, in order.
    pub key: &'static [&'static str],
    /// What the schema refuses.
    pub guard: Guard,
}

const FREE: Guard = Guard { immutable: &[], keep_rows: false };

const fn global(name: &'static str, since: i64, key: &'static [&'static str]) -> Table {
    Table { name, since, agent_column: None, key, guard: FREE }
}

const fn of_agent(name: &'static str, since: i64, key: &'static [&'static str], guard: Guard) -> Table {
    Table { name, since, agent_column: Some("agent_id"), key, guard }
}

/// Every table, in an order in which rows can be inserted.
pub static TABLES: &[Table] = &[
    global("agents", 1, &["id"]),
    of_agent("agent_heads", 1, &["agent_id"], FREE),
    of_agent("entities", 1, &["agent_id", "id"], FREE),
    of_agent("principals", 1, &["agent_id", "id"], FREE),
    global("keys", 1, &["id"]),
    // Global: it holds ids and hashes only, is found by a scope that names the agent, and is swept for all at once.
    global("idempotency", 1, &["scope", "idempotency_key"]),
    of_agent(
        "memory_items",
        1,
        &["agent_id", "id"],
        Guard {
            immutable: &[
                "agent_id",
                "id",
                "content",
                "memory_type",
                "entity_id",
                "importance",
                "tags",
                "expires_at",
                "created_at",
                "author",
                "source_ref",
                "principal_id",
                "private",
                "trust",
                "content_hash",
                "row_hash",
            ],
            keep_rows: true,
        },
    ),
    of_agent("postings", 1, &["agent_id", "kind", "term", "item_id"], FREE),
    of_agent("term_stats", 1, &["agent_id", "kind", "term"], FREE),
    of_agent("corpus_stats", 1, &["agent_id", "kind"], FREE),
    of_agent("erasures", 1, &["agent_id", "id"], FREE),
    of_agent(
        "events",
        2,
        &["agent_id", "seq"],
        Guard {
            immutable: &["agent_id", "seq", "at", "actor", "act", "subject_kind", "subject_id", "hash"],
            keep_rows: true,
        },
    ),
    global("duties", 2, &["id"]),
    of_agent("tombstones", 1, &["agent_id", "item_id"], FREE),
];
