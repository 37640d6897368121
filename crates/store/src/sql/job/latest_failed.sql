-- The workflow job that no other job has started and that failed last.
SELECT id FROM workflow_job
WHERE status IN ('FAILED', 'KILLED') AND parent_coordinator IS NULL AND parent_workflow IS NULL
ORDER BY ended_at DESC, job DESC LIMIT :most
