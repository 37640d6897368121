UPDATE bundle_job SET
    definition = :definition, configuration = :configuration, app_path = :app_path, group_name = :group_name,
    acl = :acl, kickoff_at = :kickoff_at, modified_at = :modified_at, due_at = :due_at
WHERE job = :job
