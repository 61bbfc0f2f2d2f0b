-- The layers of a mind: soul, diary, conversations, to-dos, calendar, relationships, inbox; and a memory's whole life.
-- `author` to `trust` are the provenance of a row, `row_hash` the seal over it and over what never changes.

-- Memories ------------------------------------------------------------------------------------------------------------

ALTER TABLE memory_items ADD COLUMN valence {real} CHECK (valence >= -2 AND valence <= 2);
ALTER TABLE memory_items ADD COLUMN arousal {real} CHECK (arousal >= 0 AND arousal <= 1);
ALTER TABLE memory_items ADD COLUMN feeling {text};
ALTER TABLE memory_items ADD COLUMN goal_id {id};       -- the plan that it serves
ALTER TABLE memory_items ADD COLUMN answers_id {id};    -- the question that it answers
ALTER TABLE memory_items ADD COLUMN resolves_id {id};   -- what is done with it
ALTER TABLE memory_items ADD COLUMN replaces_id {id};   -- the memory of which it is a new edition
ALTER TABLE memory_items ADD COLUMN words_hash {bytes}; -- equal words in equal order: a near duplicate
ALTER TABLE memory_items ADD COLUMN gist_hash {bytes};  -- equal but for numbers, negations and order: perhaps a contradiction
ALTER TABLE memory_items ADD COLUMN stability {real} NOT NULL DEFAULT 180;
ALTER TABLE memory_items ADD COLUMN recall_count {int} NOT NULL DEFAULT 0;
ALTER TABLE memory_items ADD COLUMN last_recalled_at {time};
ALTER TABLE memory_items ADD COLUMN fades_at {time};    -- retention falls to 0.4; null: it does not fade
ALTER TABLE memory_items ADD COLUMN stale_at {time};    -- to 0.3
ALTER TABLE memory_items ADD COLUMN archive_at {time};  -- to 0.1
ALTER TABLE memory_items ADD COLUMN next_state_at {time}; -- when decay has to look at it next; null: never
ALTER TABLE memory_items ADD COLUMN summarized_into {id};
ALTER TABLE memory_items ADD COLUMN replaced_by {id};   -- its next edition

-- What was stored before has no computed times: decay looks at it at once.
UPDATE memory_items SET next_state_at = created_at, stability = CASE memory_type
    WHEN 'identity' THEN 365 WHEN 'preference' THEN 270 WHEN 'relationship' THEN 270 WHEN 'event' THEN 120
    WHEN 'activity' THEN 90 WHEN 'plan' THEN 60 WHEN 'question' THEN 60 WHEN 'context' THEN 21
    WHEN 'episode' THEN 30 WHEN 'ephemeral' THEN 3 ELSE 180 END;

DROP INDEX memory_items_by_hash;
-- With the id, or the order that is asked for would be had by walking through every memory of the agent.
CREATE INDEX memory_items_by_words ON memory_items (agent_id, words_hash, id);
CREATE INDEX memory_items_by_gist ON memory_items (agent_id, gist_hash, id);
CREATE INDEX memory_items_by_next_state ON memory_items (agent_id, next_state_at, id);

CREATE TABLE memory_events (
    -- Every change of state after the first, which is `active` from the row's own beginning.
    agent_id {id} NOT NULL,
    memory_id {id} NOT NULL,
    at {time} NOT NULL,
    state {text} NOT NULL CHECK (state IN ('active', 'stale', 'archived', 'resolved')),
    reason {text} NOT NULL,            -- a word of ours
    PRIMARY KEY (agent_id, memory_id, at, reason),
    FOREIGN KEY (agent_id, memory_id) REFERENCES memory_items (agent_id, id)
){clustered};

CREATE TABLE memory_sources (
    -- Who else said it. The row itself holds the first source; counts are derived, never stored.
    agent_id {id} NOT NULL,
    memory_id {id} NOT NULL,
    source_key {bytes} NOT NULL,       -- hash of author, principal and source: the same source counts once
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    link_id {id},
    at {time} NOT NULL,
    PRIMARY KEY (agent_id, memory_id, source_key),
    FOREIGN KEY (agent_id, memory_id) REFERENCES memory_items (agent_id, id)
){clustered};

