-- What an agent believes, and why. Claims are read out of memories, lessons, reflections and profiles; observations are
-- formed from them, and cite as evidence nothing but those four.

CREATE TABLE knowledge_reading (
    -- How far an agent's log has been read for claims.
    agent_id {id} NOT NULL REFERENCES agents (id),
    read_seq {int} NOT NULL,           -- the last event that was read
    next_seq {int} NOT NULL,           -- of claims and of changes of belief: one order for both
    PRIMARY KEY (agent_id)
){strict};

CREATE TABLE knowledge_slots (
    -- The questions that an agent's claims answer, beside those that are known from the start.
    agent_id {id} NOT NULL REFERENCES agents (id),
    name {text} NOT NULL,
    ordinal {int} NOT NULL,
    joins {text},                      -- the slot that it turned out to be
    many {bool} NOT NULL,              -- values coexist in it
    created_at {time} NOT NULL,
    PRIMARY KEY (agent_id, name),
    UNIQUE (agent_id, ordinal)
){strict};

CREATE TABLE knowledge_claims (
    -- What was said of a question, in the order in which it was read. No foreign key: most are derived from rows that
    -- have one; what is withdrawn stays, so that it is not read again.
    agent_id {id} NOT NULL,
    canonical_key {text} NOT NULL,
    seq {int} NOT NULL,
    source_sort {text} NOT NULL,       -- 'memory', 'lesson', 'reflection', 'entity'
    source_id {id} NOT NULL,
    value {text} NOT NULL,             -- as it is compared
    says {text} NOT NULL,              -- 'holds', 'denies', 'touches'
    replaces {text},                   -- the value that it takes the place of
    sentence {text} NOT NULL,
    reader {text} NOT NULL,
    voucher {text} NOT NULL,           -- whose word it is: 'operator', 'principal', 'other'
    confirms {bool} NOT NULL,          -- the operator's judgement of a belief
    weight {real} NOT NULL,
    origins {bytes} NOT NULL,          -- independent sources, 16 bytes each
    said_at {time} NOT NULL,
    withdrawn_at {time},
    PRIMARY KEY (agent_id, canonical_key, seq)
){clustered};

CREATE INDEX knowledge_claims_by_source ON knowledge_claims (agent_id, source_id);

CREATE TABLE knowledge_observations (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('operator_preference', 'project_state', 'tooling_state', 'relationship_fact',
        'self_model', 'world_fact')),
    subject_type {text} NOT NULL CHECK (subject_type IN ('entity', 'project', 'tool', 'agent', 'global')),
    subject_id {text} NOT NULL,
    canonical_key {text} NOT NULL,
    value {text} NOT NULL,
    summary {text} NOT NULL,
    detail {text},
    tags {json} NOT NULL,
    supersedes_observation_id {id},    -- the only way in which one observation names another
    created_at {time} NOT NULL,
    phrasing {text},                   -- a thinker's words for it; written once
    status {text} NOT NULL CHECK (status IN ('active', 'stale', 'superseded', 'invalidated')),
    confidence {real} NOT NULL CHECK (confidence >= 0 AND confidence <= 1),
    confidence_components {json} NOT NULL,
    freshness {real} NOT NULL CHECK (freshness >= 0 AND freshness <= 1),
    revalidation_due_at {time},        -- null: when something new is said
    support_count {int} NOT NULL,      -- independent sources
    contradiction_weight {real} NOT NULL,
    operator_confirmed {bool} NOT NULL,
    first_supported_at {time},
    last_supported_at {time},
    last_contradicted_at {time},
    updated_at {time} NOT NULL,
    tokens {int},
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    PRIMARY KEY (agent_id, id),
    FOREIGN KEY (agent_id, supersedes_observation_id) REFERENCES knowledge_observations (agent_id, id)
){strict};

CREATE UNIQUE INDEX knowledge_observations_active ON knowledge_observations (agent_id, canonical_key)
    WHERE status = 'active';
CREATE INDEX knowledge_observations_by_key ON knowledge_observations (agent_id, canonical_key, id);
CREATE INDEX knowledge_observations_by_kind ON knowledge_observations (agent_id, kind, status);
CREATE INDEX knowledge_observations_by_subject ON knowledge_observations (agent_id, subject_type, subject_id);
CREATE INDEX knowledge_observations_by_due ON knowledge_observations (agent_id, revalidation_due_at);
CREATE INDEX knowledge_observations_by_standing ON knowledge_observations (agent_id, confidence DESC, freshness DESC);
CREATE INDEX knowledge_observations_by_superseded ON knowledge_observations (agent_id, supersedes_observation_id);

