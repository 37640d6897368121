WITH RECURSIVE cut (length) AS (
    SELECT 0 UNION ALL SELECT length + 1 FROM cut WHERE length < min(length(:uri), :longest)
)
SELECT DISTINCT coordinator_job.*
FROM cut
CROSS JOIN coordinator_output AS output ON output.beginning = substr(:uri, 1, cut.length)
JOIN coordinator_job ON coordinator_job.job = output.job AND coordinator_job.definition_version = output.version
ORDER BY
    status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED'),
    iif(status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED'), -coordinator_job.job,
        coordinator_job.job)
LIMIT :most
