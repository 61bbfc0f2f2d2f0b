-- Open plans by their ids: who is spoken of in them is asked at every tick, and their rows are not read for it. Type and
-- state are the same in all of it; they are there because SQLite asks for them.
CREATE INDEX memory_items_plans ON memory_items (agent_id, serves_id, id, memory_type, state)
    WHERE memory_type = 'plan' AND state = 'active' AND serves_id IS NOT NULL;

-- The latest of what is contested comes first.
CREATE INDEX knowledge_conflicts_by_raise ON knowledge_conflicts (agent_id, raised_at, id) WHERE settled_at IS NULL;
