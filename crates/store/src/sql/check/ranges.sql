SELECT format('coordinator job %s: actions %d-%d are one range, but action %d exists', id, range.number,
    range.last_number, min(coordinator_action.number)) AS finding
FROM coordinator_action_range AS range
JOIN coordinator_job USING (job)
JOIN coordinator_action
    ON coordinator_action.job = range.job AND coordinator_action.number BETWEEN range.number AND range.last_number
GROUP BY range.job, range.number
UNION ALL
SELECT format('coordinator job %s: actions %d-%d are in two ranges', id, other.number,
    min(range.last_number, other.last_number)) AS finding
FROM coordinator_action_range AS range
JOIN coordinator_job USING (job)
JOIN coordinator_action_range AS other
    ON other.job = range.job AND other.number > range.number AND other.number <= range.last_number
