WITH
    last AS (
        SELECT job, max(number) AS number FROM coordinator_action GROUP BY job
        UNION ALL
        SELECT job, max(last_number) FROM coordinator_action_range GROUP BY job
    ),
    existing AS (SELECT job, max(number) AS number FROM last GROUP BY job)
SELECT format('coordinator job %s: its last action is %d, but action %d exists', id, last_action_number, number)
    AS finding
FROM coordinator_job JOIN existing USING (job)
WHERE number > last_action_number
