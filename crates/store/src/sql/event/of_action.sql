SELECT * FROM event WHERE coordinator_job = ?1 AND action_number = ?2
UNION ALL
-- The last term repeats the condition of the partial index.
SELECT * FROM event
WHERE coordinator_job = ?1 AND last_action_number >= ?2 AND action_number < ?2 AND last_action_number > action_number
ORDER BY event
