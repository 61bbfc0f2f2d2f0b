-- signal: pending_work
-- tier: normal
-- weight: 3
-- meaning: plans and activities are under way
SELECT ref_kind, ref_id, topic_id, label, due_at, status
FROM (SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, expires_at AS due_at,
        CASE WHEN expires_at <= :pending_due THEN 'due' ELSE 'open' END AS status
    FROM memory_items
    WHERE agent_id = :agent AND serves_id = :principal AND memory_type IN ('plan', 'activity') AND state = 'active'
        AND touched_at > :pending_touched
        AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
            AND topic_id = COALESCE(memory_items.entity_id, memory_items.id) AND at > :told_after)
    ORDER BY touched_at DESC, id DESC LIMIT :most) AS touched
UNION
SELECT ref_kind, ref_id, topic_id, label, due_at, status
FROM (SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, expires_at AS due_at,
        'due' AS status
    FROM memory_items
    WHERE agent_id = :agent AND serves_id = :principal AND memory_type IN ('plan', 'activity') AND state = 'active'
        AND expires_at > :week_ago AND expires_at <= :pending_due
        AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
            AND topic_id = COALESCE(memory_items.entity_id, memory_items.id) AND at > :told_after)
    ORDER BY expires_at, id LIMIT :most) AS soon_due
