-- What came from elsewhere, and by which run; and where a house went that moved.

CREATE TABLE import_runs (
    -- One reading of a file or folder that another system wrote.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    format {text} NOT NULL,
    source {text} NOT NULL,            -- the name of the file or folder, without its path
    filed {int} NOT NULL,              -- candidates that it brought
    known {int} NOT NULL,              -- what an earlier run had brought already
    at {time} NOT NULL,
    undone_at {time},
    PRIMARY KEY (agent_id, id)
){strict};

CREATE TABLE import_items (
    -- What was brought, so that it is brought once; a run that is undone takes its items along.
    agent_id {id} NOT NULL,
    item_key {bytes} NOT NULL,         -- hash of the words
    run_id {id} NOT NULL,
    candidate_id {id} NOT NULL,
    PRIMARY KEY (agent_id, item_key),
    FOREIGN KEY (agent_id, run_id) REFERENCES import_runs (agent_id, id)
){clustered};

CREATE INDEX import_items_by_run ON import_items (agent_id, run_id, candidate_id);

CREATE TABLE house (
    -- What is true of the whole house: that it moved, where to, or that one is moving in.
    name {text} NOT NULL PRIMARY KEY,
    value {text} NOT NULL,
    at {time} NOT NULL
){strict};

-- Once set, the log cannot grow: every write adds to it, so a house that has moved takes none.
ALTER TABLE agent_heads ADD COLUMN moved_seq {int} CONSTRAINT this_house_has_moved
    CHECK (moved_seq IS NULL OR moved_seq = seq);
