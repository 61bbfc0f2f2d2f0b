-- signal: memory_velocity
-- tier: elevated
-- weight: 5
-- counts: aggregate
-- meaning: much was stored since the last act
SELECT 'principal' AS ref_kind, serves_id AS ref_id, CAST(NULL AS {id}) AS topic_id, 'new memories' AS label,
    CAST(NULL AS {time}) AS due_at,
    CASE WHEN COUNT(*) >= 100 THEN '100' WHEN COUNT(*) >= 50 THEN '50' WHEN COUNT(*) >= 20 THEN '20'
        WHEN COUNT(*) >= 10 THEN '10' WHEN COUNT(*) >= 5 THEN '5' ELSE 'some' END AS status
-- Counted up to a hundred: beyond, more is not another state. Without an order PostgreSQL walks through the table, for it
-- takes a third of all rows to be new.
FROM (SELECT serves_id FROM memory_items WHERE agent_id = :agent AND serves_id = :principal
    AND created_at > :since ORDER BY created_at DESC LIMIT 100) AS fresh
GROUP BY serves_id HAVING COUNT(*) >= :velocity