CREATE TABLE memory_pairs (
    -- Two memories that cannot both be true, seen when the later one was stored.
    agent_id {id} NOT NULL,
    memory_id {id} NOT NULL,           -- the later
    other_id {id} NOT NULL,            -- the earlier
    how {text} NOT NULL,               -- a word of ours: negation, number, order
    found_at {time} NOT NULL,
    settled_at {time},
    PRIMARY KEY (agent_id, memory_id, other_id),
    FOREIGN KEY (agent_id, memory_id) REFERENCES memory_items (agent_id, id),
    FOREIGN KEY (agent_id, other_id) REFERENCES memory_items (agent_id, id)
){clustered};

CREATE INDEX memory_pairs_by_other ON memory_pairs (agent_id, other_id);

CREATE TABLE monitors (
    -- A memory that wants to be looked after. Recalling it is no check.
    agent_id {id} NOT NULL,
    memory_id {id} NOT NULL,
    check_every {int} NOT NULL CHECK (check_every > 0), -- seconds
    last_checked_at {time},
    next_check_at {time} NOT NULL,
    created_at {time} NOT NULL,
    ended_at {time},
    PRIMARY KEY (agent_id, memory_id),
    FOREIGN KEY (agent_id, memory_id) REFERENCES memory_items (agent_id, id)
){strict};

CREATE INDEX monitors_by_next ON monitors (agent_id, next_check_at);

-- Whom and what it knows ----------------------------------------------------------------------------------------------

ALTER TABLE entities ADD COLUMN agent_ref {id};         -- the agent that it is, if it is one of this house
ALTER TABLE entities ADD COLUMN profile_summary {text};
ALTER TABLE entities ADD COLUMN profile_by {text};      -- who set it
ALTER TABLE entities ADD COLUMN profile_sources {json}; -- what it was derived from
ALTER TABLE entities ADD COLUMN last_seen_at {time};
ALTER TABLE entities ADD COLUMN merged_into {id};       -- its old id goes on as a name of the other

