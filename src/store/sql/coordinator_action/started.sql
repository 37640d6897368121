-- The list repeats the condition of the partial index, word for word.
SELECT * FROM coordinator_action INDEXED BY coordinator_action_active
WHERE job = ?1 AND status IN ('READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED') AND status <> 'READY'
ORDER BY nominal_at, number
