-- The heartbeat: what is due, what was seen, what was said, and what came of it.

-- What memories say to it ---------------------------------------------------------------------------------------------

ALTER TABLE memory_items ADD COLUMN serves_id {id};     -- the principal whose heartbeat it feeds; null: no one's
ALTER TABLE memory_items ADD COLUMN touched_at {time};  -- stored, said again or worked on; to be recalled is no touch
ALTER TABLE memory_items ADD COLUMN worked_at {time};   -- of a plan: stored or last worked on; of a question: answered

-- What the agent knows of itself belongs to the operator. Tools, imports, links and the house itself feed no signal.
UPDATE memory_items SET touched_at = created_at, serves_id = COALESCE(principal_id,
        (SELECT operator_id FROM agents WHERE agents.id = memory_items.agent_id))
    WHERE author IN ('principal', 'agent') AND memory_type <> 'episode';

CREATE INDEX memory_items_fed ON memory_items (agent_id, serves_id, created_at) WHERE serves_id IS NOT NULL;
CREATE INDEX memory_items_stated ON memory_items (agent_id, serves_id, created_at)
    WHERE author = 'principal' AND serves_id IS NOT NULL;
CREATE INDEX memory_items_work ON memory_items (agent_id, serves_id, touched_at)
    WHERE memory_type IN ('plan', 'activity') AND state = 'active' AND serves_id IS NOT NULL;
CREATE INDEX memory_items_due ON memory_items (agent_id, serves_id, expires_at)
    WHERE expires_at IS NOT NULL AND state = 'active' AND serves_id IS NOT NULL;
CREATE INDEX memory_items_goals ON memory_items (agent_id, serves_id, worked_at)
    WHERE memory_type = 'plan' AND state = 'active' AND serves_id IS NOT NULL;
CREATE INDEX memory_items_asked ON memory_items (agent_id, serves_id, created_at)
    WHERE memory_type = 'question' AND state = 'active' AND worked_at IS NULL AND serves_id IS NOT NULL;
CREATE INDEX memory_items_fading ON memory_items (agent_id, serves_id, fades_at)
    WHERE importance >= 0.7 AND state = 'active' AND fades_at IS NOT NULL AND serves_id IS NOT NULL;
CREATE INDEX memory_items_felt ON memory_items (agent_id, serves_id, created_at, id)
    WHERE author = 'principal' AND valence IS NOT NULL AND serves_id IS NOT NULL;
CREATE INDEX memory_items_by_goal ON memory_items (agent_id, goal_id, created_at) WHERE goal_id IS NOT NULL;
CREATE INDEX memory_items_by_question ON memory_items (agent_id, answers_id, created_at) WHERE answers_id IS NOT NULL;
-- What belongs to a plan or a question was found when it was stored.
UPDATE memory_items SET worked_at = (SELECT MAX(linked.created_at) FROM memory_items linked
        WHERE linked.agent_id = memory_items.agent_id AND linked.goal_id = memory_items.id
            AND linked.serves_id IS NOT NULL)
    WHERE memory_type = 'plan';
UPDATE memory_items SET worked_at = created_at WHERE memory_type = 'plan' AND worked_at IS NULL;
UPDATE memory_items SET worked_at = (SELECT MAX(linked.created_at) FROM memory_items linked
        WHERE linked.agent_id = memory_items.agent_id AND linked.answers_id = memory_items.id)
    WHERE memory_type = 'question';

CREATE INDEX memory_pairs_open ON memory_pairs (agent_id, found_at) WHERE settled_at IS NULL;

-- What people and conversations say to it ------------------------------------------------------------------------------

ALTER TABLE entities ADD COLUMN heard_at {time};        -- got to know, spoke, or was spoken of by a principal or the agent

UPDATE entities SET heard_at = COALESCE(last_seen_at, created_at);
UPDATE entities SET heard_at = (SELECT MAX(said.created_at) FROM mentions, memory_items said
        WHERE mentions.agent_id = entities.agent_id AND mentions.entity_id = entities.id
            AND mentions.item_kind = 'memory' AND said.agent_id = mentions.agent_id AND said.id = mentions.item_id
            AND said.serves_id IS NOT NULL)
    WHERE heard_at < (SELECT MAX(said.created_at) FROM mentions, memory_items said
        WHERE mentions.agent_id = entities.agent_id AND mentions.entity_id = entities.id
            AND mentions.item_kind = 'memory' AND said.agent_id = mentions.agent_id AND said.id = mentions.item_id
            AND said.serves_id IS NOT NULL);
