-- What is forgotten, with proof.

-- What it said, hashed with a secret that is in no database: who has the secret and the words can tell that they were here.
ALTER TABLE tombstones ADD COLUMN words_hash {bytes};

CREATE TABLE erasure_proofs (
    -- What an act of forgetting took away: counts, ids and keyed hashes. Global: the proof of an agent that was forgotten
    -- whole outlives it.
    agent_id {id} NOT NULL,
    erasure_id {id} NOT NULL,
    at {time} NOT NULL,
    actor {text} NOT NULL,             -- by whom
    how {text} NOT NULL,               -- a word of ours: what it was named by
    removed {json} NOT NULL,           -- how many of each kind went
    rewritten {json} NOT NULL,         -- how many of each kind stayed with other words, or none
    items_hash {bytes} NOT NULL,       -- keyed, over all that went
    PRIMARY KEY (agent_id, erasure_id)
){strict};

CREATE INDEX erasure_proofs_by_id ON erasure_proofs (erasure_id);

-- What came by a message, a file or a run is asked for each thing that goes.
CREATE INDEX memory_items_by_source ON memory_items (agent_id, source_ref) WHERE source_ref IS NOT NULL;
CREATE INDEX messages_by_source ON messages (agent_id, source_ref) WHERE source_ref IS NOT NULL;
CREATE INDEX inbox_candidates_by_source ON inbox_candidates (agent_id, source_ref) WHERE source_ref IS NOT NULL;
CREATE INDEX memory_sources_by_source ON memory_sources (agent_id, source_ref) WHERE source_ref IS NOT NULL;