CREATE TABLE entity_names (
    -- A name or alias, as written and as it is looked up. Two entities may share one.
    agent_id {id} NOT NULL,
    name_key {text} NOT NULL,
    entity_id {id} NOT NULL,
    name {text} NOT NULL,
    created_at {time} NOT NULL,
    PRIMARY KEY (agent_id, name_key, entity_id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entities (agent_id, id)
){clustered};

CREATE INDEX entity_names_by_entity ON entity_names (agent_id, entity_id);

-- Before this, only operators were entities.
INSERT INTO entity_names (agent_id, name_key, entity_id, name, created_at)
    SELECT agent_id, lower(name), id, name, created_at FROM entities;

CREATE TABLE mentions (
    agent_id {id} NOT NULL,
    entity_id {id} NOT NULL,
    item_kind {text} NOT NULL,         -- 'memory' or 'message'
    item_id {id} NOT NULL,
    PRIMARY KEY (agent_id, entity_id, item_kind, item_id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entities (agent_id, id)
){clustered};

CREATE INDEX mentions_by_item ON mentions (agent_id, item_kind, item_id);

CREATE TABLE relationships (
    -- How the agent stands to somebody: the agent's own view, changed by the agent alone.
    agent_id {id} NOT NULL,
    entity_id {id} NOT NULL,
    relationship_type {text} NOT NULL,
    trust_level {real} NOT NULL CHECK (trust_level >= -1 AND trust_level <= 1),
    emotional_tone {text},
    rationale {text} NOT NULL,
    relationship_notes {text},
    interaction_count {int} NOT NULL,  -- conversations in which both spoke
    first_met_at {time} NOT NULL,
    last_met_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    PRIMARY KEY (agent_id, entity_id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entities (agent_id, id)
){strict};

CREATE TABLE relationship_history (
    agent_id {id} NOT NULL,
    id {id} NOT NULL,
    entity_id {id} NOT NULL,
    old_type {text},                   -- null: they met
    new_type {text} NOT NULL,
    old_trust {real},
    new_trust {real} NOT NULL,
    old_tone {text},
    new_tone {text},
    rationale {text} NOT NULL,
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    PRIMARY KEY (agent_id, id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES relationships (agent_id, entity_id)
){strict};

CREATE INDEX relationship_history_by_entity ON relationship_history (agent_id, entity_id, id);

-- Soul and diary ------------------------------------------------------------------------------------------------------

CREATE TABLE soul_entries (
    -- What the agent is at heart. No job touches it; a removed entry stays as history.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('belief', 'value', 'fear', 'conviction')),
    content {text} NOT NULL,
    reason {text} NOT NULL,            -- why it was added
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    removed_at {time},
    removed_reason {text},
    removed_by {text},
    PRIMARY KEY (agent_id, id)
){strict};

CREATE TABLE diary_entries (
    -- One document a day, made of entries in the order in which they were written.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    day {text} NOT NULL,               -- YYYY-MM-DD in the agent's zone
    ordinal {int} NOT NULL CHECK (ordinal > 0),
    content {text} NOT NULL,
    mood {text},
    location {text},
    detail {json},
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, day, ordinal)
){strict};

-- Conversations and the inbox -----------------------------------------------------------------------------------------

CREATE TABLE conversations (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    channel {text},                    -- the host's own name for it
    title {text},
    principal_id {id},                 -- with whom, if with a principal
    started_at {time} NOT NULL,
    last_message_at {time},
    active_until {time},               -- the host says that a run is on
    closed_at {time},
    last_seq {int} NOT NULL,
    own_messages {int} NOT NULL,       -- how often the agent itself spoke
    conv_summarized_until {int} NOT NULL, -- a sequence number, not a time
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, channel),
    FOREIGN KEY (agent_id, principal_id) REFERENCES principals (agent_id, id)
){strict};

CREATE TABLE conversation_participants (
    agent_id {id} NOT NULL,
    conversation_id {id} NOT NULL,
    entity_id {id} NOT NULL,
    messages {int} NOT NULL,
    first_at {time} NOT NULL,
    last_at {time} NOT NULL,
    counted {bool} NOT NULL,           -- whether it is in the relationship's interaction count
    PRIMARY KEY (agent_id, conversation_id, entity_id),
    FOREIGN KEY (agent_id, conversation_id) REFERENCES conversations (agent_id, id),
    FOREIGN KEY (agent_id, entity_id) REFERENCES entities (agent_id, id)
){strict};

CREATE INDEX conversation_participants_by_entity ON conversation_participants (agent_id, entity_id);

CREATE TABLE messages (
    agent_id {id} NOT NULL,
    id {id} NOT NULL,
    conversation_id {id} NOT NULL,
    seq {int} NOT NULL CHECK (seq > 0),
    role {text} NOT NULL CHECK (role IN ('user', 'assistant', 'peer', 'tool', 'system')),
    speaker_id {id},                   -- null: the agent itself, or no one
    content {text} NOT NULL,
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    archived_at {time},
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, conversation_id, seq),
    FOREIGN KEY (agent_id, conversation_id) REFERENCES conversations (agent_id, id),
    FOREIGN KEY (agent_id, speaker_id) REFERENCES entities (agent_id, id)
){strict};

-- How many are not archived yet is asked with every list of conversations.
CREATE INDEX messages_by_archived ON messages (agent_id, archived_at);

CREATE TABLE inbox_candidates (
    -- What a conversation yielded and nobody has decided on yet.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    candidate_type {text} NOT NULL CHECK (candidate_type IN ('preference', 'directive', 'correction', 'relationship',
        'decision', 'commitment', 'emotion', 'identity', 'question', 'fact')),
    content {text} NOT NULL,
    text_hash {bytes} NOT NULL,
    confidence {real} NOT NULL CHECK (confidence >= 0 AND confidence <= 1),
    cue {text} NOT NULL,               -- the rule that found it
    conversation_id {id},
    message_id {id},
    memory_type {text} NOT NULL,       -- hint
    importance {real} NOT NULL,        -- hint
    entity_id {id},
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    expires_at {time} NOT NULL,
    status {text} NOT NULL CHECK (status IN ('pending', 'promoted', 'merged', 'rejected', 'expired')),
    decided_at {time},
    decided_by {text},
    decision_reason {text},
    memory_id {id},                    -- what it became, or was merged into
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, text_hash, conversation_id)
){strict};

