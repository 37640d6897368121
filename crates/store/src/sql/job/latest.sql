-- The job that a user submitted last, of any kind.
SELECT id FROM (
    SELECT id, created_at FROM coordinator_job WHERE parent_bundle IS NULL
    UNION ALL
    SELECT id, created_at FROM bundle_job
    UNION ALL
    SELECT id, created_at FROM workflow_job WHERE parent_coordinator IS NULL AND parent_workflow IS NULL
)
ORDER BY created_at DESC, id DESC LIMIT :most
