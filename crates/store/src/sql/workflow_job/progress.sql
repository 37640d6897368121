-- What changes while a job runs. No column of an index is set, because SQLite would write the pages of its indexes
-- again even for equal values; a job in which one of the other columns has changed is not found here.
UPDATE workflow_job SET
    started_at = :started_at, ended_at = :ended_at, modified_at = :modified_at, instance = :instance,
    external_id = :external_id, error_code = :error_code, error_message = :error_message
WHERE job = :job AND status = :from AND status = :status AND run = :run AND name = :name AND app_path = :app_path
    AND group_name IS :group_name AND definition = :definition AND configuration = :configuration
