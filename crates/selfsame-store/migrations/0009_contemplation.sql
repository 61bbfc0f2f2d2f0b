-- Time to think: who has it when, what came of it, who did the work with which tools at which cost, and what was learned.

-- A family agent thinks once a day, a main agent every half hour.
ALTER TABLE agents ADD COLUMN family {bool} NOT NULL DEFAULT FALSE;

CREATE TABLE agent_documents (
    -- What an agent is told about itself by its operator, edited as a file: CONTEMPLATION.md.
    agent_id {id} NOT NULL REFERENCES agents (id),
    name {text} NOT NULL,
    content {text} NOT NULL,
    updated_at {time} NOT NULL,
    PRIMARY KEY (agent_id, name)
){strict};

CREATE TABLE contemplations (
    -- When each agent is to think next. Global, as the scheduler looks before it knows whose it is; it holds no words.
    agent_id {id} NOT NULL REFERENCES agents (id),
    next_at {time} NOT NULL,
    last_at {time},                 -- when the last cycle began
    streak {int} NOT NULL,          -- successful cycles in a row
    signatures {json} NOT NULL,     -- of the last episodes, the newest last
    drawn {json} NOT NULL,          -- cards of the deck that were drawn last, the newest last
    held_since {time},              -- it repeats itself: it holds until something is in memory that is newer than this
    PRIMARY KEY (agent_id)
){strict};

CREATE INDEX contemplations_next ON contemplations (next_at);

CREATE TABLE cycles (
    -- A time of thinking, or why there was none. Equal skips in a row are one row with a count.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    began_at {time} NOT NULL,
    last_at {time} NOT NULL,
    outcome {text} NOT NULL CHECK (outcome IN ('waiting', 'done', 'skipped', 'failed')),
    reason {text},
    count {int} NOT NULL CHECK (count > 0),
    cause {text} NOT NULL CHECK (cause IN ('interval', 'asked')),
    episode_id {id},
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX cycles_recent ON cycles (agent_id, began_at);
CREATE INDEX cycles_begun ON cycles (agent_id, began_at) WHERE outcome <> 'skipped';

CREATE TABLE episodes (
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    cycle_id {id} NOT NULL,
    memory_id {id} NOT NULL,
    episode_type {text} NOT NULL,
    body {json} NOT NULL,           -- what the thinker says, under its promised names
    said {text} NOT NULL,           -- the whole reply
    parse {text} NOT NULL CHECK (parse IN ('tagged', 'repaired', 'fallback')),
    repairs {json} NOT NULL,
    successful {bool} NOT NULL,     -- it says so, and the record agrees
    why_not {text},
    thinker {text} NOT NULL,
    model {text},
    tokens_spent {int} NOT NULL,
    millis {int} NOT NULL,
    seed {int} NOT NULL,
    signature {bytes} NOT NULL,
    began_at {time} NOT NULL,
    created_at {time} NOT NULL,
    tokens {int},
    author {text} NOT NULL CHECK (author IN ('principal', 'agent', 'tool', 'import', 'link', 'system')),
    source_ref {text},
    principal_id {id},
    private {bool} NOT NULL,
    trust {real} NOT NULL CHECK (trust >= 0 AND trust <= 1),
    row_hash {bytes} NOT NULL,
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX episodes_recent ON episodes (agent_id, created_at);
CREATE INDEX episodes_of_memory ON episodes (agent_id, memory_id);

CREATE TABLE work_items (
    -- Work for a thinker. Global, as lanes look before they know whose it is; it holds ids and our own words, no others.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    kind {text} NOT NULL,
    thinker {text} NOT NULL,        -- who is to do it; 'agent': whoever comes for it
    state {text} NOT NULL CHECK (state IN ('ready', 'leased', 'parked', 'done', 'dead', 'cancelled')),
    about {json} NOT NULL,          -- ids of what it is about
    quoted {json},                  -- ids of what the prompt handed out: nothing else may be answered about
    trust {real},                   -- the lowest of what the prompt quotes
    cycle_id {id},
    seed {int} NOT NULL,
    created_at {time} NOT NULL,
    ready_at {time} NOT NULL,
    lease_until {time},
    token {int} NOT NULL,
    attempts {int} NOT NULL,
    ended_at {time},
    reason {text},
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX work_items_waiting ON work_items (ready_at) WHERE state IN ('ready', 'parked');
CREATE INDEX work_items_leased ON work_items (lease_until) WHERE state = 'leased';
CREATE INDEX work_items_of_agent ON work_items (agent_id, state, ready_at);
CREATE INDEX work_items_thinking ON work_items (created_at) WHERE kind = 'contemplate';

CREATE TABLE work_attempts (
    -- Who tried, and what came of it.
    agent_id {id} NOT NULL REFERENCES agents (id),
    work_id {id} NOT NULL,
    attempt {int} NOT NULL,
    thinker {text} NOT NULL,
    model {text},
    began_at {time} NOT NULL,
    ended_at {time},
    outcome {text},                 -- done, or the sort of fault; none: nobody came back
    reason {text},
    tokens {int} NOT NULL,
    calls {int} NOT NULL,
    PRIMARY KEY (agent_id, work_id, attempt)
){clustered};

CREATE TABLE tool_calls (
    -- The ledger of tools: every call, also those that were refused. Names and hashes, no words.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    work_id {id} NOT NULL,
    tool {text} NOT NULL,
    class {text} NOT NULL,
    arguments_hash {bytes} NOT NULL,
    began_at {time} NOT NULL,
    ended_at {time} NOT NULL,
    outcome {text} NOT NULL CHECK (outcome IN ('ran', 'failed', 'refused')),
    reason {text},
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX tool_calls_of_work ON tool_calls (agent_id, work_id, began_at);

CREATE TABLE thinker_spend (
    -- What thinking cost on a day of the agent's zone.
    agent_id {id} NOT NULL REFERENCES agents (id),
    day {text} NOT NULL,
    tokens {int} NOT NULL,
    exchanges {int} NOT NULL,
    millis {int} NOT NULL,
    PRIMARY KEY (agent_id, day)
){clustered};

-- What is learned from episodes ------------------------------------------------------------------------------------

ALTER TABLE lessons ADD COLUMN judged_at {time};    -- how sure it is was true then; it fades from there
ALTER TABLE lessons ADD COLUMN merged_into {id};    -- another says the same
ALTER TABLE lessons ADD COLUMN proposed_id {id};    -- the belief that it was proposed as

UPDATE lessons SET judged_at = last_seen_at;

CREATE INDEX lessons_standing ON lessons (agent_id, confidence) WHERE merged_into IS NULL;
CREATE INDEX lesson_sources_by_item ON lesson_sources (agent_id, item_kind, item_id);

CREATE TABLE lesson_sightings (
    -- When a lesson was seen, and where: the same episode counts once.
    agent_id {id} NOT NULL,
    lesson_id {id} NOT NULL,
    episode_id {id} NOT NULL,
    day {text} NOT NULL,
    seen_at {time} NOT NULL,
    PRIMARY KEY (agent_id, lesson_id, episode_id),
    FOREIGN KEY (agent_id, lesson_id) REFERENCES lessons (agent_id, id)
){clustered};

CREATE TABLE learning (
    -- How far an agent has learned from its episodes.
    agent_id {id} NOT NULL REFERENCES agents (id),
    episode_id {id},                -- the last one that was learned from
    reflected_on {text},            -- the last day that has a reflection
    PRIMARY KEY (agent_id)
){strict};