UPDATE entities SET heard_at = (SELECT MAX(said.created_at) FROM mentions, messages said
        WHERE mentions.agent_id = entities.agent_id AND mentions.entity_id = entities.id
            AND mentions.item_kind = 'message' AND said.agent_id = mentions.agent_id AND said.id = mentions.item_id
            AND said.role IN ('user', 'assistant', 'peer'))
    WHERE heard_at < (SELECT MAX(said.created_at) FROM mentions, messages said
        WHERE mentions.agent_id = entities.agent_id AND mentions.entity_id = entities.id
            AND mentions.item_kind = 'message' AND said.agent_id = mentions.agent_id AND said.id = mentions.item_id
            AND said.role IN ('user', 'assistant', 'peer'));

ALTER TABLE conversations ADD COLUMN awaiting {bool} NOT NULL DEFAULT FALSE; -- the other side spoke last
ALTER TABLE conversations ADD COLUMN sitting_at {time}; -- when the present sitting began
ALTER TABLE conversations ADD COLUMN wrote_at {time};   -- when the other side last spoke

-- A sitting begins with a message that follows no other closely.
UPDATE conversations SET sitting_at = (SELECT MAX(said.created_at) FROM messages said
    WHERE said.agent_id = conversations.agent_id AND said.conversation_id = conversations.id
        AND NOT EXISTS (SELECT 1 FROM messages earlier WHERE earlier.agent_id = said.agent_id
            AND earlier.conversation_id = said.conversation_id AND earlier.seq = said.seq - 1
            AND earlier.created_at + {four hours} >= said.created_at));
UPDATE conversations SET wrote_at = (SELECT MAX(created_at) FROM messages WHERE messages.agent_id = conversations.agent_id
    AND messages.conversation_id = conversations.id AND messages.role = 'user');
UPDATE conversations SET awaiting = TRUE
    WHERE (SELECT MAX(seq) FROM messages WHERE messages.agent_id = conversations.agent_id
            AND messages.conversation_id = conversations.id AND messages.role = 'user')
        > COALESCE((SELECT MAX(seq) FROM messages WHERE messages.agent_id = conversations.agent_id
            AND messages.conversation_id = conversations.id AND messages.role = 'assistant'), 0);

CREATE INDEX conversations_by_wrote ON conversations (agent_id, principal_id, wrote_at) WHERE wrote_at IS NOT NULL;
CREATE INDEX conversations_running ON conversations (agent_id, principal_id, active_until)
    WHERE active_until IS NOT NULL;

CREATE TABLE topic_days (
    -- That a principal spoke of somebody or something on a day, by the principal's calendar.
    agent_id {id} NOT NULL,
    serves_id {id} NOT NULL,
    topic_id {id} NOT NULL,
    week {int} NOT NULL,               -- weeks since Monday, 1970-01-05
    weekday {int} NOT NULL,            -- 1: Monday
    PRIMARY KEY (agent_id, serves_id, topic_id, week, weekday)
){clustered};

CREATE TABLE topic_habits (
    -- What a principal speaks of on one weekday more than on others; worked out when a day is added.
    agent_id {id} NOT NULL,
    serves_id {id} NOT NULL,
    topic_id {id} NOT NULL,
    weekday {int} NOT NULL,
    weeks {int} NOT NULL,              -- distinct weeks with that weekday
    lift {real} NOT NULL,              -- how much more often than on other weekdays
    holds_until {time} NOT NULL,       -- when too few of those weeks are left in sight
    PRIMARY KEY (agent_id, serves_id, topic_id, weekday)
){clustered};

CREATE INDEX topic_habits_by_weekday ON topic_habits (agent_id, serves_id, weekday, holds_until);

-- What falls due ------------------------------------------------------------------------------------------------------

CREATE TABLE deadlines (
    -- Where the deadline of a memory stands on its ladder.
    agent_id {id} NOT NULL,
    memory_id {id} NOT NULL,
    serves_id {id} NOT NULL,
    due_at {time} NOT NULL,
    told {text},                       -- the last rung that was surfaced; null: none
    next_rung_at {time},               -- null: it has ended
    ended_at {time},
    outcome {text},                    -- a word of ours: kept, broken, missed, missed_muted
    PRIMARY KEY (agent_id, memory_id),
    FOREIGN KEY (agent_id, memory_id) REFERENCES memory_items (agent_id, id)
){strict};

CREATE INDEX deadlines_by_next ON deadlines (agent_id, serves_id, next_rung_at);
CREATE INDEX deadlines_by_end ON deadlines (agent_id, serves_id, ended_at);

