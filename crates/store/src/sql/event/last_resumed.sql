SELECT max(at) AS at FROM event
WHERE coordinator_job = ?1 AND action_number IS NULL
    AND from_status IN ('SUSPENDED', 'SUSPENDEDWITHERROR')
    AND to_status NOT IN ('SUSPENDED', 'SUSPENDEDWITHERROR')
