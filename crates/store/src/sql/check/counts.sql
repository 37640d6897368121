WITH
    actions AS (
        SELECT job, status, count(*) AS count FROM coordinator_action GROUP BY job, status
        UNION ALL
        SELECT job, status, sum(last_number - number + 1) FROM coordinator_action_range GROUP BY job, status
    ),
    counted AS (SELECT job, status, sum(count) AS count FROM actions GROUP BY job, status),
    stored AS (SELECT job, status, count FROM coordinator_count WHERE count > 0),
    differing AS (
        SELECT * FROM (SELECT * FROM counted EXCEPT SELECT * FROM stored)
        UNION
        SELECT * FROM (SELECT * FROM stored EXCEPT SELECT * FROM counted)
    )
SELECT DISTINCT format('coordinator job %s: the stored count of %s actions is wrong', id, differing.status) AS finding
FROM differing JOIN coordinator_job USING (job)
