SELECT bundle_coordinator.*, coalesce(coordinator_job.status, oozie_status) AS status
FROM bundle_coordinator LEFT JOIN coordinator_job ON job = bundle_coordinator.coordinator_job
WHERE bundle = ?1
ORDER BY sequence
