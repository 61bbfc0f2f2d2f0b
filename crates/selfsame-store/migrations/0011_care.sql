-- Care for a life that has grown: what was claimed and what ran, and summaries of memories and of conversations.

-- Each tool that an episode claims, held against the ledger. Episodes of before have none.
ALTER TABLE episodes ADD COLUMN tools {json};

-- Where an agent lives, and where it is. Who has both takes care of itself at home.
ALTER TABLE agents ADD COLUMN home {text};
ALTER TABLE agents ADD COLUMN location {text};

CREATE TABLE character_memory_summaries (
    -- What many memories come to. It stands for them in a context, never as evidence.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    focus {text},                      -- the theme that the agent chose
    themes {json} NOT NULL,
    content {text} NOT NULL,
    written_by {text} NOT NULL CHECK (written_by IN ('agent', 'thinker', 'extract')),
    memories {int} NOT NULL CHECK (memories > 0),    -- also those of summaries in it
    depth {int} NOT NULL CHECK (depth > 0),          -- 1: of memories; more: of summaries
    from_at {time} NOT NULL,
    until_at {time} NOT NULL,
    created_at {time} NOT NULL,
    tokens {int},
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    folded_into {id},                  -- the summary of summaries that has it
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX character_memory_summaries_current ON character_memory_summaries (agent_id, id) WHERE folded_into IS NULL;

CREATE TABLE conversation_summaries (
    -- How it went with somebody: one that rolls on, each with the one before in it.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    counterpart_id {id},               -- an entity; null: nobody in particular took part
    content {text} NOT NULL,
    facts {json} NOT NULL,             -- carried on word by word
    written_by {text} NOT NULL CHECK (written_by IN ('agent', 'thinker', 'extract')),
    messages {int} NOT NULL CHECK (messages > 0),    -- also those of the summaries before
    from_at {time} NOT NULL,
    until_at {time} NOT NULL,
    created_at {time} NOT NULL,
    tokens {int},
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    folded_into {id},                  -- the next one
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX conversation_summaries_current ON conversation_summaries (agent_id, id) WHERE folded_into IS NULL;

CREATE TABLE summary_sources (
    -- What a summary of either sort was made from: memories, messages, earlier summaries.
    agent_id {id} NOT NULL REFERENCES agents (id),
    summary_id {id} NOT NULL,
    item_kind {text} NOT NULL,
    item_id {id} NOT NULL,
    PRIMARY KEY (agent_id, summary_id, item_kind, item_id)
){clustered};

CREATE INDEX summary_sources_by_item ON summary_sources (agent_id, item_kind, item_id);

CREATE TABLE care_batches (
    -- Rows that are about to be folded, while somebody writes. It goes when that is done or given up.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    phase {text} NOT NULL CHECK (phase IN ('memories', 'conversations', 'summaries')),
    what {text} NOT NULL,              -- what the agent asked to have folded
    focus {text},
    counterpart_id {id},
    sources {json} NOT NULL,           -- ids, in their order
    done {int} NOT NULL,               -- so many of them are in the draft
    draft {text},                      -- what was written of the parts so far
    written_by {text} NOT NULL CHECK (written_by IN ('agent', 'thinker', 'extract')),
    created_at {time} NOT NULL,
    expires_at {time} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

-- What may be folded, and how many tokens it has.
CREATE INDEX memory_items_in_mind ON memory_items (agent_id, id, tokens) WHERE state IN ('active', 'stale');
CREATE INDEX messages_in_mind ON messages (agent_id, id, tokens) WHERE archived_at IS NULL;
-- Conversations in which something was said since they were last folded.
CREATE INDEX conversations_unfolded ON conversations (agent_id, id) WHERE last_seq > conv_summarized_until;

CREATE VIEW archived_memories{as who asks} AS
    SELECT agent_id, id, content, memory_type, entity_id, importance, tags, created_at, author, source_ref, principal_id,
        private, trust, summarized_into, replaced_by, updated_at
    FROM memory_items WHERE state = 'archived';

CREATE VIEW archived_conversations{as who asks} AS
    SELECT agent_id, conversation_id, id, seq, role, speaker_id, content, created_at, author, source_ref, principal_id,
        private, trust, archived_at
    FROM messages WHERE archived_at IS NOT NULL;
