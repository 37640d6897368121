UPDATE coordinator_job SET
    name = :name, group_name = :group_name, acl = :acl, app_path = :app_path, status = :status,
    modified_at = :modified_at, start_at = :start_at, end_at = :end_at, pause_at = :pause_at,
    suspended_at = :suspended_at, ended_at = :ended_at, frequency = :frequency, time_unit = :time_unit,
    time_zone = :time_zone, timeout_minutes = :timeout_minutes, concurrency = :concurrency, throttle = :throttle,
    execution = :execution, next_materialized_at = :next_materialized_at, last_action_number = :last_action_number,
    done_materialization = :done_materialization, definition_version = :definition_version, due_at = :due_at
WHERE job = :job AND status = :from
