-- signal: scheduled
-- tier: immediate
-- weight: 10
-- meaning: something scheduled is due
SELECT 'schedule' AS ref_kind, id AS ref_id,
    (SELECT entity_id FROM memory_items WHERE agent_id = :agent AND id = schedules.source_id) AS topic_id,
    COALESCE((SELECT content FROM memory_items WHERE agent_id = :agent AND id = schedules.source_id),
        (SELECT title FROM todos WHERE agent_id = :agent AND id = schedules.source_id),
        (SELECT title FROM calendar_events WHERE agent_id = :agent AND id = schedules.source_id)) AS label,
    next_due_at AS due_at, 'due' AS status
FROM schedules
WHERE agent_id = :agent AND serves_id = :principal AND next_due_at <= :now
    AND COALESCE(surfaced_slot < next_due_at, TRUE)
