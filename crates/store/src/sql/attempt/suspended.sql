SELECT attempt.*
FROM attempt
JOIN workflow_job AS job ON job.job = attempt.job
WHERE attempt.state = 'STARTED' AND job.status = 'SUSPENDED'
ORDER BY attempt.attempt
