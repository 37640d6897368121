INSERT INTO workflow_job (
    id, name, app_path, user, group_name, status, run, parent_coordinator, parent_action, parent_workflow,
    parent_node, depth, created_at, started_at, ended_at, modified_at, definition, configuration, instance,
    external_id, error_code, error_message, life
) VALUES (
    :id, :name, :app_path, :user, :group_name, :status, :run, :parent_coordinator, :parent_action, :parent_workflow,
    :parent_node, :depth, :created_at, :started_at, :ended_at, :modified_at, :definition, :configuration, :instance,
    :external_id, :error_code, :error_message, lower(hex(randomblob(8)))
)