CREATE INDEX inbox_candidates_by_memory ON inbox_candidates (agent_id, memory_id);
CREATE INDEX inbox_candidates_by_message ON inbox_candidates (agent_id, message_id);
CREATE INDEX inbox_candidates_by_status ON inbox_candidates (agent_id, status, expires_at);

-- Tasks ---------------------------------------------------------------------------------------------------------------

CREATE TABLE todos (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    title {text} NOT NULL,
    description {text},
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    priority {text} NOT NULL CHECK (priority IN ('low', 'normal', 'high', 'urgent')),
    due_at {time},
    status {text} NOT NULL CHECK (status IN ('pending', 'in_progress', 'done', 'cancelled')),
    remind {bool} NOT NULL,
    finished_at {time},
    updated_at {time} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX todos_by_status ON todos (agent_id, status, due_at);

CREATE TABLE calendar_events (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    title {text} NOT NULL,
    description {text},
    location {text},
    starts {text} NOT NULL,            -- local: YYYY-MM-DDTHH:MM:SS
    ends {text},                       -- local, of the first occurrence
    zone {text} NOT NULL,
    recurrence {text},                 -- an RFC 5545 rule
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    remind_minutes {int} CHECK (remind_minutes >= 0),
    first_at {time} NOT NULL,          -- bounds of the whole series: what a range query compares
    last_at {time},                    -- null: it goes on for ever
    removed_at {time},
    removed_reason {text},
    updated_at {time} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX calendar_events_by_first ON calendar_events (agent_id, first_at);

CREATE TABLE calendar_exceptions (
    -- One occurrence of a series that does not take place.
    agent_id {id} NOT NULL,
    event_id {id} NOT NULL,
    starts {text} NOT NULL,            -- local start of the occurrence
    created_at {time} NOT NULL,
    PRIMARY KEY (agent_id, event_id, starts),
    FOREIGN KEY (agent_id, event_id) REFERENCES calendar_events (agent_id, id)
){strict};

-- What is derived -----------------------------------------------------------------------------------------------------

CREATE TABLE reflections (
    -- An interpreted summary of a period, with what it was made from.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    from_at {time} NOT NULL,
    until_at {time} NOT NULL,
    content {text} NOT NULL,
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

CREATE TABLE reflection_sources (
    agent_id {id} NOT NULL,
    reflection_id {id} NOT NULL,
    item_kind {text} NOT NULL,
    item_id {id} NOT NULL,
    PRIMARY KEY (agent_id, reflection_id, item_kind, item_id),
    FOREIGN KEY (agent_id, reflection_id) REFERENCES reflections (agent_id, id)
){clustered};

CREATE TABLE lessons (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    lesson_type {text} NOT NULL CHECK (lesson_type IN ('mistake', 'success', 'workaround', 'discovery')),
    context {text},
    action {text},
    outcome {text},
    lesson {text} NOT NULL,
    correction {text},
    tags {json} NOT NULL,
    tools {json} NOT NULL,
    created_at {time} NOT NULL,
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    confidence {real} NOT NULL CHECK (confidence >= 0 AND confidence <= 1),
    occurrences {int} NOT NULL CHECK (occurrences > 0),
    last_seen_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

CREATE TABLE lesson_sources (
    agent_id {id} NOT NULL,
    lesson_id {id} NOT NULL,
    item_kind {text} NOT NULL,
    item_id {id} NOT NULL,
    PRIMARY KEY (agent_id, lesson_id, item_kind, item_id),
    FOREIGN KEY (agent_id, lesson_id) REFERENCES lessons (agent_id, id)
){clustered};