CREATE TABLE schedules (
    -- A memory with a schedule, a to-do or a calendar entry with a reminder. To be recalled changes nothing here.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    source_kind {text} NOT NULL CHECK (source_kind IN ('memory', 'todo', 'calendar')),
    source_id {id} NOT NULL,
    serves_id {id} NOT NULL,
    spec {text} NOT NULL,              -- when, as it was written; a to-do's and an entry's own moments: 'due', 'entry'
    zone {text} NOT NULL,
    next_due_at {time},                -- null: there is no more
    surfaced_slot {time},              -- the due moment that a nudge was made for
    last_due_at {time},                -- the due moment that was last settled
    last_outcome {text},               -- how: delivered, late, missed, missed_muted
    delivered {int} NOT NULL,
    missed {int} NOT NULL,
    created_at {time} NOT NULL,
    ended_at {time},
    ended_how {text},                  -- a word of ours: done, missed, missed_muted, removed
    PRIMARY KEY (agent_id, id),
    UNIQUE (agent_id, source_kind, source_id)
){strict};

CREATE INDEX schedules_by_due ON schedules (agent_id, serves_id, next_due_at);
CREATE INDEX monitors_of_memory ON monitors (agent_id, ended_at, next_check_at);

-- The heart -----------------------------------------------------------------------------------------------------------

CREATE TABLE heartbeats (
    -- Global: the scheduler looks for whose heart is to beat before it knows whose it is.
    agent_id {id} NOT NULL REFERENCES agents (id),
    principal_id {id} NOT NULL,
    next_at {time} NOT NULL,
    lease_until {time},
    token {int} NOT NULL,              -- the fence: only who holds the latest may write
    failures {int} NOT NULL,           -- in a row
    last_error {text},
    PRIMARY KEY (agent_id, principal_id)
){strict};

CREATE INDEX heartbeats_by_next ON heartbeats (next_at, agent_id, principal_id);

CREATE TABLE heartbeat_pauses (
    -- Global: while there is a row without an end, no heart speaks.
    id {id} NOT NULL PRIMARY KEY,
    paused_at {time} NOT NULL,
    resumed_at {time}
){strict};

CREATE TABLE heartbeat_principals (
    -- How a principal wants to be spoken to, and what was last said. Null: as is set for everybody.
    agent_id {id} NOT NULL,
    principal_id {id} NOT NULL,
    autonomy {text} CHECK (autonomy IN ('observe', 'suggest', 'act')),
    quiet_from {int} CHECK (quiet_from >= 0 AND quiet_from < 1440),   -- minutes since midnight
    quiet_until {int} CHECK (quiet_until >= 0 AND quiet_until < 1440),
    channels {json},
    muted_at {time},
    snoozed_until {time},
    acted_at {time},                   -- any act
    calm_acted_at {time},              -- an act on more than what is immediate: cooldowns count from here
    calm_fingerprint {bytes},
    PRIMARY KEY (agent_id, principal_id),
    FOREIGN KEY (agent_id, principal_id) REFERENCES principals (agent_id, id)
){strict};

CREATE TABLE heartbeat_surfaced (
    -- What was spoken of lately.
    agent_id {id} NOT NULL,
    principal_id {id} NOT NULL,
    topic_id {id} NOT NULL,
    at {time} NOT NULL,
    PRIMARY KEY (agent_id, principal_id, topic_id)
){clustered};

CREATE TABLE heartbeat_marks (
    -- How things stood at the last act: what getting better is measured by.
    agent_id {id} NOT NULL,
    principal_id {id} NOT NULL,
    sort {text} NOT NULL,              -- 'goal', 'entity', 'sentiment'
    ref_id {id} NOT NULL,
    status {text} NOT NULL,
    at {time} NOT NULL,
    PRIMARY KEY (agent_id, principal_id, sort, ref_id)
){clustered};

CREATE TABLE receipts (
    -- One for every tick; equal silent ones in a row are one with a count. Ids and words of ours, no content.
    agent_id {id} NOT NULL,
    id {id} NOT NULL,
    principal_id {id} NOT NULL,
    first_at {time} NOT NULL,
    last_at {time} NOT NULL,
    ticks {int} NOT NULL CHECK (ticks > 0),
    verdict {text} NOT NULL CHECK (verdict IN ('act', 'suppress')),
    step {text} NOT NULL,
    reason {text} NOT NULL,
    sameness {bytes} NOT NULL,         -- equal for ticks that saw and said the same
    inputs {text} NOT NULL,            -- of the first of them: what is needed to judge again, byte for byte
    outcome {text} NOT NULL,           -- the decision with its trace
    next_at {time} NOT NULL,
    next_why {text} NOT NULL,
    took_micros {int} NOT NULL,        -- of the last of them
    statements {int} NOT NULL,
    tokens {int} NOT NULL CHECK (tokens >= 0), -- none, ever: it is kept to be shown
    settings_hash {bytes} NOT NULL,
    PRIMARY KEY (agent_id, id),
    FOREIGN KEY (agent_id, principal_id) REFERENCES principals (agent_id, id)
){strict};

CREATE INDEX receipts_by_principal ON receipts (agent_id, principal_id, last_at);
CREATE INDEX receipts_by_verdict ON receipts (agent_id, verdict, last_at);

-- What is said --------------------------------------------------------------------------------------------------------

