SELECT attempt.attempt
FROM attempt
LEFT JOIN workflow_node AS node
    ON node.job = attempt.job AND node.name = attempt.node AND node.run = attempt.run AND node.status = 'RUNNING'
WHERE attempt.state = 'STARTED' AND (node.job IS NULL OR attempt.kill_requested_at IS NOT NULL)
