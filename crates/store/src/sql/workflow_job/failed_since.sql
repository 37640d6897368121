SELECT count(*) FROM workflow_job AS workflow
WHERE (status = 'KILLED' OR status = 'FAILED') AND parent_coordinator IS NULL AND parent_workflow IS NULL
    AND ended_at >= ?1
    AND NOT (status = 'KILLED' AND EXISTS (
        SELECT 1 FROM event
        WHERE event.workflow_job = workflow.job AND event.node IS NULL AND event.at = workflow.ended_at
            AND event.to_status = 'KILLED' AND event.actor IS NOT NULL))
