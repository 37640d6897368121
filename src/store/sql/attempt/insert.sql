INSERT INTO attempt (
    token, job, node, run, number, directory, state, created_at, started_at, ended_at, exit_code, signal, detail
) VALUES (
    :token, :job, :node, :run, :number, :directory, :state, :created_at, :started_at, :ended_at, :exit_code,
    :signal, :detail
)
