-- signal: continuity
-- tier: elevated
-- weight: 5
-- meaning: a conversation broke off in the middle of something
SELECT ref_kind, ref_id, topic_id, label, due_at, status
FROM (SELECT 'conversation' AS ref_kind, id AS ref_id, CAST(NULL AS {id}) AS topic_id,
        COALESCE(title, channel, '') AS label, CAST(NULL AS {time}) AS due_at, 'unanswered' AS status
    FROM conversations
    WHERE agent_id = :agent AND principal_id = :principal AND closed_at IS NULL AND awaiting
        AND last_message_at >= :continuity_from AND last_message_at <= :continuity_until
        AND COALESCE(active_until, last_message_at) <= :now
        AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
            AND topic_id = conversations.id AND at > :told_after)
    ORDER BY last_message_at DESC, id DESC LIMIT :most) AS unanswered
UNION ALL
SELECT ref_kind, ref_id, topic_id, label, due_at, status
FROM (SELECT 'conversation' AS ref_kind, id AS ref_id, CAST(NULL AS {id}) AS topic_id,
        COALESCE(title, channel, '') AS label, CAST(NULL AS {time}) AS due_at, 'unfinished' AS status
    FROM conversations
    WHERE agent_id = :agent AND principal_id = :principal AND closed_at IS NULL AND NOT awaiting
        AND last_message_at >= :continuity_from AND last_message_at <= :continuity_until
        AND COALESCE(active_until, last_message_at) <= :now
        AND EXISTS (SELECT 1 FROM memory_items WHERE agent_id = :agent AND serves_id = :principal
            AND memory_type IN ('plan', 'activity') AND memory_type = 'activity' AND state = 'active'
            AND touched_at >= conversations.sitting_at)
        AND NOT EXISTS (SELECT 1 FROM heartbeat_surfaced WHERE agent_id = :agent AND principal_id = :principal
            AND topic_id = conversations.id AND at > :told_after)
    ORDER BY last_message_at DESC, id DESC LIMIT :most) AS unfinished
