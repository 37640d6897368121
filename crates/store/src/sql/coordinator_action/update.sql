UPDATE coordinator_action SET
    created_at = :created_at, modified_at = :modified_at, status = :status, definition_version = :definition_version,
    timeout_minutes = :timeout_minutes, run = :run, first_missing = :first_missing, missing_from = :missing_from,
    external_id = :external_id, external_status = :external_status, error_code = :error_code,
    error_message = :error_message, configuration = :configuration, decided = :decided,
    rerun_configuration = :rerun_configuration
-- The plus: SQLite would compare the value with the conditions of partial indexes, and plan again for each.
WHERE job = :job AND number = :number AND status = +:from
