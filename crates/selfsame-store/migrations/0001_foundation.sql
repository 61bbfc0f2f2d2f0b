-- The first tables. Words in braces are translated for each engine by dialect.rs.
-- Row-level security, grants and the triggers that guard what must not change are rendered from tables.rs.

CREATE TABLE agents (
    -- One row per mind. Global: the list of agents is not a mind's own.
    id {id} NOT NULL PRIMARY KEY,
    name {text} NOT NULL UNIQUE,
    zone {text} NOT NULL,              -- IANA zone: diary dates and active hours
    operator_id {id} NOT NULL,         -- the principal whose word outranks evidence
    created_at {time} NOT NULL
){strict};

CREATE TABLE agent_heads (
    -- Writes are serial per agent: on PostgreSQL every write locks this row first.
    agent_id {id} NOT NULL PRIMARY KEY REFERENCES agents (id),
    seq {int} NOT NULL,                -- the last outbox number given out, without holes
    audit_head {bytes} NOT NULL        -- the last link of the audit chain
){strict};

CREATE TABLE entities (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('person', 'organization', 'project', 'tool', 'place', 'agent')),
    name {text} NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

CREATE TABLE principals (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    entity_id {id} NOT NULL,
    name {text} NOT NULL,
    operator {bool} NOT NULL,
    zone {text} NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, name),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entities (agent_id, id)
){strict};

CREATE TABLE keys (
    -- Global: a key is looked up before it is known whose it is.
    id {id} NOT NULL PRIMARY KEY,
    name {text} NOT NULL,
    agent_id {id} REFERENCES agents (id), -- null: every agent
    principal_id {id},                 -- in whose name or conversation it speaks
    speaks_as {text} NOT NULL CHECK (speaks_as IN ('operator', 'principal', 'agent', 'host')),
    scopes {text} NOT NULL,            -- a sorted list of read, write, admin
    secret_hash {bytes} NOT NULL,      -- the key itself is shown once and never stored
    created_at {time} NOT NULL,
    revoked_at {time},
    FOREIGN KEY (agent_id, principal_id) REFERENCES principals (agent_id, id)
){strict};

CREATE TABLE idempotency (
    -- A key is stored in the transaction of its effect: either both are there or neither.
    scope {text} NOT NULL,             -- who used the key
    idempotency_key {text} NOT NULL,
    agent_id {id} NOT NULL,            -- whose write it was; nil for a write of no agent
    request_hash {bytes} NOT NULL,
    reply {json} NOT NULL,             -- ids and words of ours, never content
    created_at {time} NOT NULL,
    PRIMARY KEY (scope, idempotency_key)
){strict};

CREATE INDEX idempotency_by_age ON idempotency (created_at);

CREATE TABLE memory_items (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    content {text} NOT NULL,
    memory_type {text} NOT NULL CHECK (memory_type IN ('identity', 'preference', 'relationship', 'knowledge', 'skill',
        'event', 'plan', 'question', 'context', 'episode', 'ephemeral', 'activity')),
    entity_id {id},                    -- whom or what it is about
    importance {real} NOT NULL CHECK (importance >= 0 AND importance <= 1),
    tags {json} NOT NULL,
    expires_at {time},                 -- a deadline
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    content_hash {bytes} NOT NULL,
    row_hash {bytes} NOT NULL,         -- the seal over all columns above
    state {text} NOT NULL CHECK (state IN ('active', 'stale', 'archived', 'resolved')),
    pinned {bool} NOT NULL,
    updated_at {time} NOT NULL,
    analyser {int} NOT NULL,           -- the version of the text analyser that indexed it
    PRIMARY KEY (agent_id, id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entities (agent_id, id),
    FOREIGN KEY (agent_id, principal_id) REFERENCES principals (agent_id, id)
){strict};

CREATE INDEX memory_items_by_hash ON memory_items (agent_id, content_hash);

CREATE TABLE postings (
    -- The lexical index: terms analysed in Rust, the same on both engines, written in the row's transaction.
    -- No foreign key: it is derived from rows that have one, and is by far the table with the most rows.
    agent_id {id} NOT NULL,
    kind {text} NOT NULL,              -- what is indexed: 'memory'
    term {text} NOT NULL,
    item_id {id} NOT NULL,
    tf {int} NOT NULL CHECK (tf > 0),
    len {int} NOT NULL,
    PRIMARY KEY (agent_id, kind, term, item_id)
){clustered};

CREATE TABLE term_stats (
    agent_id {id} NOT NULL,
    kind {text} NOT NULL,
    term {text} NOT NULL,
    df {int} NOT NULL CHECK (df >= 0),
    PRIMARY KEY (agent_id, kind, term)
){clustered};

CREATE TABLE corpus_stats (
    agent_id {id} NOT NULL,
    kind {text} NOT NULL,
    docs {int} NOT NULL CHECK (docs >= 0),
    words {int} NOT NULL CHECK (words >= 0),
    PRIMARY KEY (agent_id, kind)
){clustered};

CREATE TABLE erasures (
    -- While a row here is open, and only inside its transaction, the guards of the agent's rows stand aside.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    reason {text} NOT NULL,
    erased {int} NOT NULL,             -- how many rows went
    at {time} NOT NULL,
    open {bool} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

CREATE TABLE tombstones (
    -- That something was here and was forgotten; nothing of what it said.
    agent_id {id} NOT NULL REFERENCES agents (id),
    item_id {id} NOT NULL,
    kind {text} NOT NULL,
    erasure_id {id} NOT NULL,
    PRIMARY KEY (agent_id, item_id),
    FOREIGN KEY (agent_id, erasure_id) REFERENCES erasures (agent_id, id)
){strict};
