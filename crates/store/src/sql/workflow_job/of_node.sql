SELECT * FROM workflow_job
WHERE parent_workflow = ?1 AND parent_node = ?2
ORDER BY job DESC
