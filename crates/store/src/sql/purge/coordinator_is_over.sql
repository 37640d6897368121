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
    WHERE job = :job AND (status = 'READY' OR status = 'SUBMITTED' OR status = 'RUNNING' OR status = 'SUSPENDED')
) AND NOT EXISTS (
    SELECT 1 FROM coordinator_action WHERE job = :job AND status = 'WAITING'
) AND NOT EXISTS (
    SELECT 1 FROM delivery WHERE coordinator_job = :job AND state = 'PENDING'
) AND NOT EXISTS (
    -- An interrupted rerun may have deleted outputs already.
    SELECT 1 FROM repair_step WHERE coordinator_job = :job AND done = 0
) AND NOT EXISTS (
    -- The failure policy will rerun one of its actions; it leaves other jobs that have ended alone.
    SELECT 1 FROM policy_rerun JOIN coordinator_job USING (job)
    WHERE job = :job AND rerun_at IS NOT NULL AND status IN ('SUCCEEDED', 'DONEWITHERROR')
) AND NOT EXISTS (
