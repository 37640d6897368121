UPDATE attempt SET
    state = :state, started_at = :started_at, ended_at = :ended_at, exit_code = :exit_code, signal = :signal,
    detail = :detail
WHERE attempt = :attempt AND state = :from
