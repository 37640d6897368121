-- Every rerun is a stored plan, also that of one action, and several of them may be open at a time.
CREATE TABLE repair_plan (
    plan         TEXT    PRIMARY KEY,       -- a random word: no other plan has it
    created_at   INTEGER NOT NULL,
    actor        TEXT    NOT NULL,
    refresh      INTEGER NOT NULL CHECK (refresh IN (0, 1)),
    failed       INTEGER NOT NULL CHECK (failed IN (0, 1)),
    nocleanup    INTEGER NOT NULL CHECK (nocleanup IN (0, 1)),
    newest_first INTEGER NOT NULL CHECK (newest_first IN (0, 1)),
    properties   TEXT    NOT NULL CHECK (json_valid(properties)),  -- JSON object: name to value
    -- 1: the outputs are deleted. What is there now was written by an action that runs again.
    cleaned      INTEGER NOT NULL DEFAULT 0 CHECK (cleaned IN (0, 1)),
    -- 1: no person at a terminal began it, so the next tick continues it.
    unattended   INTEGER NOT NULL DEFAULT 0 CHECK (unattended IN (0, 1)),
    reason       TEXT,                      -- of the failure policy; NULL: a user gave the command
    bundle_job   INTEGER REFERENCES bundle_job (job) ON DELETE CASCADE  -- opened again with its coordinators
) STRICT;

INSERT INTO repair_plan (plan, created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned)
    SELECT plan, created_at, actor, refresh, failed, nocleanup, newest_first, properties, cleaned FROM repair;

ALTER TABLE repair_step RENAME TO repair_step_before;

-- The actions and workflow jobs of these reruns. The transaction that reruns one marks its step as done.
CREATE TABLE repair_step (
    plan            TEXT    NOT NULL REFERENCES repair_plan (plan) ON DELETE CASCADE,
    step            INTEGER NOT NULL,
    coordinator_job INTEGER REFERENCES coordinator_job (job) ON DELETE CASCADE,
    action_number   INTEGER,                -- NULL: a nominal time before the start of the job, or a workflow job
    workflow_job    INTEGER REFERENCES workflow_job (job) ON DELETE CASCADE,
    nominal_at      INTEGER NOT NULL,       -- of a workflow job: when it was created
    run             INTEGER NOT NULL,       -- how often it was rerun before, or the nominal time has run before
    outputs         INTEGER NOT NULL DEFAULT 0 CHECK (outputs >= 0),  -- how many outputs of it the plan deletes
    cleaned         INTEGER NOT NULL DEFAULT 0 CHECK (cleaned IN (0, 1)),  -- 1: they are deleted
    done            INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    PRIMARY KEY (plan, step),
    CHECK ((coordinator_job IS NULL) <> (workflow_job IS NULL))
) STRICT;

INSERT INTO repair_step
    (plan, step, coordinator_job, action_number, workflow_job, nominal_at, run, outputs, cleaned, done)
    SELECT plan, step, coordinator_job, action_number, workflow_job, nominal_at, run, outputs, before.cleaned, done
    FROM repair_step_before AS before CROSS JOIN repair;

DROP TABLE repair_step_before;
DROP TABLE repair;
ALTER TABLE repair_plan RENAME TO repair;

-- A foreign key is looked up when a job is deleted.
CREATE UNIQUE INDEX repair_step_of_coordinator ON repair_step (coordinator_job, plan, nominal_at)
    WHERE coordinator_job IS NOT NULL;
CREATE UNIQUE INDEX repair_step_of_workflow ON repair_step (workflow_job, plan) WHERE workflow_job IS NOT NULL;
CREATE INDEX repair_of_bundle ON repair (bundle_job) WHERE bundle_job IS NOT NULL;
