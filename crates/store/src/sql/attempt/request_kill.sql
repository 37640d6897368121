UPDATE attempt SET kill_requested_at = :at
WHERE attempt = :attempt AND state = 'STARTED' AND kill_requested_at IS NULL
