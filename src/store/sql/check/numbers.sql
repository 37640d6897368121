SELECT format('coordinator job %s: its last action is %d, but action %d exists', id, last_action_number, max(number))
    AS finding
FROM coordinator_job JOIN coordinator_action USING (job)
GROUP BY job
HAVING max(number) > last_action_number
