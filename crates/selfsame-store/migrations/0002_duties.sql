-- What happened, and what is to be done.

CREATE TABLE events (
    -- Outbox and audit in one: numbered without holes from the agent's head row, chained by hash, never changed.
    agent_id {id} NOT NULL REFERENCES agents (id),
    seq {int} NOT NULL CHECK (seq > 0),
    at {time} NOT NULL,
    actor {text} NOT NULL,
    act {text} NOT NULL,
    subject_kind {text} NOT NULL,
    subject_id {id} NOT NULL,
    hash {bytes} NOT NULL,
    PRIMARY KEY (agent_id, seq)
){clustered};

CREATE TABLE duties (
    -- Global: the scheduler looks for what is due before it knows whose it is.
    id {id} NOT NULL PRIMARY KEY,
    kind {text} NOT NULL,
    agent_id {id} REFERENCES agents (id), -- null: the whole house's
    scope {text} NOT NULL,             -- with the kind, what makes a duty the same duty
    rhythm {text} NOT NULL,
    slot {time} NOT NULL,              -- the slot to be done next
    next_at {time} NOT NULL,           -- when to try: the slot, or later after a failure
    state {text} NOT NULL CHECK (state IN ('waiting', 'running', 'dead', 'cancelled', 'done')),
    attempts {int} NOT NULL,           -- for this slot; counted when an attempt starts
    token {int} NOT NULL,              -- the fence: only who holds the latest may write
    lease_until {time},
    done_slot {time},                  -- the last slot that was done
    done_spans {text},                 -- which slots were done: none is done twice, whatever the clock does
    done_count {int} NOT NULL,
    passed_over {int} NOT NULL,        -- slots given up because nobody was there
    last_error {text},
    created_at {time} NOT NULL,
    updated_at {time} NOT NULL,
    UNIQUE (kind, scope)
){strict};

CREATE INDEX duties_by_next ON duties (next_at, id);
