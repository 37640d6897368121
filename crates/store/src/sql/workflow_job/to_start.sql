SELECT job FROM workflow_job INDEXED BY workflow_job_active
WHERE status = 'PREP'
ORDER BY job
