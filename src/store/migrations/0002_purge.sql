-- What `db purge` has begun to delete: too much for one transaction. Whoever purges next goes on with it, and until then
-- nobody brings any of it back to life.
CREATE TABLE condemned (
    condemned       INTEGER PRIMARY KEY,
    coordinator_job INTEGER UNIQUE REFERENCES coordinator_job (job) ON DELETE CASCADE,
    bundle_job      INTEGER UNIQUE REFERENCES bundle_job (job) ON DELETE CASCADE,
    CHECK ((coordinator_job IS NULL) <> (bundle_job IS NULL))
) STRICT;

CREATE TRIGGER condemned_coordinator BEFORE UPDATE ON coordinator_job
WHEN EXISTS (SELECT 1 FROM condemned WHERE coordinator_job = OLD.job)
BEGIN
    SELECT raise(ABORT, 'the job is being deleted');
END;

CREATE TRIGGER condemned_action BEFORE UPDATE ON coordinator_action
WHEN EXISTS (SELECT 1 FROM condemned WHERE coordinator_job = OLD.job)
BEGIN
    SELECT raise(ABORT, 'the job is being deleted');
END;

CREATE TRIGGER condemned_workflow BEFORE UPDATE ON workflow_job
WHEN OLD.parent_coordinator IS NOT NULL
    AND EXISTS (SELECT 1 FROM condemned WHERE coordinator_job = OLD.parent_coordinator)
BEGIN
    SELECT raise(ABORT, 'the job is being deleted');
END;

CREATE TRIGGER condemned_bundle BEFORE UPDATE ON bundle_job
WHEN EXISTS (SELECT 1 FROM condemned WHERE bundle_job = OLD.job)
BEGIN
    SELECT raise(ABORT, 'the job is being deleted');
END;
