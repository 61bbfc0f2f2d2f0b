-- Memory that is shared between agents.

CREATE TABLE links (
    -- A neural link as one of its two sides sees it: each has a row of its own, under the same id.
    agent_id {id} NOT NULL REFERENCES agents (id),
    id {id} NOT NULL,
    side {text} NOT NULL CHECK (side IN ('receives', 'gives')),
    other_id {id} NOT NULL,            -- the agent on the other side; no reference: one mind may be copied without the other
    source_ref {text} NOT NULL,        -- the id as copies name it
    state {text} NOT NULL CHECK (state IN ('requested', 'declined', 'expired', 'copying', 'accepted', 'falling', 'revoked')),
    hidden {bool} NOT NULL,            -- what came by it is not to be seen: it is being copied, or being taken away
    unfinished {bool} NOT NULL,        -- something is still to be done about it
    onward {bool} NOT NULL,            -- what it brings may be given on
    requested_at {time} NOT NULL,
    expires_at {time} NOT NULL,        -- of the request
    answered_at {time},
    accepted_at {time},
    ended_at {time},
    until_id {id},                     -- the last memory of the giver that goes through it
    copied_until {id},                 -- how far they were copied
    summaries_until {id},              -- how far the giver's summaries were copied
    told_until {id},                   -- how far the log tells of them
    copied {int} NOT NULL,             -- memories that are new to the receiver
    merged {int} NOT NULL,             -- memories that it knew
    PRIMARY KEY (agent_id, id)
){strict};

CREATE INDEX links_requested ON links (agent_id, side, other_id) WHERE state = 'requested';
CREATE INDEX links_hidden ON links (agent_id, source_ref, id) WHERE hidden;
CREATE INDEX links_unfinished ON links (agent_id, id) WHERE unfinished;

CREATE TABLE link_items (
    -- What became of each memory that went through a link, at the receiver.
    agent_id {id} NOT NULL,
    link_id {id} NOT NULL,
    origin_id {id} NOT NULL,           -- the giver's memory
    memory_id {id} NOT NULL,           -- the receiver's
    merged {bool} NOT NULL,            -- the receiver knew it: the link is one source more
    PRIMARY KEY (agent_id, link_id, origin_id),
    FOREIGN KEY (agent_id, link_id) REFERENCES links (agent_id, id)
){clustered};

CREATE INDEX link_items_by_memory ON link_items (agent_id, memory_id);
CREATE INDEX memory_items_linked ON memory_items (agent_id, source_ref, id) WHERE author = 'link';
CREATE INDEX memory_sources_by_link ON memory_sources (agent_id, link_id, memory_id) WHERE link_id IS NOT NULL;
