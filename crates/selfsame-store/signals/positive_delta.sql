-- signal: positive_delta
-- tier: normal
-- weight: 3
-- counts: aggregate
-- meaning: something got better since the last act
SELECT 'memory' AS ref_kind, ref_id,
    (SELECT entity_id FROM memory_items WHERE agent_id = :agent AND id = heartbeat_marks.ref_id) AS topic_id,
    (SELECT content FROM memory_items WHERE agent_id = :agent AND id = heartbeat_marks.ref_id) AS label,
    CAST(NULL AS {time}) AS due_at, 'resolved' AS status
-- A mood that was bad comes with the word for it; whether it is over is judged from what was felt since.
FROM heartbeat_marks
WHERE agent_id = :agent AND principal_id = :principal AND sort = 'goal'
    AND EXISTS (SELECT 1 FROM memory_items WHERE agent_id = :agent AND id = heartbeat_marks.ref_id
        AND state = 'resolved')
UNION ALL
SELECT 'memory' AS ref_kind, ref_id,
    (SELECT entity_id FROM memory_items WHERE agent_id = :agent AND id = heartbeat_marks.ref_id) AS topic_id,
    (SELECT content FROM memory_items WHERE agent_id = :agent AND id = heartbeat_marks.ref_id) AS label,
    CAST(NULL AS {time}) AS due_at, 'on_track' AS status
FROM heartbeat_marks
WHERE agent_id = :agent AND principal_id = :principal AND sort = 'goal'
    AND EXISTS (SELECT 1 FROM memory_items WHERE agent_id = :agent AND id = heartbeat_marks.ref_id
        AND state = 'active' AND worked_at > heartbeat_marks.at)
UNION ALL
SELECT 'entity' AS ref_kind, ref_id, ref_id AS topic_id,
    (SELECT name FROM entities WHERE agent_id = :agent AND id = heartbeat_marks.ref_id) AS label,
    CAST(NULL AS {time}) AS due_at, 're_engaged' AS status
FROM heartbeat_marks
WHERE agent_id = :agent AND principal_id = :principal AND sort = 'entity'
    AND EXISTS (SELECT 1 FROM entities WHERE agent_id = :agent AND id = heartbeat_marks.ref_id
        AND heard_at > heartbeat_marks.at)
UNION ALL
SELECT 'principal' AS ref_kind, ref_id, CAST(NULL AS {id}) AS topic_id, 'mood' AS label, CAST(NULL AS {time}) AS due_at, status
FROM heartbeat_marks
WHERE agent_id = :agent AND principal_id = :principal AND sort = 'sentiment'
