-- The action of a job that has not ended with the earliest nominal time.
SELECT number, nominal_at FROM (
    SELECT number, nominal_at FROM (
        SELECT number, nominal_at FROM coordinator_action INDEXED BY coordinator_action_waiting
        WHERE job = ?1 AND status = 'WAITING' ORDER BY nominal_at LIMIT 1)
    UNION ALL
    SELECT number, nominal_at FROM coordinator_action INDEXED BY coordinator_action_active
    WHERE job = ?1 AND status IN ('READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED')
)
ORDER BY nominal_at LIMIT 1
