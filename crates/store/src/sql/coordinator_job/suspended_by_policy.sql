SELECT count(*) FROM coordinator_job AS suspended
WHERE status IN ('PREPSUSPENDED', 'SUSPENDED', 'SUSPENDEDWITHERROR') AND (
    SELECT actor IS NULL FROM event
    WHERE event.coordinator_job = suspended.job AND event.action_number IS NULL AND event.origin = 'suspend'
    ORDER BY event.event DESC LIMIT 1)
