-- signal: knowledge_gap
-- tier: normal
-- weight: 3
-- meaning: a question waits for its answer
SELECT 'memory' AS ref_kind, id AS ref_id, entity_id AS topic_id, content AS label, expires_at AS due_at,
    'unanswered' AS status
FROM memory_items
WHERE agent_id = :agent AND serves_id = :principal AND memory_type = 'question' AND state = 'active'
    AND worked_at IS NULL AND created_at <= :asked_before
    AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
        AND topic_id = COALESCE(memory_items.entity_id, memory_items.id) AND at > :told_after)
ORDER BY created_at DESC, id DESC LIMIT :most
