UPDATE attempt SET
    state = :state, started_at = :started_at, ended_at = :ended_at, exit_code = :exit_code, signal = :signal,
    detail = :detail, user_seconds = :user_seconds, system_seconds = :system_seconds, max_memory = :max_memory
-- The plus: SQLite would compare the value with the conditions of partial indexes, and plan again for each.
WHERE attempt = :attempt AND state = +:from
