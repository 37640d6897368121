-- The workflow jobs of a coordinator's actions in which, or in whose sub-workflows, attempts were started after one.
WITH RECURSIVE above (job, parent_workflow) AS (
    SELECT job, parent_workflow FROM workflow_job WHERE job IN (SELECT job FROM attempt WHERE attempt > ?2)
    UNION
    SELECT parent.job, parent.parent_workflow
    FROM above JOIN workflow_job AS parent ON parent.job = above.parent_workflow
)
SELECT workflow_job.* FROM above JOIN workflow_job USING (job)
WHERE workflow_job.parent_coordinator = ?1 ORDER BY workflow_job.job
