SELECT * FROM coordinator_action INDEXED BY coordinator_action_waiting
WHERE job = ?1 AND status = 'WAITING'
UNION ALL
SELECT * FROM coordinator_action INDEXED BY coordinator_action_active
WHERE job = ?1 AND status IN ('READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED')
ORDER BY number
