-- The nodes that were reached and have not begun, and those that are due to be tried again, in jobs that run. A node in
-- START_MANUAL waited for the operator, who has resumed its job.
WITH waiting (job, name, sequence, kind, pool, place) AS (
    SELECT job, name, sequence, kind, pool, place FROM workflow_node
    WHERE status IN ('PREP', 'START_MANUAL') AND forgotten = 0
    UNION ALL
    SELECT job, name, sequence, kind, pool, place FROM workflow_node
    WHERE retry_at IS NOT NULL
        AND iif(retry_boot = :boot AND :boot <> '', retry_uptime <= :uptime, retry_at <= :at)
)
SELECT waiting.job, waiting.name, job.parent_coordinator, coalesce(action.nominal_at, job.created_at),
    waiting.kind, waiting.pool, waiting.place
FROM waiting
CROSS JOIN workflow_job AS job ON job.job = waiting.job AND job.status = 'RUNNING'
LEFT JOIN coordinator_action AS action
    ON action.job = job.parent_coordinator AND action.number = job.parent_action
ORDER BY waiting.job, waiting.sequence, waiting.name
