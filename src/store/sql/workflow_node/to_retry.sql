SELECT node.*
FROM workflow_node AS node
JOIN workflow_job AS job ON job.job = node.job AND job.status = 'RUNNING'
WHERE node.retry_at <= ?1
ORDER BY node.retry_at, node.job, node.name
