-- signal: deadline
-- tier: immediate
-- weight: 10
-- meaning: a deadline is near or past
SELECT 'memory' AS ref_kind, memory_id AS ref_id,
    (SELECT entity_id FROM memory_items WHERE agent_id = :agent AND id = reached.memory_id) AS topic_id,
    (SELECT content FROM memory_items WHERE agent_id = :agent AND id = reached.memory_id) AS label,
    due_at, told AS status
-- The status is the rung that was last told; which one is reached is judged from it. What is due or about to be comes
-- first, the nearest before others: what is overdue may wait for the morning, and must not hide it.
FROM (SELECT memory_id, due_at, told FROM deadlines
    WHERE agent_id = :agent AND serves_id = :principal AND next_rung_at <= :now
    ORDER BY due_at <= :day_ago, CASE WHEN due_at > :day_ago THEN due_at END, due_at DESC, memory_id LIMIT :most)
    AS reached
