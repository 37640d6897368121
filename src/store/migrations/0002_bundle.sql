-- Bundle jobs: coordinators that are submitted together, at a time of their own.
CREATE TABLE bundle_job (
    job           INTEGER PRIMARY KEY,
    id            TEXT    NOT NULL UNIQUE,
    name          TEXT    NOT NULL,
    user          TEXT    NOT NULL,
    group_name    TEXT,
    acl           TEXT,
    app_path      TEXT    NOT NULL,
    status        TEXT    NOT NULL CHECK (status IN (
        'PREP', 'PREPSUSPENDED', 'PREPPAUSED', 'RUNNING', 'RUNNINGWITHERROR', 'SUSPENDED', 'SUSPENDEDWITHERROR',
        'PAUSED', 'PAUSEDWITHERROR', 'SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED')),
    created_at    INTEGER NOT NULL,
    modified_at   INTEGER NOT NULL,
    kickoff_at    INTEGER,                      -- when its coordinators are submitted; NULL: at once
    started_at    INTEGER,                      -- when they were
    pause_at      INTEGER,
    end_at        INTEGER,                      -- of all its coordinators, when `change` set it
    suspended_at  INTEGER,                      -- by a command; NULL when only its coordinators are
    ended_at      INTEGER,
    definition    INTEGER NOT NULL REFERENCES document (document),
    configuration INTEGER NOT NULL REFERENCES document (document),  -- JSON object: name to value
    due_at        INTEGER                       -- when tick must look at it; NULL: never
) STRICT;

CREATE INDEX bundle_job_due ON bundle_job (due_at) WHERE due_at IS NOT NULL;

-- The enabled coordinators of a bundle, in document order.
CREATE TABLE bundle_coordinator (
    bundle          INTEGER NOT NULL REFERENCES bundle_job (job),
    sequence        INTEGER NOT NULL CHECK (sequence > 0),
    name            TEXT    NOT NULL,
    coordinator_job INTEGER UNIQUE REFERENCES coordinator_job (job),  -- NULL: not submitted
    error_code      TEXT,                       -- why it could not be submitted
    error_message   TEXT,
    PRIMARY KEY (bundle, sequence),
    UNIQUE (bundle, name),
    CHECK (coordinator_job IS NULL OR error_code IS NULL)
) STRICT, WITHOUT ROWID;

ALTER TABLE coordinator_job ADD COLUMN parent_bundle INTEGER REFERENCES bundle_job (job);
ALTER TABLE event ADD COLUMN bundle_job INTEGER REFERENCES bundle_job (job);
CREATE INDEX event_of_bundle ON event (bundle_job) WHERE bundle_job IS NOT NULL;
