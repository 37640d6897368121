SELECT * FROM coordinator_action
WHERE job = ?1 AND status = 'SKIPPED' AND (run > 0 OR external_id IS NOT NULL)
