SELECT number, number AS last_number, status FROM coordinator_action
WHERE job = ?1 AND status = 'SKIPPED' AND run = 0 AND external_id IS NULL
UNION ALL
SELECT number, last_number, status FROM coordinator_action_range WHERE job = ?1 AND status = 'SKIPPED'
