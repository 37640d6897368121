SELECT * FROM coordinator_action INDEXED BY coordinator_action_waiting
WHERE job = ?1 AND status = 'WAITING'
UNION ALL
SELECT * FROM coordinator_action INDEXED BY coordinator_action_active
WHERE job = ?1 AND (status = 'READY' OR status = 'SUBMITTED' OR status = 'RUNNING' OR status = 'SUSPENDED')
ORDER BY number
