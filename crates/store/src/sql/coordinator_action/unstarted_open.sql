SELECT number, number AS last_number, status FROM coordinator_action INDEXED BY coordinator_action_waiting
WHERE job = ?1 AND status = 'WAITING' AND run = 0 AND external_id IS NULL
UNION ALL
SELECT number, number, status FROM coordinator_action INDEXED BY coordinator_action_active
WHERE job = ?1 AND status = 'READY'
    AND run = 0 AND external_id IS NULL
