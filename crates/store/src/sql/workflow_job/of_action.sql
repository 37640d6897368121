SELECT * FROM workflow_job
WHERE parent_coordinator = ?1 AND parent_action = ?2
ORDER BY job DESC
