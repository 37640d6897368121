-- Actions of all jobs, the latest changed first. Each group of statuses has an index of its own; a group that is not
-- asked for is not read.
SELECT * FROM (
    SELECT * FROM coordinator_action INDEXED BY coordinator_action_unsuccessful
    WHERE (status = 'KILLED' OR status = 'FAILED' OR status = 'TIMEDOUT') AND :unsuccessful
      AND modified_at >= :since
      AND status IN (SELECT value FROM json_each(:statuses))
      AND (:jobs IS NULL OR job IN (SELECT value FROM json_each(:jobs)))
    UNION ALL
    SELECT * FROM coordinator_action INDEXED BY coordinator_action_successful
    WHERE status IN ('SUCCEEDED', 'IGNORED') AND :successful
      AND modified_at >= :since
      AND status IN (SELECT value FROM json_each(:statuses))
      AND (:jobs IS NULL OR job IN (SELECT value FROM json_each(:jobs)))
    UNION ALL
    SELECT * FROM coordinator_action INDEXED BY coordinator_action_active
    WHERE (status = 'READY' OR status = 'SUBMITTED' OR status = 'RUNNING' OR status = 'SUSPENDED') AND :active
      AND modified_at >= :since AND nominal_at <= :nominal_until
      AND status IN (SELECT value FROM json_each(:statuses))
      AND (:jobs IS NULL OR job IN (SELECT value FROM json_each(:jobs)))
    UNION ALL
    SELECT * FROM coordinator_action INDEXED BY coordinator_action_waiting
    WHERE status = 'WAITING' AND :waiting
      AND modified_at >= :since AND nominal_at <= :nominal_until
      AND (:jobs IS NULL OR job IN (SELECT value FROM json_each(:jobs)))
)
ORDER BY modified_at DESC, job DESC, number DESC LIMIT :len OFFSET :offset
