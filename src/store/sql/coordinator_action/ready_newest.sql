-- The list repeats the condition of the partial index: SQLite does not infer it from one of its words.
SELECT * FROM coordinator_action INDEXED BY coordinator_action_active
WHERE job = ?1 AND status = 'READY' AND status IN ('READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED')
ORDER BY nominal_at DESC, number DESC
LIMIT ?2
