WITH RECURSIVE below (job) AS (
    SELECT job FROM workflow_job WHERE job = :workflow
    UNION
    SELECT job FROM workflow_job WHERE parent_coordinator = :coordinator AND parent_action = :action
    UNION
    SELECT child.job FROM workflow_job AS child JOIN below ON child.parent_workflow = below.job
)
SELECT EXISTS (SELECT 1 FROM attempt WHERE state = 'STARTED' AND job IN (SELECT job FROM below))
