SELECT job, nominal_at, number, created_at, definition_version, timeout_minutes, missing_from, first_missing
FROM coordinator_action INDEXED BY coordinator_action_waiting
WHERE status = 'WAITING' AND job >= :first AND nominal_at <= :now
ORDER BY job, nominal_at, number
