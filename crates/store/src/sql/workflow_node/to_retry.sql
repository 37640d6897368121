SELECT node.*
FROM workflow_node AS node
JOIN workflow_job AS job ON job.job = node.job AND job.status = 'RUNNING'
WHERE node.retry_at IS NOT NULL
    AND iif(node.retry_boot = :boot AND :boot <> '', node.retry_uptime <= :uptime, node.retry_at <= :at)
ORDER BY node.retry_at, node.job, node.name
