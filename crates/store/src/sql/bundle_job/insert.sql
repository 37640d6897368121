INSERT INTO bundle_job (
    id, name, user, group_name, acl, app_path, status, created_at, modified_at, kickoff_at, started_at, pause_at,
    end_at, suspended_at, ended_at, definition, configuration, due_at
) VALUES (
    :id, :name, :user, :group_name, :acl, :app_path, :status, :created_at, :modified_at, :kickoff_at, :started_at,
    :pause_at, :end_at, :suspended_at, :ended_at, :definition, :configuration, :due_at
)
