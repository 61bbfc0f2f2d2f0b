-- signal: decaying
-- tier: low
-- weight: 1
-- meaning: something important is about to be forgotten
SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, stale_at AS due_at,
    'fading' AS status
FROM memory_items
WHERE agent_id = :agent AND serves_id = :principal AND importance >= 0.7 AND state = 'active'
    AND fades_at <= :now AND stale_at > :now
    AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
        AND topic_id = COALESCE(memory_items.entity_id, memory_items.id) AND at > :told_after)
ORDER BY fades_at DESC, id DESC LIMIT :most
