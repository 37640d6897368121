INSERT INTO incident (at, event, coordinator_job, action_number, workflow_job, bundle_job)
SELECT :at, 'RECOVERED', :coordinator_job, :action_number, :workflow_job, :bundle_job
WHERE EXISTS (SELECT 1 FROM coordinator_trouble WHERE job = :coordinator_job AND failures > 0)
    OR EXISTS (SELECT 1 FROM alert WHERE coordinator_job = :coordinator_job)
    OR EXISTS (SELECT 1 FROM alert WHERE workflow_job = :workflow_job)
    OR EXISTS (SELECT 1 FROM alert WHERE bundle_job = :bundle_job)
    OR EXISTS (SELECT 1 FROM incident WHERE coordinator_job = :coordinator_job)
    OR EXISTS (SELECT 1 FROM incident WHERE workflow_job = :workflow_job)
    OR EXISTS (SELECT 1 FROM incident WHERE bundle_job = :bundle_job)