CREATE TABLE observation_evidence (
    -- What speaks for and against an observation. There is no column that could name an observation as evidence.
    agent_id {id} NOT NULL,
    observation_id {id} NOT NULL,
    id {id} NOT NULL,
    memory_id {id},
    lesson_id {id},
    reflection_id {id},
    entity_id {id},
    stance {text} NOT NULL CHECK (stance IN ('support', 'contradict', 'context')),
    weight {real} NOT NULL,
    origins {bytes} NOT NULL,          -- independent sources behind it, 16 bytes each
    confirms {bool} NOT NULL,          -- the operator's judgement of it
    excerpt {text} NOT NULL,
    source_created_at {time} NOT NULL,
    created_at {time} NOT NULL,
    withdrawn_at {time},               -- kept, not counted; set once
    PRIMARY KEY (agent_id, observation_id, id),
    CHECK ((CASE WHEN memory_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN lesson_id IS NULL THEN 0 ELSE 1 END)
        + (CASE WHEN reflection_id IS NULL THEN 0 ELSE 1 END) + (CASE WHEN entity_id IS NULL THEN 0 ELSE 1 END) = 1),
    FOREIGN KEY (agent_id, observation_id) REFERENCES knowledge_observations (agent_id, id),
    FOREIGN KEY (agent_id, memory_id) REFERENCES memory_items (agent_id, id),
    FOREIGN KEY (agent_id, lesson_id) REFERENCES lessons (agent_id, id),
    FOREIGN KEY (agent_id, reflection_id) REFERENCES reflections (agent_id, id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entities (agent_id, id)
){clustered};

CREATE INDEX observation_evidence_by_memory ON observation_evidence (agent_id, memory_id);
CREATE INDEX observation_evidence_by_lesson ON observation_evidence (agent_id, lesson_id)
    WHERE lesson_id IS NOT NULL;
CREATE INDEX observation_evidence_by_reflection ON observation_evidence (agent_id, reflection_id)
    WHERE reflection_id IS NOT NULL;
CREATE INDEX observation_evidence_by_entity ON observation_evidence (agent_id, entity_id)
    WHERE entity_id IS NOT NULL;

CREATE TABLE observation_events (
    -- Every change of status or confidence: what `as of` reads.
    agent_id {id} NOT NULL,
    observation_id {id} NOT NULL,
    seq {int} NOT NULL,
    at {time} NOT NULL,
    from_status {text},                -- null: it was formed
    to_status {text} NOT NULL,
    confidence {real} NOT NULL,
    reason {text} NOT NULL,            -- a word of ours
    PRIMARY KEY (agent_id, observation_id, seq),
    FOREIGN KEY (agent_id, observation_id) REFERENCES knowledge_observations (agent_id, id)
){clustered};

CREATE TABLE knowledge_conflicts (
    -- A question with two answers, neither of which has won.
    agent_id {id} NOT NULL,
    id {id} NOT NULL,
    observation_id {id} NOT NULL,      -- what is believed
    rival {text} NOT NULL,             -- the value that speaks against it; that it is not so: its own value
    raised_at {time} NOT NULL,
    settled_at {time},
    settled_how {text},                -- a word of ours
    PRIMARY KEY (agent_id, id),
    FOREIGN KEY (agent_id, observation_id) REFERENCES knowledge_observations (agent_id, id)
){strict};

CREATE UNIQUE INDEX knowledge_conflicts_open ON knowledge_conflicts (agent_id, observation_id, rival)
    WHERE settled_at IS NULL;

CREATE TABLE erased_evidence (
    -- What is left of evidence whose source was forgotten: that there was some, and on which side.
    agent_id {id} NOT NULL,
    observation_id {id} NOT NULL,
    id {id} NOT NULL,                  -- of the evidence
    source_sort {text} NOT NULL,
    source_id {id} NOT NULL,
    stance {text} NOT NULL,
    source_created_at {time} NOT NULL,
    excerpt_hash {bytes} NOT NULL,
    erased_at {time} NOT NULL,
    PRIMARY KEY (agent_id, observation_id, id),
    FOREIGN KEY (agent_id, observation_id) REFERENCES knowledge_observations (agent_id, id)
){clustered};
