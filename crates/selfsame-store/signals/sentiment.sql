-- signal: sentiment
-- tier: low
-- weight: 1
-- counts: aggregate
-- meaning: the mood changed, or is extreme
SELECT 'memory' AS ref_kind, id AS ref_id, NULL AS topic_id, 'mood' AS label, NULL AS due_at, valence AS status
-- The status is what was felt, the latest first; what that amounts to is judged from it.
FROM memory_items
WHERE agent_id = :agent AND serves_id = :principal AND author = 'principal' AND valence IS NOT NULL
    AND replaced_by IS NULL
ORDER BY created_at DESC, id DESC LIMIT 20
