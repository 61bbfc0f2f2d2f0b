-- signal: goal_progress
-- tier: normal
-- weight: 3
-- meaning: a plan stands still
SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, expires_at AS due_at,
    CASE WHEN expires_at <= :at_risk_until THEN 'at_risk' ELSE 'stalled' END AS status
FROM memory_items
WHERE agent_id = :agent AND serves_id = :principal AND memory_type = 'plan' AND state = 'active'
    AND worked_at <= :stalled_since
    AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
        AND topic_id = COALESCE(memory_items.entity_id, memory_items.id) AND at > :told_after)
ORDER BY worked_at DESC, id DESC LIMIT :most
