SELECT format('attempt %s: it is open, but workflow job %s is %s', token, id, status) AS finding
FROM attempt JOIN workflow_job USING (job)
WHERE state = 'STARTED' AND status IN ('SUCCEEDED', 'FAILED')
