INSERT INTO workflow_node (
    job, name, run, sequence, kind, status, transition, started_at, ended_at, user_retry_count, retry_at,
    external_id, external_status, error_code, error_message, data, body
) VALUES (
    :job, :name, :run, :sequence, :kind, :status, :transition, :started_at, :ended_at, :user_retry_count, :retry_at,
    :external_id, :external_status, :error_code, :error_message, :data, :body
)
