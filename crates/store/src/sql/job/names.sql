-- The different names of the jobs that no other job has started.
SELECT name FROM coordinator_job
UNION SELECT name FROM bundle_job
UNION SELECT name FROM workflow_job WHERE parent_coordinator IS NULL AND parent_workflow IS NULL
LIMIT ?1
