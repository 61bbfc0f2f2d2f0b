//! The tables as data: whose rows they hold, what in them may never change, in which order they are dumped.
//!
//! Migrations say how tables are made; this says what is always true of them. Both engines' guards, PostgreSQL's
//! row-level security and the tests that attack them are all rendered from this one list.

/// What the schema itself refuses.
#[derive(Clone, Copy, Debug)]
pub struct Guard {
    /// Columns that an UPDATE may not change, by the migration that made them.
    pub immutable: &'static [(i64, &'static [&'static str])],
    /// Columns that may be filled once, and then not change, by the migration that made them.
    pub once: &'static [(i64, &'static [&'static str])],
    /// Rows may not be deleted.
    pub keep_rows: bool,
}

impl Guard {
    /// The columns that may not change, of those that a schema version has.
    pub fn immutable_at(&self, version: i64) -> impl Iterator<Item = &'static str> {
        known_at(self.immutable, version)
    }

    /// The columns that may be filled once, of those that a schema version has.
    pub fn once_at(&self, version: i64) -> impl Iterator<Item = &'static str> {
        known_at(self.once, version)
    }

    /// With columns that may be filled once.
    const fn once(self, once: &'static [(i64, &'static [&'static str])]) -> Guard {
        Guard { once, ..self }
    }
}

fn known_at(
    columns: &'static [(i64, &'static [&'static str])],
    version: i64,
) -> impl Iterator<Item = &'static str> {
    let known = columns.iter().filter(move |(since, _)| *since <= version);
    known.flat_map(|(_, columns)| columns.iter().copied())
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

/// Where a row comes from, and the seal over it.
const PROVENANCE: &[&str] = &["author", "source_ref", "principal_id", "private", "trust", "row_hash"];

const FREE: Guard = Guard { immutable: &[], once: &[], keep_rows: false };

/// Nothing in it changes and nothing goes: a history.
const fn history(immutable: &'static [(i64, &'static [&'static str])]) -> Guard {
    Guard { immutable, once: &[], keep_rows: true }
}

/// It may go, and what is listed may not change while it is there.
const fn fixed(immutable: &'static [(i64, &'static [&'static str])]) -> Guard {
    Guard { immutable, once: &[], keep_rows: false }
}

const fn global(name: &'static str, since: i64, key: &'static [&'static str]) -> Table {
    Table { name, since, agent_column: None, key, guard: FREE }
}

const fn of_agent(name: &'static str, since: i64, key: &'static [&'static str], guard: Guard) -> Table {
    Table { name, since, agent_column: Some("agent_id"), key, guard }
}

/// What the operator's own signals may read. Each shows `agent_id` and leaves out what feeds no signal.
pub static VIEWS: &[&str] =
    &["signal_memories", "signal_conversations", "signal_todos", "signal_entities", "signal_observations"];

/// The archive under the names that people look for: what was put away stays where it was.
pub static ARCHIVE_VIEWS: &[&str] = &["archived_memories", "archived_conversations"];

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
        history(&[
            (
                1,
                &[
                    "agent_id",
                    "id",
                    "content",
                    "memory_type",
                    "entity_id",
                    "importance",
                    "tags",
                    "expires_at",
                ],
            ),
            (
                1,
                &[
                    "created_at",
                    "author",
                    "source_ref",
                    "principal_id",
                    "private",
                    "trust",
                    "content_hash",
                    "row_hash",
                ],
            ),
            (3, &["valence", "arousal", "feeling", "goal_id", "answers_id", "resolves_id", "replaces_id"]),
            (8, &["serves_id"]),
        ]),
    ),
    of_agent("postings", 1, &["agent_id", "kind", "term", "block"], FREE),
    of_agent("term_stats", 1, &["agent_id", "kind", "term"], FREE),
    of_agent("corpus_stats", 1, &["agent_id", "kind"], FREE),
    of_agent("indexed_texts", 4, &["agent_id", "kind", "spot"], FREE),
    of_agent("threads", 4, &["agent_id", "kind", "source_id"], FREE),
    global("embedding_models", 6, &["generation"]),
    of_agent("vectors", 6, &["agent_id", "generation", "kind", "item_id"], FREE),
    of_agent("vector_codes", 6, &["agent_id", "generation", "kind", "seq"], FREE),
    of_agent("vector_stock", 6, &["agent_id", "generation", "kind"], FREE),
    of_agent("vector_use", 6, &["agent_id"], FREE),
    of_agent("erasures", 1, &["agent_id", "id"], FREE),
    of_agent(
        "events",
        2,
        &["agent_id", "seq"],
        history(&[(2, &["agent_id", "seq", "at", "actor", "act", "subject_kind", "subject_id", "hash"])]),
    ),
    global("duties", 2, &["id"]),
    of_agent(
        "memory_events",
        3,
        &["agent_id", "memory_id", "at", "reason"],
        history(&[(3, &["agent_id", "memory_id", "at", "state", "reason"])]),
    ),
    of_agent(
        "memory_sources",
        3,
        &["agent_id", "memory_id", "source_key"],
        history(&[(
            3,
            &["agent_id", "memory_id", "source_key", "author", "source_ref", "principal_id", "link_id", "at"],
        )]),
    ),
    of_agent(
        "memory_pairs",
        3,
        &["agent_id", "memory_id", "other_id"],
        history(&[(3, &["agent_id", "memory_id", "other_id", "how", "found_at"])]),
    ),
    of_agent("monitors", 3, &["agent_id", "memory_id"], FREE),
    of_agent("entity_names", 3, &["agent_id", "name_key", "entity_id"], FREE),
    of_agent("mentions", 3, &["agent_id", "entity_id", "item_kind", "item_id"], FREE),
    of_agent(
        "relationships",
        3,
        &["agent_id", "entity_id"],
        fixed(&[(3, &["agent_id", "entity_id", "first_met_at"])]),
    ),
    of_agent(
        "relationship_history",
        3,
        &["agent_id", "id"],
        history(&[
            (
                3,
                &[
                    "agent_id",
                    "id",
                    "entity_id",
                    "old_type",
                    "new_type",
                    "old_trust",
                    "new_trust",
                    "old_tone",
                ],
            ),
            (3, &["new_tone", "rationale", "created_at"]),
            (3, PROVENANCE),
        ]),
    ),
    of_agent(
        "soul_entries",
        3,
        &["agent_id", "id"],
        history(&[(3, &["agent_id", "id", "kind", "content", "reason", "created_at"]), (3, PROVENANCE)]),
    ),
    of_agent(
        "diary_entries",
        3,
        &["agent_id", "id"],
        history(&[
            (3, &["agent_id", "id", "day", "ordinal", "content", "mood", "location", "detail", "created_at"]),
            (3, PROVENANCE),
        ]),
    ),
    of_agent(
        "conversations",
        3,
        &["agent_id", "id"],
        history(&[(3, &["agent_id", "id", "principal_id", "started_at"])]),
    ),
    of_agent("conversation_participants", 3, &["agent_id", "conversation_id", "entity_id"], FREE),
    of_agent(
        "messages",
        3,
        &["agent_id", "id"],
        history(&[
            (3, &["agent_id", "id", "conversation_id", "seq", "role", "speaker_id", "content", "created_at"]),
            (3, PROVENANCE),
        ]),
    ),
    of_agent(
        "inbox_candidates",
        3,
        &["agent_id", "id"],
        history(&[
            (3, &["agent_id", "id", "candidate_type", "content", "text_hash", "confidence", "cue"]),
            (3, &["conversation_id", "message_id", "memory_type", "importance", "entity_id", "created_at"]),
            (3, PROVENANCE),
        ]),
    ),
    of_agent(
        "todos",
        3,
        &["agent_id", "id"],
        history(&[(3, &["agent_id", "id", "title", "description", "created_at"]), (3, PROVENANCE)]),
    ),
    of_agent(
        "calendar_events",
        3,
        &["agent_id", "id"],
        history(&[
            (
                3,
                &[
                    "agent_id",
                    "id",
                    "title",
                    "description",
                    "location",
                    "starts",
                    "ends",
                    "zone",
                    "recurrence",
                ],
            ),
            (3, &["created_at"]),
            (3, PROVENANCE),
        ]),
    ),
    of_agent("calendar_exceptions", 3, &["agent_id", "event_id", "starts"], FREE),
    of_agent(
        "reflections",
        3,
        &["agent_id", "id"],
        history(&[(3, &["agent_id", "id", "from_at", "until_at", "content", "created_at"]), (3, PROVENANCE)]),
    ),
    of_agent("reflection_sources", 3, &["agent_id", "reflection_id", "item_kind", "item_id"], FREE),
    of_agent(
        "lessons",
        3,
        &["agent_id", "id"],
        history(&[
            (3, &["agent_id", "id", "lesson_type", "context", "action", "outcome", "lesson", "correction"]),
            (3, &["tags", "tools", "created_at"]),
            (3, PROVENANCE),
        ]),
    ),
    of_agent("lesson_sources", 3, &["agent_id", "lesson_id", "item_kind", "item_id"], FREE),
    of_agent("knowledge_reading", 7, &["agent_id"], FREE),
    of_agent("knowledge_slots", 7, &["agent_id", "name"], FREE),
    of_agent("knowledge_claims", 7, &["agent_id", "canonical_key", "seq"], FREE),
    of_agent(
        "knowledge_observations",
        7,
        &["agent_id", "id"],
        history(&[
            (
                7,
                &[
                    "agent_id",
                    "id",
                    "kind",
                    "subject_type",
                    "subject_id",
                    "canonical_key",
                    "value",
                    "summary",
                ],
            ),
            (7, &["detail", "tags", "supersedes_observation_id", "created_at"]),
            (7, PROVENANCE),
        ])
        .once(&[(7, &["phrasing"])]),
    ),
    of_agent(
        "observation_evidence",
        7,
        &["agent_id", "observation_id", "id"],
        history(&[
            (
                7,
                &["agent_id", "observation_id", "id", "memory_id", "lesson_id", "reflection_id", "entity_id"],
            ),
            (7, &["stance", "weight", "origins", "confirms", "excerpt", "source_created_at", "created_at"]),
        ])
        .once(&[(7, &["withdrawn_at"])]),
    ),
    of_agent(
        "observation_events",
        7,
        &["agent_id", "observation_id", "seq"],
        history(&[(
            7,
            &["agent_id", "observation_id", "seq", "at", "from_status", "to_status", "confidence", "reason"],
        )]),
    ),
    of_agent(
        "knowledge_conflicts",
        7,
        &["agent_id", "id"],
        history(&[(7, &["agent_id", "id", "observation_id", "rival", "raised_at"])]),
    ),
    of_agent(
        "erased_evidence",
        7,
        &["agent_id", "observation_id", "id"],
        history(&[
            (
                7,
                &[
                    "agent_id",
                    "observation_id",
                    "id",
                    "source_sort",
                    "source_id",
                    "stance",
                    "source_created_at",
                ],
            ),
            (7, &["excerpt_hash", "erased_at"]),
        ]),
    ),
    of_agent("tombstones", 1, &["agent_id", "item_id"], FREE),
    of_agent("topic_days", 8, &["agent_id", "serves_id", "topic_id", "week", "weekday"], FREE),
    of_agent("topic_habits", 8, &["agent_id", "serves_id", "topic_id", "weekday"], FREE),
    of_agent(
        "deadlines",
        8,
        &["agent_id", "memory_id"],
        fixed(&[(8, &["agent_id", "memory_id", "serves_id", "due_at"])]),
    ),
    of_agent(
        "schedules",
        8,
        &["agent_id", "id"],
        fixed(&[(8, &["agent_id", "id", "source_kind", "serves_id", "spec", "created_at"])]),
    ),
    // Global: the scheduler looks for whose heart is to beat before it knows whose it is.
    global("heartbeats", 8, &["agent_id", "principal_id"]),
    global("heartbeat_pauses", 8, &["id"]),
    of_agent("heartbeat_principals", 8, &["agent_id", "principal_id"], FREE),
    of_agent("heartbeat_surfaced", 8, &["agent_id", "principal_id", "topic_id"], FREE),
    of_agent("heartbeat_marks", 8, &["agent_id", "principal_id", "sort", "ref_id"], FREE),
    of_agent(
        "receipts",
        8,
        &["agent_id", "id"],
        fixed(&[
            (8, &["agent_id", "id", "principal_id", "first_at", "verdict", "step", "reason", "sameness"]),
            (8, &["inputs", "outcome", "tokens", "settings_hash"]),
        ]),
    ),
    of_agent(
        "nudges",
        8,
        &["agent_id", "id"],
        history(&[
            (8, &["agent_id", "id", "principal_id", "receipt_id", "autonomy", "kind", "urgency", "what"]),
            (8, &["why", "actions", "quiet", "created_at", "grace_until"]),
        ])
        .once(&[(8, &["phrasing", "delivered_at", "delivered_by"])]),
    ),
    of_agent(
        "nudge_refs",
        8,
        &["agent_id", "nudge_id", "ref_kind", "ref_id", "signal"],
        history(&[(8, &["agent_id", "nudge_id", "ref_kind", "ref_id", "signal", "status", "due_at"])]),
    ),
    of_agent(
        "deliveries",
        8,
        &["agent_id", "nudge_id", "channel"],
        fixed(&[(8, &["agent_id", "nudge_id", "channel"])]),
    ),
    of_agent("agent_documents", 9, &["agent_id", "name"], FREE),
    // Global: the scheduler looks for who is to think before it knows whose time it is.
    global("contemplations", 9, &["agent_id"]),
    of_agent("cycles", 9, &["agent_id", "id"], history(&[(9, &["agent_id", "id", "began_at", "cause"])])),
    of_agent(
        "episodes",
        9,
        &["agent_id", "id"],
        history(&[
            (
                9,
                &[
                    "agent_id",
                    "id",
                    "cycle_id",
                    "memory_id",
                    "episode_type",
                    "body",
                    "said",
                    "parse",
                    "repairs",
                ],
            ),
            (
                9,
                &["successful", "why_not", "thinker", "model", "tokens_spent", "millis", "seed", "signature"],
            ),
            (9, &["began_at", "created_at"]),
            (9, PROVENANCE),
        ]),
    ),
    // Global: lanes look for work before they know whose it is.
    global("work_items", 9, &["agent_id", "id"]),
    of_agent(
        "work_attempts",
        9,
        &["agent_id", "work_id", "attempt"],
        history(&[(9, &["agent_id", "work_id", "attempt", "thinker", "began_at"])]),
    ),
    of_agent(
        "tool_calls",
        9,
        &["agent_id", "id"],
        history(&[
            (9, &["agent_id", "id", "work_id", "tool", "class", "arguments_hash", "began_at", "ended_at"]),
            (9, &["outcome", "reason"]),
        ]),
    ),
    of_agent("thinker_spend", 9, &["agent_id", "day"], FREE),
    of_agent("lesson_sightings", 9, &["agent_id", "lesson_id", "episode_id"], FREE),
    of_agent("learning", 9, &["agent_id"], FREE),
    of_agent(
        "character_memory_summaries",
        11,
        &["agent_id", "id"],
        history(&[
            (11, &["agent_id", "id", "focus", "themes", "content", "written_by", "memories", "depth"]),
            (11, &["from_at", "until_at", "created_at"]),
            (11, PROVENANCE),
        ])
        .once(&[(11, &["folded_into"])]),
    ),
    of_agent(
        "conversation_summaries",
        11,
        &["agent_id", "id"],
        history(&[
            (11, &["agent_id", "id", "counterpart_id", "content", "facts", "written_by", "messages"]),
            (11, &["from_at", "until_at", "created_at"]),
            (11, PROVENANCE),
        ])
        .once(&[(11, &["folded_into"])]),
    ),
    of_agent("summary_sources", 11, &["agent_id", "summary_id", "item_kind", "item_id"], FREE),
    of_agent("care_batches", 11, &["agent_id", "id"], FREE),
    of_agent(
        "links",
        12,
        &["agent_id", "id"],
        history(&[(12, &["agent_id", "id", "side", "other_id", "source_ref", "requested_at", "expires_at"])]),
    ),
    of_agent("link_items", 12, &["agent_id", "link_id", "origin_id"], FREE),
    of_agent(
        "import_runs",
        14,
        &["agent_id", "id"],
        fixed(&[(14, &["agent_id", "id", "format", "source", "at"])]),
    ),
    of_agent("import_items", 14, &["agent_id", "item_key"], FREE),
    global("house", 14, &["name"]),
    // Global: the proof of an agent that was forgotten whole outlives it.
    global("erasure_proofs", 13, &["agent_id", "erasure_id"]),
];
