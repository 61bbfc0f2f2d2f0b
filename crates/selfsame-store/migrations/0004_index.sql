-- The lexical index, made anew: its postings in blocks, and for each text where it stands among others.
-- It is derived from the rows that it indexes, and is built again from them when a mind is opened.

DROP TABLE postings;
DROP TABLE term_stats;

CREATE TABLE postings (
    -- Terms analysed in Rust, the same on both engines, written in the row's transaction.
    -- No foreign key: it is derived from rows that have one, and is by far the largest table.
    agent_id {id} NOT NULL,
    kind {text} NOT NULL,              -- what is indexed: 'memory', 'open', 'diary', 'message'
    term {text} NOT NULL,
    block {int} NOT NULL,              -- from 0, in the order in which they were filled
    entries {bytes} NOT NULL,          -- 12 bytes each: thread, place, how often, length of the text
    PRIMARY KEY (agent_id, kind, term, block)
){clustered};

CREATE TABLE term_stats (
    agent_id {id} NOT NULL,
    kind {text} NOT NULL,
    term {text} NOT NULL,
    df {int} NOT NULL CHECK (df >= 0), -- texts that have it
    added {int} NOT NULL,              -- ever added, never taken back: it says which block is being filled
    PRIMARY KEY (agent_id, kind, term)
){clustered};

ALTER TABLE corpus_stats ADD COLUMN next_thread {int} NOT NULL DEFAULT 0;
ALTER TABLE corpus_stats ADD COLUMN version {int} NOT NULL DEFAULT 0; -- of the index; negative: being built

CREATE TABLE indexed_texts (
    -- What the index knows of a text besides its words.
    agent_id {id} NOT NULL,
    kind {text} NOT NULL,
    spot {int} NOT NULL,               -- thread and place as one number: 2^32 times the thread, plus the place
    item_id {id} NOT NULL,
    len {int} NOT NULL,                -- words
    said_at {time} NOT NULL,
    speaker_id {id},                   -- who said it; whom it is about, if it is a memory
    marks {int} NOT NULL,              -- what can be seen of it, as bits
    blocks {bytes} NOT NULL,           -- for each of its terms, in their order, the block its posting is in; 4 bytes each
    PRIMARY KEY (agent_id, kind, spot)
){clustered};

CREATE INDEX indexed_texts_by_item ON indexed_texts (agent_id, kind, item_id);

CREATE TABLE threads (
    -- The newest thread of each source that texts come from in runs: a conversation's sitting.
    agent_id {id} NOT NULL,
    kind {text} NOT NULL,
    source_id {id} NOT NULL,
    thread {int} NOT NULL,
    places {int} NOT NULL,             -- taken
    last_at {time} NOT NULL,           -- when the last text was said
    PRIMARY KEY (agent_id, kind, source_id)
){clustered};
