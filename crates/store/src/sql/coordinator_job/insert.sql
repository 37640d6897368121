INSERT INTO coordinator_job (
    id, name, user, group_name, acl, app_path, status, created_at, modified_at, start_at, end_at, pause_at,
    suspended_at, ended_at, frequency, time_unit, time_zone, timeout_minutes, concurrency, throttle, execution,
    next_materialized_at, last_action_number, done_materialization, definition_version, due_at, parent_bundle
) VALUES (
    :id, :name, :user, :group_name, :acl, :app_path, :status, :created_at, :modified_at, :start_at, :end_at, :pause_at,
    :suspended_at, :ended_at, :frequency, :time_unit, :time_zone, :timeout_minutes, :concurrency, :throttle, :execution,
    :next_materialized_at, :last_action_number, :done_materialization, :definition_version, :due_at, :parent_bundle
)
