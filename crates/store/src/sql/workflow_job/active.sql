SELECT * FROM workflow_job INDEXED BY workflow_job_active
-- Written as in the partial index.
WHERE status = 'PREP' OR status = 'RUNNING' OR status = 'SUSPENDED'
ORDER BY job
