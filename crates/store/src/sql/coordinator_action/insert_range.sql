INSERT INTO coordinator_action_range (
    job, number, last_number, nominal_at, last_nominal_at, created_at, modified_at, status, definition_version,
    timeout_minutes, schedule
) VALUES (
    :job, :number, :last_number, :nominal_at, :last_nominal_at, :created_at, :modified_at, :status,
    :definition_version, :timeout_minutes, :schedule
)
