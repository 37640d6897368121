SELECT job FROM workflow_job
WHERE job > :after AND parent_coordinator IS NULL AND parent_workflow IS NULL
    AND status IN ('SUCCEEDED', 'KILLED', 'FAILED') AND coalesce(ended_at, modified_at) < :before
ORDER BY job LIMIT :limit
