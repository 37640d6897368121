UPDATE bundle_coordinator SET
    coordinator_job = :coordinator_job, error_code = :error_code, error_message = :error_message
WHERE bundle = :bundle AND sequence = :sequence AND coordinator_job IS NULL
