-- signal: stale_monitor
-- tier: elevated
-- weight: 5
-- meaning: something that is looked after was not looked at in time
SELECT 'memory' AS ref_kind, memory_id AS ref_id,
    (SELECT entity_id FROM memory_items WHERE agent_id = :agent AND id = unchecked.memory_id) AS topic_id,
    (SELECT content FROM memory_items WHERE agent_id = :agent AND id = unchecked.memory_id) AS label,
    next_check_at AS due_at, 'unchecked' AS status
FROM (SELECT memory_id, next_check_at FROM monitors
    WHERE agent_id = :agent AND ended_at IS NULL AND next_check_at <= :now
        AND EXISTS (SELECT 1 FROM memory_items WHERE agent_id = :agent AND id = monitors.memory_id
            AND serves_id = :principal AND state IN ('active', 'stale')
            AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
                AND topic_id = COALESCE(memory_items.entity_id, memory_items.id) AND at > :told_after))
    ORDER BY next_check_at DESC, memory_id DESC LIMIT :most) AS unchecked
