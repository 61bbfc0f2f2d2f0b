-- What texts mean: a vector for each, made by a model. Derived: it can be made again from the texts, at the price of
-- asking the model.

CREATE TABLE embedding_models (
    -- Each model, and each number of dimensions of it, is a generation of its own: vectors of two are never compared.
    generation {int} NOT NULL,         -- from 1
    model {text} NOT NULL,
    dimensions {int} NOT NULL,
    unrelated {real} NOT NULL,         -- the cosine that texts usually have which have nothing to do with each other
    spread {real} NOT NULL,            -- how far such cosines lie from it
    created_at {time} NOT NULL,
    PRIMARY KEY (generation),
    UNIQUE (model, dimensions)
){strict};

CREATE TABLE vectors (
    agent_id {id} NOT NULL,
    generation {int} NOT NULL,
    kind {text} NOT NULL,              -- of what: 'memory', 'message'
    item_id {id} NOT NULL,
    seq {int} NOT NULL,                -- which change of the agent's vectors of this kind brought it
    embedding {vector} NOT NULL,       -- of length one
    PRIMARY KEY (agent_id, generation, kind, item_id)
){strict};

CREATE TABLE vector_codes (
    -- SQLite only: the short forms, in the order of the changes, which an index in memory is read from and follows.
    agent_id {id} NOT NULL,
    generation {int} NOT NULL,
    kind {text} NOT NULL,
    seq {int} NOT NULL,
    item_id {id} NOT NULL,
    code {bytes},                      -- null: it was taken away
    PRIMARY KEY (agent_id, generation, kind, seq)
){clustered};

CREATE TABLE vector_stock (
    agent_id {id} NOT NULL,
    generation {int} NOT NULL,
    kind {text} NOT NULL,
    seq {int} NOT NULL,                -- of the last change
    live {int} NOT NULL CHECK (live >= 0),
    PRIMARY KEY (agent_id, generation, kind)
){clustered};

CREATE TABLE vector_use (
    -- The generation in which an agent's recall looks. Another may be being made meanwhile.
    agent_id {id} NOT NULL,
    generation {int} NOT NULL,
    PRIMARY KEY (agent_id)
){strict};
