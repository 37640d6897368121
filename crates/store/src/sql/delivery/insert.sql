INSERT INTO delivery (
    payload, receiver, sequence, coordinator_job, action_number, workflow_job, node, bundle_job, state, created_at,
    next_try_at
) VALUES (
    :payload, :receiver, :sequence, :coordinator_job, :action_number, :workflow_job, :node, :bundle_job, 'PENDING', :at,
    :at
)
