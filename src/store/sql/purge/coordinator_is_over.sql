-- Whether a coordinator, and everything below it, was over before `:coordinator`.
WITH RECURSIVE tree (root, job) AS (
    SELECT job, job FROM workflow_job WHERE parent_coordinator = :job
    UNION ALL
    SELECT tree.root, child.job FROM tree JOIN workflow_job AS child ON child.parent_workflow = tree.job
)
SELECT EXISTS (
    SELECT 1 FROM coordinator_job
    WHERE job = :job AND status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED')
        AND coalesce(ended_at, modified_at) < :coordinator
) AND NOT EXISTS (
    SELECT 1 FROM coordinator_action
    WHERE job = :job AND status IN ('READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED')
) AND NOT EXISTS (
    SELECT 1 FROM coordinator_action WHERE job = :job AND status = 'WAITING'
) AND NOT EXISTS (
    SELECT 1 FROM delivery WHERE coordinator_job = :job AND state = 'PENDING'
) AND NOT EXISTS (
