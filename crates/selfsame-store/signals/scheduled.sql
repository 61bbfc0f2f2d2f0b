-- signal: scheduled
-- tier: immediate
-- weight: 10
-- meaning: something scheduled is due
SELECT 'schedule' AS ref_kind, id AS ref_id,
    (SELECT entity_id FROM memory_items WHERE agent_id = :agent AND id = due.source_id) AS topic_id,
    COALESCE((SELECT content FROM memory_items WHERE agent_id = :agent AND id = due.source_id),
        (SELECT title FROM todos WHERE agent_id = :agent AND id = due.source_id),
        (SELECT title FROM calendar_events WHERE agent_id = :agent AND id = due.source_id)) AS label,
    next_due_at AS due_at, 'due' AS status
-- What has waited the longest first: what is told is found no more, so the others follow.
FROM (SELECT id, source_id, next_due_at FROM schedules
    WHERE agent_id = :agent AND serves_id = :principal AND next_due_at <= :now
        AND COALESCE(surfaced_slot < next_due_at, TRUE)
    ORDER BY next_due_at, id LIMIT :most) AS due
