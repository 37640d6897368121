SELECT job, nominal_at, number, created_at, definition_version, timeout_minutes, missing_from, first_missing
FROM coordinator_action INDEXED BY coordinator_action_waiting
WHERE status = 'WAITING' AND job = :job AND nominal_at BETWEEN :from AND :now
ORDER BY nominal_at, number
