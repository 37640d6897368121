FROM coordinator_action
WHERE job = :job
  AND number BETWEEN coalesce(:first_number, 1) AND coalesce(:last_number, 4294967295)
  AND (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:nominal_from IS NULL OR nominal_at >= :nominal_from)
  AND (:nominal_until IS NULL OR nominal_at <= :nominal_until)
  AND (:created_from IS NULL OR created_at >= :created_from)
  AND (:created_until IS NULL OR created_at <= :created_until)
  AND (:nominal_in IS NULL OR nominal_at IN (SELECT CAST(value AS INTEGER) FROM json_each(:nominal_in)))
  AND (:nominal_not_in IS NULL
      OR nominal_at NOT IN (SELECT CAST(value AS INTEGER) FROM json_each(:nominal_not_in)))
