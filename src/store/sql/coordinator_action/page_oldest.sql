SELECT * FROM coordinator_action
WHERE job = :job
  AND number BETWEEN coalesce(:first_number, 1) AND coalesce(:last_number, 4294967295)
  AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:nominal_from IS NULL OR nominal_at >= :nominal_from)
  AND (:nominal_until IS NULL OR nominal_at <= :nominal_until)
ORDER BY number
LIMIT :len OFFSET :offset
