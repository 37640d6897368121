INSERT INTO workflow_node (
    job, name, run, sequence, kind, status, transition, started_at, ended_at, user_retry_count, retry_at, retry_boot,
    retry_uptime, external_id, external_status, tracker_uri, error_code, error_message, data, stats, body,
    pool, place
) VALUES (
    :job, :name, :run, :sequence, :kind, :status, :transition, :started_at, :ended_at, :user_retry_count, :retry_at,
    :retry_boot, :retry_uptime, :external_id, :external_status, :tracker_uri, :error_code, :error_message, :data,
    :stats, :body, :pool, :place
)
ON CONFLICT (job, name) DO UPDATE SET
    run = excluded.run, sequence = excluded.sequence, kind = excluded.kind, status = excluded.status,
    transition = excluded.transition, started_at = excluded.started_at, ended_at = excluded.ended_at,
    user_retry_count = excluded.user_retry_count, retry_at = excluded.retry_at, retry_boot = excluded.retry_boot,
    retry_uptime = excluded.retry_uptime, external_id = excluded.external_id,
    external_status = excluded.external_status, tracker_uri = excluded.tracker_uri, error_code = excluded.error_code,
    error_message = excluded.error_message,
    data = excluded.data, stats = excluded.stats, body = excluded.body,
    pool = excluded.pool, place = excluded.place, forgotten = 0
WHERE forgotten = 1
