-- The list repeats the condition of the partial index: SQLite does not infer it from one of its words.
SELECT DISTINCT job FROM coordinator_action INDEXED BY coordinator_action_active
WHERE status = 'READY' AND status IN ('READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED')
ORDER BY job
