-- The jobs with a name that no other job has started, those that are not over first, the latest first.
SELECT id FROM (
    SELECT id, status, created_at FROM coordinator_job WHERE name = :name
    UNION ALL
    SELECT id, status, created_at FROM bundle_job WHERE name = :name
    UNION ALL
    SELECT id, status, created_at FROM workflow_job
    WHERE name = :name AND parent_coordinator IS NULL AND parent_workflow IS NULL
)
ORDER BY status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED'), created_at DESC, id DESC
LIMIT :most
