-- The workflow jobs whose keys are in the JSON list `:roots`, and all below them.
WITH RECURSIVE tree (root, job) AS (
    SELECT value, value FROM json_each(:roots)
    UNION ALL
    SELECT tree.root, child.job FROM tree JOIN workflow_job AS child ON child.parent_workflow = tree.job
)
