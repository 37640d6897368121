INSERT INTO bundle_coordinator (bundle, sequence, name, coordinator_job, error_code, error_message)
VALUES (:bundle, :sequence, :name, :coordinator_job, :error_code, :error_message)
