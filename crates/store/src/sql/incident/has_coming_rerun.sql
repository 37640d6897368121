-- Whether the failure policy, with at most ?3 reruns, will rerun action ?2 of job ?1, or any of its actions.
SELECT EXISTS (
    SELECT 1 FROM policy_rerun
    WHERE job = ?1 AND number = coalesce(?2, number) AND rerun_at IS NOT NULL AND reruns < ?3
) OR EXISTS (
    SELECT 1 FROM incident
    JOIN coordinator_action AS action ON action.job = coordinator_job AND action.number = action_number
    WHERE coordinator_job = ?1 AND action_number = coalesce(?2, action_number) AND actor IS NULL
        AND coalesce(last_action_number, action_number) = action_number
        AND event IN ('FAILED', 'KILLED') AND state <> 'JUDGED'
        AND action.status IN ('FAILED', 'KILLED')
        AND coalesce((SELECT reruns FROM policy_rerun WHERE job = ?1 AND number = action_number), 0) < ?3
        AND NOT EXISTS (
            SELECT 1 FROM earlier_rerun JOIN coordinator_job ON subject = coordinator_job.id || '@' || action.number
            WHERE coordinator_job.job = ?1 AND action.run < earlier_rerun.run)
)
