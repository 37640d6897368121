SELECT count(*) FROM workflow_job
WHERE status = 'SUSPENDED' AND EXISTS (
    SELECT 1 FROM workflow_node AS node
    WHERE node.job = workflow_job.job AND node.status = 'START_MANUAL' AND node.forgotten = 0)
