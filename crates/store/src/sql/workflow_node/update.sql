UPDATE workflow_node SET
    run = :run, sequence = :sequence, kind = :kind, status = :status, transition = :transition,
    started_at = :started_at, ended_at = :ended_at, user_retry_count = :user_retry_count, retry_at = :retry_at,
    retry_boot = :retry_boot, retry_uptime = :retry_uptime, external_id = :external_id,
    external_status = :external_status, tracker_uri = :tracker_uri, error_code = :error_code,
    error_message = :error_message, data = :data, stats = :stats, body = :body,
    pool = :pool, place = :place
WHERE job = :job AND name = :name AND status = :from
