-- Whether another job that no other job has started has the name of a job: any job, or one that is not over.
SELECT EXISTS (
    SELECT 1 FROM coordinator_job WHERE name = :name AND id <> :id
        AND (:any OR status NOT IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED'))
) OR EXISTS (
    SELECT 1 FROM bundle_job WHERE name = :name AND id <> :id
        AND (:any OR status NOT IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED'))
) OR EXISTS (
    SELECT 1 FROM workflow_job
    WHERE name = :name AND id <> :id AND parent_coordinator IS NULL AND parent_workflow IS NULL
        AND (:any OR status NOT IN ('SUCCEEDED', 'KILLED', 'FAILED'))
)
