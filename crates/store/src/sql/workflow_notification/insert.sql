INSERT INTO workflow_notification (job, job_url, node_url, proxy)
VALUES (:job, :job_url, :node_url, :proxy)
