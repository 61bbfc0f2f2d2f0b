-- signal: relationship
-- tier: low
-- weight: 1
-- meaning: somebody who matters now has not been heard of
SELECT 'entity' AS ref_kind, id AS ref_id, id AS topic_id, name AS label, CAST(NULL AS {time}) AS due_at,
    CASE WHEN heard_at <= :days_60_ago THEN '60' WHEN heard_at <= :days_30_ago THEN '30'
        WHEN heard_at <= :days_14_ago THEN '14' ELSE '7' END AS status
FROM entities
WHERE agent_id = :agent AND merged_into IS NULL AND heard_at <= :silent_since
    AND id NOT IN (SELECT entity_id FROM principals WHERE agent_id = :agent AND id = :principal)
    AND id IN (SELECT COALESCE(merged_into, id) FROM entities WHERE agent_id = :agent
        AND id IN (SELECT entity_id FROM mentions WHERE agent_id = :agent AND item_kind = 'memory'
            AND item_id IN (SELECT id FROM memory_items WHERE agent_id = :agent AND serves_id = :principal
                    AND memory_type = 'plan' AND state = 'active'
                UNION ALL SELECT id FROM memory_items WHERE agent_id = :agent AND serves_id = :principal
                    AND state = 'active' AND expires_at > :now AND expires_at <= :silent_due)))
    AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
        AND topic_id = entities.id AND at > :told_after)
ORDER BY heard_at DESC, id DESC LIMIT :most
