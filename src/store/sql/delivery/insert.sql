INSERT INTO delivery (
    payload, receiver, sequence, coordinator_job, action_number, workflow_job, node, state, created_at, next_try_at
) VALUES (
    :payload, :receiver, :sequence, :coordinator_job, :action_number, :workflow_job, :node, 'PENDING', :at, :at
)
