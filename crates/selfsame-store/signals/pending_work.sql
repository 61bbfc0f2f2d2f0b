-- signal: pending_work
-- tier: normal
-- weight: 3
-- meaning: plans and activities are under way
SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, expires_at AS due_at,
    CASE WHEN expires_at <= :pending_due THEN 'due' ELSE 'open' END AS status
FROM memory_items
WHERE agent_id = :agent AND serves_id = :principal AND memory_type IN ('plan', 'activity') AND state = 'active'
    AND touched_at > :pending_touched
UNION
SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, expires_at AS due_at,
    'due' AS status
FROM memory_items
WHERE agent_id = :agent AND serves_id = :principal AND memory_type IN ('plan', 'activity') AND state = 'active'
    AND expires_at > :week_ago AND expires_at <= :pending_due
