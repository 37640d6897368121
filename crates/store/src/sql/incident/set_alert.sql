INSERT INTO alert (hook, event, coordinator_job, workflow_job, bundle_job, sent_at, counted)
VALUES (:hook, :event, :coordinator_job, :workflow_job, :bundle_job, :sent_at, :counted)
ON CONFLICT (coalesce(coordinator_job, 0), coalesce(workflow_job, 0), coalesce(bundle_job, 0), hook, event)
    DO UPDATE SET sent_at = excluded.sent_at, counted = excluded.counted
