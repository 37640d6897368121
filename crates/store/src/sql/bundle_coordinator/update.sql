UPDATE bundle_coordinator SET
    coordinator_job = :coordinator_job, error_code = :error_code, error_message = :error_message,
    oozie_status = :oozie_status
WHERE bundle = :bundle AND sequence = :sequence AND coordinator_job IS NULL
