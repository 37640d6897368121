INSERT INTO coordinator_action (
    job, number, nominal_at, created_at, modified_at, status, definition_version, timeout_minutes
) VALUES (?1, ?2, ?3, ?4, ?4, ?5, ?6, ?7)
