-- The first page of a list of jobs is read off the end of an index, however many jobs there are.
CREATE INDEX coordinator_job_created ON coordinator_job (created_at, job);
CREATE INDEX workflow_job_created ON workflow_job (created_at, job);
