INSERT INTO attempt (
    token, job, node, run, number, directory, state, created_at, started_at, ended_at, exit_code, signal, detail,
    user_seconds, system_seconds, max_memory, kill_requested_at
) VALUES (
    :token, :job, :node, :run, :number, :directory, :state, :created_at, :started_at, :ended_at, :exit_code,
    :signal, :detail, :user_seconds, :system_seconds, :max_memory, :kill_requested_at
)
