-- signal: conflict
-- tier: elevated
-- weight: 5
-- meaning: two things that are held cannot both be true
SELECT ref_kind, ref_id, topic_id, label, due_at, status
FROM (SELECT 'memory' AS ref_kind, memory_id AS ref_id,
        (SELECT entity_id FROM memory_items WHERE agent_id = :agent AND id = memory_pairs.memory_id) AS topic_id,
        (SELECT content FROM memory_items WHERE agent_id = :agent AND id = memory_pairs.memory_id) || ' / '
            || (SELECT content FROM memory_items WHERE agent_id = :agent AND id = memory_pairs.other_id) AS label,
        CAST(NULL AS {time}) AS due_at, how AS status
    FROM memory_pairs
    WHERE agent_id = :agent AND settled_at IS NULL
        AND EXISTS (SELECT 1 FROM memory_items WHERE agent_id = :agent AND id = memory_pairs.memory_id
            AND serves_id = :principal AND state IN ('active', 'stale')
            AND replaced_by IS NULL AND summarized_into IS NULL
            AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
                AND topic_id = COALESCE(memory_items.entity_id, memory_items.id) AND at > :told_after))
        AND EXISTS (SELECT 1 FROM memory_items WHERE agent_id = :agent AND id = memory_pairs.other_id
            AND serves_id IS NOT NULL AND state IN ('active', 'stale')
            AND replaced_by IS NULL AND summarized_into IS NULL)
    ORDER BY found_at DESC, memory_id DESC, other_id DESC LIMIT :most) AS at_odds
UNION ALL
SELECT ref_kind, ref_id, topic_id, label, due_at, status
FROM (SELECT 'observation' AS ref_kind, observation_id AS ref_id, CAST(NULL AS {id}) AS topic_id,
        (SELECT summary FROM knowledge_observations WHERE agent_id = :agent
            AND id = knowledge_conflicts.observation_id) AS label,
        CAST(NULL AS {time}) AS due_at, 'contested' AS status
    FROM knowledge_conflicts
    WHERE agent_id = :agent AND settled_at IS NULL
        AND EXISTS (SELECT 1 FROM knowledge_observations WHERE agent_id = :agent
            AND id = knowledge_conflicts.observation_id AND status IN ('active', 'stale')
            AND COALESCE(principal_id, :operator) = :principal)
        AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
            AND topic_id = knowledge_conflicts.observation_id AND at > :told_after)
    ORDER BY raised_at DESC, id DESC LIMIT :most) AS contested
