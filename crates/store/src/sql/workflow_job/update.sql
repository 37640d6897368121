UPDATE workflow_job SET
    name = :name, app_path = :app_path, group_name = :group_name, status = :status, run = :run,
    started_at = :started_at, ended_at = :ended_at, modified_at = :modified_at, definition = :definition,
    configuration = :configuration, instance = :instance, external_id = :external_id, error_code = :error_code,
    error_message = :error_message
WHERE job = :job AND status = :from
