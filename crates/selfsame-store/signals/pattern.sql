-- signal: pattern
-- tier: low
-- weight: 1
-- counts: aggregate
-- meaning: this weekday has its topic
SELECT 'entity' AS ref_kind, topic_id AS ref_id, topic_id,
    (SELECT name FROM entities WHERE agent_id = :agent AND id = topic_habits.topic_id) AS label,
    CAST(NULL AS {time}) AS due_at,
    CASE weekday WHEN 1 THEN 'monday' WHEN 2 THEN 'tuesday' WHEN 3 THEN 'wednesday' WHEN 4 THEN 'thursday'
        WHEN 5 THEN 'friday' WHEN 6 THEN 'saturday' ELSE 'sunday' END AS status
FROM topic_habits
WHERE agent_id = :agent AND serves_id = :principal AND weekday = :weekday AND holds_until > :now
ORDER BY holds_until DESC, topic_id LIMIT :most
