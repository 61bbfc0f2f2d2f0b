-- What words cost in a prompt, counted once when they are stored; null: an earlier version stored them, and they are
-- counted when they are read. Not sealed: it follows from the words.

ALTER TABLE memory_items ADD COLUMN tokens {int};
ALTER TABLE messages ADD COLUMN tokens {int};
ALTER TABLE diary_entries ADD COLUMN tokens {int};
ALTER TABLE soul_entries ADD COLUMN tokens {int};
ALTER TABLE lessons ADD COLUMN tokens {int};
ALTER TABLE reflections ADD COLUMN tokens {int};

-- The conversation that goes on is asked for with every context: the one in which something was said last.
CREATE INDEX conversations_by_last_message ON conversations (agent_id, last_message_at, id);
CREATE INDEX conversations_by_principal ON conversations (agent_id, principal_id, last_message_at, id);
