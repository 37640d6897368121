SELECT * FROM workflow_job INDEXED BY workflow_job_active
WHERE status IN ('PREP', 'RUNNING', 'SUSPENDED')
ORDER BY job