CREATE TABLE nudges (
    agent_id {id} NOT NULL,
    id {id} NOT NULL,
    principal_id {id} NOT NULL,
    receipt_id {id} NOT NULL,
    autonomy {text} NOT NULL,
    kind {text} NOT NULL CHECK (kind IN ('introduction', 'reminder', 'deadline', 'suggestion')),
    urgency {text} NOT NULL,           -- a tier
    what {text} NOT NULL,
    why {text} NOT NULL,               -- the signals and their words
    actions {text} NOT NULL,           -- what could be done
    phrasing {text},                   -- a thinker's words for it
    quiet {bool} NOT NULL,             -- made in quiet hours: left out of the rate of answers
    created_at {time} NOT NULL,
    grace_until {time} NOT NULL,       -- a reminder that nobody fetched by then is missed
    state {text} NOT NULL CHECK (state IN ('observed', 'waiting', 'delivered', 'answered', 'dismissed', 'missed', 'failed',
        'vetoed')),
    delivered_at {time},
    delivered_by {text},               -- the channel
    closed_at {time},
    answer {text},                     -- by reference: a message, or a word of ours
    PRIMARY KEY (agent_id, id),
    FOREIGN KEY (agent_id, principal_id) REFERENCES principals (agent_id, id),
    FOREIGN KEY (agent_id, receipt_id) REFERENCES receipts (agent_id, id)
){strict};

CREATE INDEX nudges_by_principal ON nudges (agent_id, principal_id, id);
CREATE INDEX nudges_by_age ON nudges (agent_id, principal_id, created_at);
CREATE INDEX nudges_by_state ON nudges (agent_id, principal_id, state, id);
CREATE INDEX nudges_by_delivery ON nudges (agent_id, principal_id, delivered_at) WHERE delivered_at IS NOT NULL;

CREATE TABLE nudge_refs (
    -- What a nudge speaks of.
    agent_id {id} NOT NULL,
    nudge_id {id} NOT NULL,
    ref_kind {text} NOT NULL,
    ref_id {id} NOT NULL,
    signal {text} NOT NULL,
    status {text} NOT NULL,
    due_at {time},
    PRIMARY KEY (agent_id, nudge_id, ref_kind, ref_id, signal),
    FOREIGN KEY (agent_id, nudge_id) REFERENCES nudges (agent_id, id)
){clustered};

CREATE INDEX nudge_refs_by_ref ON nudge_refs (agent_id, ref_id);

CREATE TABLE deliveries (
    -- A nudge on its way through one channel. When it is tried is its duty's matter.
    agent_id {id} NOT NULL,
    nudge_id {id} NOT NULL,
    channel {text} NOT NULL,           -- a name of the settings
    state {text} NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    attempts {int} NOT NULL,
    last_error {text},                 -- a word of ours and a number; never what the other side sent
    updated_at {time} NOT NULL,
    PRIMARY KEY (agent_id, nudge_id, channel),
    FOREIGN KEY (agent_id, nudge_id) REFERENCES nudges (agent_id, id)
){strict};

-- What the operator's own signals read --------------------------------------------------------------------------------
-- Rows that tools, imports, links and the house brought are not in them. Each says whose it is: `agent_id`, and
-- `principal_id` for whose heartbeat.

CREATE VIEW signal_memories{as who asks} AS
    SELECT agent_id, serves_id AS principal_id, id, memory_type, state, content, tags, entity_id, importance, pinned, author,
        private, valence, expires_at AS due_at, created_at, touched_at, worked_at, fades_at, stale_at
    FROM memory_items WHERE serves_id IS NOT NULL AND replaced_by IS NULL AND summarized_into IS NULL;

CREATE VIEW signal_conversations{as who asks} AS
    SELECT agent_id, principal_id, id, channel, title, started_at, sitting_at, last_message_at, awaiting, active_until,
        closed_at
    FROM conversations WHERE principal_id IS NOT NULL;

CREATE VIEW signal_todos{as who asks} AS
    SELECT agent_id, COALESCE(principal_id, (SELECT operator_id FROM agents WHERE agents.id = todos.agent_id))
            AS principal_id,
        id, title, description, priority, status, due_at, remind, created_at, updated_at, finished_at
    FROM todos WHERE author IN ('principal', 'agent');

CREATE VIEW signal_entities{as who asks} AS
    SELECT agent_id, id, kind, name, created_at, heard_at FROM entities WHERE merged_into IS NULL;

CREATE VIEW signal_observations{as who asks} AS
    SELECT agent_id,
        COALESCE(principal_id, (SELECT operator_id FROM agents WHERE agents.id = knowledge_observations.agent_id))
            AS principal_id,
        id, kind, subject_type, subject_id, summary, status, confidence, freshness, contradiction_weight, created_at,
        updated_at
    FROM knowledge_observations;
