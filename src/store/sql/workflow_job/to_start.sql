-- The list repeats the condition of the partial index: SQLite does not infer it from one of its words.
SELECT job FROM workflow_job INDEXED BY workflow_job_active
WHERE status = 'PREP' AND status IN ('PREP', 'RUNNING', 'SUSPENDED')
ORDER BY job
