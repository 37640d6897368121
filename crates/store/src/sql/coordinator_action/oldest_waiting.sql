SELECT * FROM coordinator_action INDEXED BY coordinator_action_waiting
WHERE status = 'WAITING' AND job = ?1
ORDER BY nominal_at, number
LIMIT 1
