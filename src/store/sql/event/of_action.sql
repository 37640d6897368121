SELECT * FROM event
WHERE coordinator_job = ?1 AND action_number <= ?2 AND coalesce(last_action_number, action_number) >= ?2
ORDER BY event
