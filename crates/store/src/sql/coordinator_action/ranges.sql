SELECT * FROM coordinator_action_range
WHERE job = :job
  AND number <= coalesce(:last_number, 4294967295) AND last_number >= coalesce(:first_number, 1)
  AND (:nominal_from IS NULL OR last_nominal_at >= :nominal_from)
  AND (:nominal_until IS NULL OR nominal_at <= :nominal_until)
  AND (:created_from IS NULL OR created_at >= :created_from)
  AND (:created_until IS NULL OR created_at <= :created_until)
ORDER BY number
