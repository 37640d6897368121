SELECT * FROM coordinator_action INDEXED BY coordinator_action_active
WHERE job = ?1 AND status = 'READY'
ORDER BY nominal_at, number
LIMIT ?2
