UPDATE bundle_job SET
    status = :status, modified_at = :modified_at, started_at = :started_at, pause_at = :pause_at, end_at = :end_at,
    suspended_at = :suspended_at, ended_at = :ended_at, due_at = :due_at
WHERE job = :job AND status = :from
