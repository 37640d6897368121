-- The nodes of open attempts, with what limits their commands.
SELECT attempt.attempt, attempt.job, job.parent_coordinator, node.kind, node.pool, node.place
FROM attempt
JOIN workflow_job AS job ON job.job = attempt.job
JOIN workflow_node AS node ON node.job = attempt.job AND node.name = attempt.node
WHERE attempt.state = 'STARTED'
