SELECT * FROM coordinator_action INDEXED BY coordinator_action_waiting
WHERE job = ?1 AND status = 'WAITING' AND (run > 0 OR external_id IS NOT NULL)
UNION ALL
SELECT * FROM coordinator_action INDEXED BY coordinator_action_active
WHERE job = ?1 AND (status = 'READY' OR status = 'SUBMITTED' OR status = 'RUNNING' OR status = 'SUSPENDED')
    AND (status <> 'READY' OR run > 0 OR external_id IS NOT NULL)
