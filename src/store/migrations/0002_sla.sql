-- What was promised about the start, the end and the duration of something, and how far that is decided.
CREATE TABLE sla (
    sla                  INTEGER PRIMARY KEY,
    subject              TEXT    NOT NULL CHECK (subject IN ('COORDINATOR_ACTION', 'WORKFLOW_JOB', 'WORKFLOW_ACTION')),
    coordinator_job      INTEGER,
    action_number        INTEGER,
    workflow_job         INTEGER REFERENCES workflow_job (job) ON DELETE CASCADE,
    node                 TEXT,
    app_name             TEXT    NOT NULL,
    user                 TEXT    NOT NULL,
    created_at           INTEGER NOT NULL,
    modified_at          INTEGER NOT NULL,
    nominal_at           INTEGER NOT NULL,
    expected_start_at    INTEGER,               -- NULL: not promised
    expected_end_at      INTEGER NOT NULL,
    expected_seconds     INTEGER,               -- NULL: not promised
    alert_events         TEXT,                  -- separated by commas; NULL: those that the site names
    alert_contact        TEXT,
    notification_message TEXT,
    upstream_apps        TEXT,
    alerts_disabled      INTEGER NOT NULL CHECK (alerts_disabled IN (0, 1)),
    run                  INTEGER NOT NULL DEFAULT 0,  -- how often it was begun anew
    processed            INTEGER NOT NULL CHECK (processed BETWEEN 0 AND 8),  -- 1 start, 2 duration, 4 end; 8: over
    status               TEXT    NOT NULL CHECK (status IN ('NOT_STARTED', 'IN_PROCESS', 'MET', 'MISS')),
    job_status           TEXT    NOT NULL,      -- of the subject, when it was last looked at
    actual_start_at      INTEGER,
    actual_end_at        INTEGER,
    due_at               INTEGER,               -- when tick must look; NULL: not before something happens to the subject
    CHECK ((subject = 'COORDINATOR_ACTION') = (coordinator_job IS NOT NULL)),
    CHECK ((coordinator_job IS NULL) = (action_number IS NULL)),
    CHECK ((coordinator_job IS NULL) = (workflow_job IS NOT NULL)),
    CHECK ((subject = 'WORKFLOW_ACTION') = (node IS NOT NULL)),
    FOREIGN KEY (coordinator_job, action_number) REFERENCES coordinator_action (job, number) ON DELETE CASCADE
) STRICT;

CREATE UNIQUE INDEX sla_of_action ON sla (coordinator_job, action_number) WHERE coordinator_job IS NOT NULL;
CREATE UNIQUE INDEX sla_of_workflow ON sla (workflow_job, coalesce(node, '')) WHERE workflow_job IS NOT NULL;
CREATE INDEX sla_due ON sla (due_at, sla) WHERE due_at IS NOT NULL;
CREATE INDEX sla_nominal ON sla (nominal_at, sla);

-- What was decided: of each run each event at most once.
CREATE TABLE sla_event (
    sla_event INTEGER PRIMARY KEY,
    sla       INTEGER NOT NULL REFERENCES sla (sla) ON DELETE CASCADE,
    run       INTEGER NOT NULL,
    event     TEXT    NOT NULL CHECK (event IN (
        'START_MET', 'START_MISS', 'DURATION_MET', 'DURATION_MISS', 'END_MET', 'END_MISS')),
    at        INTEGER NOT NULL,                 -- when it was recorded
    alerted   INTEGER NOT NULL CHECK (alerted IN (0, 1)),  -- whether somebody is told
    UNIQUE (sla, run, event)
) STRICT;

-- A registration under the ids that people know, with the events of its present run. Written without the ORDER BY of
-- aggregates (SQLite 3.44): an older sqlite3 command refuses the whole database for one view that it cannot read.
CREATE VIEW sla_summary AS
    SELECT sla.*,
        coalesce(
            coordinator.id || '@' || sla.action_number, workflow.id || '@' || sla.node, workflow.id) AS id,
        coalesce(
            coordinator.id, iif(sla.node IS NULL, NULL, workflow.id), parent.id || '@' || workflow.parent_action,
            parent_workflow.id) AS parent_id,
        -- In the order in which they came; ORDER BY within the aggregate would keep SQLite before 3.44 from reading any table.
        (SELECT group_concat(event, ',') FROM (
            SELECT event FROM sla_event
            WHERE sla_event.sla = sla.sla AND sla_event.run = sla.run ORDER BY sla_event)) AS events
    FROM sla
    LEFT JOIN coordinator_job AS coordinator ON coordinator.job = sla.coordinator_job
    LEFT JOIN workflow_job AS workflow ON workflow.job = sla.workflow_job
    LEFT JOIN coordinator_job AS parent ON parent.job = workflow.parent_coordinator
    LEFT JOIN workflow_job AS parent_workflow ON parent_workflow.job = workflow.parent_workflow;
