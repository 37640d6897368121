INSERT INTO event (
    at, coordinator_job, action_number, last_action_number, workflow_job, node, bundle_job, from_status, to_status,
    origin, actor, reason, sets_pause
) VALUES (
    :at, :coordinator_job, :action_number, :last_action_number, :workflow_job, :node, :bundle_job, :from_status,
    :to_status, :origin, :actor, :reason, :sets_pause
)
