SELECT count(*) FROM coordinator_action AS action INDEXED BY coordinator_action_unsuccessful
WHERE (status = 'KILLED' OR status = 'FAILED' OR status = 'TIMEDOUT') AND modified_at >= ?1
    AND NOT (status = 'KILLED' AND EXISTS (
        SELECT 1 FROM event
        WHERE event.coordinator_job = action.job AND event.at = action.modified_at
            AND event.to_status = 'KILLED' AND event.actor IS NOT NULL AND event.action_number IS NOT NULL
            AND action.number BETWEEN event.action_number AND coalesce(event.last_action_number, event.action_number)))
