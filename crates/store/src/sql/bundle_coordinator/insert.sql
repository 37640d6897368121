INSERT INTO bundle_coordinator (
    bundle, sequence, name, coordinator_job, error_code, error_message, oozie_id, oozie_status
) VALUES (
    :bundle, :sequence, :name, :coordinator_job, :error_code, :error_message, :oozie_id, :oozie_status
)
