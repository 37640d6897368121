-- Times are whole seconds since 1970-01-01T00:00:00Z in columns named *_at.
-- Statuses are Oozie's words. Integer keys join the tables; the text ids are for users.
-- What is checked whenever a command starts or ends has no IN: SQLite would build a table of its words each time.

-- One row: when this database was created, and the number of the next job.
CREATE TABLE birth (
    birth        INTEGER PRIMARY KEY CHECK (birth = 1),
    created_at   INTEGER NOT NULL,
    stamp        TEXT    NOT NULL,              -- yyMMddHHmmssSSS, the middle part of every job id
    next_number  INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Texts stored verbatim, each once: definitions, configurations, included files.
CREATE TABLE document (
    document INTEGER PRIMARY KEY,
    digest   BLOB NOT NULL UNIQUE CHECK (length(digest) = 32),  -- SHA-256 of the text
    text     TEXT NOT NULL
) STRICT;

CREATE TABLE coordinator_job (
    job                  INTEGER PRIMARY KEY,
    id                   TEXT    NOT NULL UNIQUE,
    name                 TEXT    NOT NULL,
    user                 TEXT    NOT NULL,
    group_name           TEXT,
    acl                  TEXT,
    app_path             TEXT    NOT NULL,
    status               TEXT    NOT NULL CHECK (status IN (
        'PREP', 'PREPSUSPENDED', 'PREPPAUSED', 'RUNNING', 'RUNNINGWITHERROR', 'SUSPENDED', 'SUSPENDEDWITHERROR',
        'PAUSED', 'PAUSEDWITHERROR', 'SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED')),
    created_at           INTEGER NOT NULL,
    modified_at          INTEGER NOT NULL,
    start_at             INTEGER NOT NULL,
    end_at               INTEGER NOT NULL,
    pause_at             INTEGER,
    suspended_at         INTEGER,
    ended_at             INTEGER,
    frequency            TEXT    NOT NULL,
    time_unit            TEXT    NOT NULL,
    time_zone            TEXT    NOT NULL,
        timeout_minutes      INTEGER NOT NULL,      -- -1: wait without a limit
    concurrency          INTEGER NOT NULL,
    throttle             INTEGER NOT NULL,
    execution            TEXT    NOT NULL CHECK (execution IN ('FIFO', 'LIFO', 'LAST_ONLY', 'NONE')),
    next_materialized_at INTEGER,               -- nominal time of the next action; NULL when none follows
    last_action_number   INTEGER NOT NULL DEFAULT 0 CHECK (last_action_number >= 0),
    done_materialization INTEGER NOT NULL DEFAULT 0 CHECK (done_materialization IN (0, 1)),
    definition_version   INTEGER NOT NULL,
    due_at               INTEGER,               -- when tick must next consider materializing; NULL: never
    parent_bundle        INTEGER REFERENCES bundle_job (job),
    FOREIGN KEY (job, definition_version) REFERENCES coordinator_definition (job, version)
        DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX coordinator_job_due ON coordinator_job (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX coordinator_job_live ON coordinator_job (job) WHERE status IN (
    'PREP', 'PREPSUSPENDED', 'PREPPAUSED', 'RUNNING', 'RUNNINGWITHERROR', 'SUSPENDED', 'SUSPENDEDWITHERROR',
    'PAUSED', 'PAUSEDWITHERROR');
-- The first page of a list of jobs is read from the end of an index, whatever the number of jobs.
CREATE INDEX coordinator_job_created ON coordinator_job (created_at, job);
CREATE INDEX coordinator_job_name ON coordinator_job (name);

-- The submitted definition and every later update; an action keeps the version from which it was materialized.
CREATE TABLE coordinator_definition (
    job           INTEGER NOT NULL REFERENCES coordinator_job (job),
    version       INTEGER NOT NULL CHECK (version > 0),
    created_at    INTEGER NOT NULL,
    definition    INTEGER NOT NULL REFERENCES document (document),
    configuration INTEGER NOT NULL REFERENCES document (document),  -- JSON object: name to value
    includes      TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(includes)),  -- [{"uri": ..., "document": ...}]
    PRIMARY KEY (job, version)
) STRICT, WITHOUT ROWID;

-- The beginnings of the URIs that a version of a coordinator writes, to find the writers of a path without reading all
-- definitions.
CREATE TABLE coordinator_output (
    job       INTEGER NOT NULL,
    version   INTEGER NOT NULL,
    beginning TEXT    NOT NULL,
    PRIMARY KEY (job, version, beginning),
    FOREIGN KEY (job, version) REFERENCES coordinator_definition (job, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX coordinator_output_beginning ON coordinator_output (beginning);

CREATE TABLE coordinator_action (
    job                INTEGER NOT NULL,
    number             INTEGER NOT NULL CHECK (number > 0),
    nominal_at         INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    modified_at        INTEGER NOT NULL,
    status             TEXT    NOT NULL CHECK (
        status = 'WAITING' OR status = 'READY' OR status = 'SUBMITTED' OR status = 'RUNNING'
        OR status = 'SUSPENDED' OR status = 'TIMEDOUT' OR status = 'SUCCEEDED' OR status = 'KILLED'
        OR status = 'FAILED' OR status = 'SKIPPED' OR status = 'IGNORED'),
    definition_version INTEGER NOT NULL,
        timeout_minutes    INTEGER NOT NULL,        -- -1: wait without a limit
    run                INTEGER NOT NULL DEFAULT 0,
    first_missing      TEXT,                    -- URI with its done-flag, or the call of a search
    missing_from       INTEGER,                 -- position of first_missing in the list of dependencies
    external_id        TEXT,                    -- id of the workflow job
    external_status    TEXT,
    error_code         TEXT,
    error_message      TEXT,
    configuration      INTEGER REFERENCES document (document),  -- decided at start
    -- The decisions about the inputs when the action became READY: JSON, as `info` and `explain` show it.
    decided            INTEGER REFERENCES document (document),
    -- What a rerun adds to the configuration of the action's workflow job: JSON object, name to value.
    rerun_configuration INTEGER REFERENCES document (document),
    PRIMARY KEY (job, number),
    FOREIGN KEY (job, definition_version) REFERENCES coordinator_definition (job, version)
) STRICT, WITHOUT ROWID;

-- Covers the whole input check, so that a hundred thousand waiting actions are read in one pass.
CREATE INDEX coordinator_action_waiting ON coordinator_action (
    job, nominal_at, number, created_at, definition_version, timeout_minutes, missing_from, first_missing
) WHERE status = 'WAITING';
-- The other open statuses; with the index above, tick never reads a finished action. The condition has no list: for one
-- of three or more words SQLite fills a temporary table at each change of a row.
CREATE INDEX coordinator_action_active ON coordinator_action (job, status, nominal_at, number)
    WHERE status = 'READY' OR status = 'SUBMITTED' OR status = 'RUNNING' OR status = 'SUSPENDED';
-- Actions that wait only for their turn: their inputs were decided before they were rerun.
CREATE INDEX coordinator_action_decided ON coordinator_action (job, number)
    WHERE status = 'WAITING' AND configuration IS NOT NULL;

-- What ended last, over all jobs.
CREATE INDEX coordinator_action_unsuccessful ON coordinator_action (modified_at, job, number)
    WHERE status = 'KILLED' OR status = 'FAILED' OR status = 'TIMEDOUT';
CREATE INDEX coordinator_action_successful ON coordinator_action (modified_at, job, number)
    WHERE status IN ('SUCCEEDED', 'IGNORED');

-- Consecutive actions that a catch-up passed over, and that differ in nothing but number and nominal time: one row,
-- until one of them is needed alone. Such an action then gets its row in coordinator_action and leaves the range.
CREATE TABLE coordinator_action_range (
    job                INTEGER NOT NULL,
    number             INTEGER NOT NULL CHECK (number > 0),
    last_number        INTEGER NOT NULL CHECK (last_number >= number),
    nominal_at         INTEGER NOT NULL,        -- of the first
    last_nominal_at    INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    modified_at        INTEGER NOT NULL,
    status             TEXT    NOT NULL CHECK (status IN ('SKIPPED', 'KILLED', 'IGNORED')),
    definition_version INTEGER NOT NULL,
    timeout_minutes    INTEGER NOT NULL,        -- -1: wait without a limit
    schedule           TEXT    NOT NULL CHECK (json_valid(schedule)),  -- what gives the nominal times between
    PRIMARY KEY (job, number),
    FOREIGN KEY (job, definition_version) REFERENCES coordinator_definition (job, version)
) STRICT, WITHOUT ROWID;

-- Actions per job and status, updated by every function that writes a status.
CREATE TABLE coordinator_count (
    job    INTEGER NOT NULL REFERENCES coordinator_job (job),
    status TEXT    NOT NULL,
    count  INTEGER NOT NULL CHECK (count >= 0),
    PRIMARY KEY (job, status)
) STRICT, WITHOUT ROWID;

CREATE TABLE workflow_job (
    job                INTEGER PRIMARY KEY,
    id                 TEXT    NOT NULL UNIQUE,
    name               TEXT    NOT NULL,
    app_path           TEXT    NOT NULL,
    user               TEXT    NOT NULL,
    group_name         TEXT,
    status             TEXT    NOT NULL CHECK (
        status = 'PREP' OR status = 'RUNNING' OR status = 'SUSPENDED' OR status = 'SUCCEEDED'
        OR status = 'KILLED' OR status = 'FAILED'),
    run                INTEGER NOT NULL DEFAULT 0,
    parent_coordinator INTEGER,
    parent_action      INTEGER,
    parent_workflow    INTEGER REFERENCES workflow_job (job),
    parent_node        TEXT,
        depth              INTEGER NOT NULL DEFAULT 0,  -- how many workflow jobs are above this one
    created_at         INTEGER NOT NULL,
    started_at         INTEGER,
    ended_at           INTEGER,
    modified_at        INTEGER NOT NULL,
    definition         INTEGER NOT NULL REFERENCES document (document),
    configuration      INTEGER NOT NULL REFERENCES document (document),
        instance           TEXT CHECK (instance IS NULL OR json_valid(instance)),  -- state of the execution
    external_id        TEXT,
    error_code         TEXT,
    error_message      TEXT,
    -- A random id for each run, which its attempts have too: a job with the same number from another life of the
    -- database (a backup was restored) is never taken for this one.
    life               TEXT,
    CHECK ((parent_coordinator IS NULL) = (parent_action IS NULL)),
    CHECK ((parent_workflow IS NULL) = (parent_node IS NULL)),
    FOREIGN KEY (parent_coordinator, parent_action) REFERENCES coordinator_action (job, number)
) STRICT;

CREATE INDEX workflow_job_active ON workflow_job (job)
    WHERE status = 'PREP' OR status = 'RUNNING' OR status = 'SUSPENDED';
CREATE INDEX workflow_job_of_action ON workflow_job (parent_coordinator, parent_action)
    WHERE parent_coordinator IS NOT NULL;
CREATE INDEX workflow_job_of_node ON workflow_job (parent_workflow, parent_node) WHERE parent_workflow IS NOT NULL;
CREATE INDEX workflow_job_created ON workflow_job (created_at, job);
-- What ended last of the jobs that no other job has started.
CREATE INDEX workflow_job_unsuccessful ON workflow_job (ended_at)
    WHERE (status = 'KILLED' OR status = 'FAILED') AND parent_coordinator IS NULL AND parent_workflow IS NULL;
-- The jobs that users name: those that no other job has started.
CREATE INDEX workflow_job_submitted ON workflow_job (name, created_at)
    WHERE parent_coordinator IS NULL AND parent_workflow IS NULL;

CREATE TABLE workflow_node (
    job              INTEGER NOT NULL REFERENCES workflow_job (job),
    name             TEXT    NOT NULL,
    run              INTEGER NOT NULL DEFAULT 0,
    sequence         INTEGER NOT NULL,          -- the order in which the nodes of the job began
    kind             TEXT    NOT NULL,          -- Oozie's name of the type: shell, switch, :FORK:, ...
    status           TEXT    NOT NULL CHECK (
        status = 'PREP' OR status = 'RUNNING' OR status = 'OK' OR status = 'ERROR' OR status = 'USER_RETRY'
        OR status = 'START_RETRY' OR status = 'START_MANUAL' OR status = 'DONE' OR status = 'END_RETRY'
        OR status = 'END_MANUAL' OR status = 'KILLED' OR status = 'FAILED'),
    transition       TEXT,                      -- name of the node that followed
    started_at       INTEGER,
    ended_at         INTEGER,
    user_retry_count INTEGER NOT NULL DEFAULT 0,
    retry_at         INTEGER,
    external_id      TEXT,
    external_status  TEXT,
    error_code       TEXT,
    error_message    TEXT,
    data             TEXT,                      -- captured output
    body             INTEGER REFERENCES document (document),  -- the element after evaluation
    -- 1: the present run of the workflow job has not reached the node; its row is kept for its attempts.
    forgotten        INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1)),
    stats            TEXT,                      -- counters of an engine: a JSON object of groups
    tracker_uri      TEXT,                      -- the scheduler of the cluster that does the work; NULL: this machine
    -- When the node is tried again, on the clock that cannot be set: seconds since that start of the machine.
    -- `retry_at` is for users, and counts when the machine was restarted since then.
    retry_boot       TEXT,
    retry_uptime     INTEGER,
    -- What limits its command, as it was when the node started or began to wait.
    pool             TEXT,                      -- the name of its pool; NULL: none
    place            TEXT CHECK (place IN ('slurm')),  -- where the command runs; NULL: on this machine
    PRIMARY KEY (job, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_node_waiting ON workflow_node (job) WHERE status IN ('PREP', 'START_MANUAL');
CREATE INDEX workflow_node_retry ON workflow_node (retry_at) WHERE retry_at IS NOT NULL;

CREATE TABLE attempt (
    attempt    INTEGER PRIMARY KEY,
    token      TEXT    NOT NULL UNIQUE,
    job        INTEGER NOT NULL,                -- workflow job
    node       TEXT    NOT NULL,
    run        INTEGER NOT NULL,
    number     INTEGER NOT NULL CHECK (number > 0),
    directory  TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (
        state = 'STARTED' OR state = 'ENDED' OR state = 'LOST' OR state = 'KILLED'),
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at   INTEGER,
    exit_code  INTEGER,
    signal     INTEGER,
    detail     TEXT,
    -- The resources that the processes of the attempt have used; NULL while it runs, and when they were not measured.
    user_seconds      REAL,                     -- CPU time in their own code
    system_seconds    REAL,                     -- CPU time in the kernel
        max_memory        INTEGER,                  -- bytes: the largest memory of one of them
        kill_requested_at INTEGER,                  -- when an operator asked to end it, but not its job; NULL: never
    UNIQUE (job, node, run, number),
    FOREIGN KEY (job, node) REFERENCES workflow_node (job, name)
) STRICT;

CREATE INDEX attempt_open ON attempt (attempt) WHERE state = 'STARTED';

-- Bundle jobs: coordinators that are submitted together, at a given time.
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
        suspended_at  INTEGER,                      -- by a command; NULL when only its coordinators are suspended
    ended_at      INTEGER,
    definition    INTEGER NOT NULL REFERENCES document (document),
    configuration INTEGER NOT NULL REFERENCES document (document),  -- JSON object: name to value
        due_at        INTEGER                       -- when tick must next check it; NULL: never
) STRICT;

CREATE INDEX bundle_job_due ON bundle_job (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX bundle_job_name ON bundle_job (name);

-- The enabled coordinators of a bundle, in document order.
CREATE TABLE bundle_coordinator (
    bundle          INTEGER NOT NULL REFERENCES bundle_job (job),
    sequence        INTEGER NOT NULL CHECK (sequence > 0),
    name            TEXT    NOT NULL,
    coordinator_job INTEGER UNIQUE REFERENCES coordinator_job (job),  -- NULL: not submitted
    error_code      TEXT,                       -- why it could not be submitted
    error_message   TEXT,
    oozie_id        TEXT,                       -- of a bundle that was taken over: the coordinator in its Oozie
    oozie_status    TEXT,                       -- its status there, which counts while it has no job here
    PRIMARY KEY (bundle, sequence),
    UNIQUE (bundle, name),
    CHECK (coordinator_job IS NULL OR error_code IS NULL),
    CHECK ((oozie_id IS NULL) = (oozie_status IS NULL))
) STRICT, WITHOUT ROWID;

-- The audit log. A range of actions materialized together is one row.
CREATE TABLE event (
    event              INTEGER PRIMARY KEY,
    at                 INTEGER NOT NULL,
    coordinator_job    INTEGER REFERENCES coordinator_job (job),
    action_number      INTEGER,
    last_action_number INTEGER CHECK (last_action_number >= action_number),
    workflow_job       INTEGER REFERENCES workflow_job (job),
    node               TEXT,
    from_status        TEXT,
    to_status          TEXT    NOT NULL,
    origin             TEXT    NOT NULL,        -- the verb or the step that did it
    actor              TEXT,                    -- the user who gave the verb; NULL: it follows from something else
    reason             TEXT,                    -- of a verb: with which values it was given
    sets_pause         INTEGER NOT NULL DEFAULT 0 CHECK (sets_pause IN (0, 1)),  -- 1: the verb set the pause time
    bundle_job         INTEGER REFERENCES bundle_job (job)
) STRICT;

CREATE INDEX event_of_coordinator ON event (coordinator_job, action_number) WHERE coordinator_job IS NOT NULL;
-- The events of several actions: those of one of them are found without reading those of all others.
CREATE INDEX event_of_range ON event (coordinator_job, last_action_number, action_number)
    WHERE last_action_number > action_number;
-- The actions that users killed.
CREATE INDEX event_of_kill ON event (coordinator_job, at, action_number, last_action_number)
    WHERE to_status = 'KILLED' AND actor IS NOT NULL AND action_number IS NOT NULL;
CREATE INDEX event_of_workflow ON event (workflow_job, node) WHERE workflow_job IS NOT NULL;
CREATE INDEX event_of_bundle ON event (bundle_job) WHERE bundle_job IS NOT NULL;

-- The outbox of notifications and alerts. A row is kept as long as the events beside it: it records what was sent, how
-- often it was tried, and why it was given up.
CREATE TABLE delivery (
    delivery        INTEGER PRIMARY KEY,
    payload         TEXT    NOT NULL CHECK (json_extract(payload, '$.kind') IN ('http', 'mail', 'command', 'post')),
        receiver        TEXT    NOT NULL,           -- scheme and host of a URL, or the kind
        sequence        TEXT    NOT NULL,           -- the deliveries of one sequence are sent one after the other
    coordinator_job INTEGER REFERENCES coordinator_job (job),
    action_number   INTEGER,
    workflow_job    INTEGER REFERENCES workflow_job (job),
    node            TEXT,
    bundle_job      INTEGER REFERENCES bundle_job (job),
    state           TEXT    NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'GIVEN_UP')),
    created_at      INTEGER NOT NULL,
        next_try_at     INTEGER,                    -- NULL once it is over; for users, as retry_at of a node
        next_try_boot   TEXT,                       -- NULL before the first try: then it is due at once
    next_try_uptime INTEGER,
    ended_at        INTEGER,
    tries           INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
        last_error      TEXT,                       -- of the latest failed try
        told            INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),  -- 1: a tick has reported its failure
    CHECK ((state = 'PENDING') = (next_try_at IS NOT NULL)),
    CHECK ((state = 'PENDING') = (ended_at IS NULL))
) STRICT;

CREATE INDEX delivery_due ON delivery (next_try_at, delivery) WHERE state = 'PENDING';
CREATE INDEX delivery_due_of_receiver ON delivery (receiver, next_try_at, delivery) WHERE state = 'PENDING';
CREATE INDEX delivery_sequence ON delivery (sequence, delivery) WHERE state = 'PENDING';
CREATE INDEX delivery_given_up ON delivery (ended_at) WHERE state = 'GIVEN_UP';
CREATE INDEX delivery_untold ON delivery (delivery) WHERE state = 'GIVEN_UP' AND told = 0;
CREATE INDEX delivery_of_coordinator ON delivery (coordinator_job, action_number) WHERE coordinator_job IS NOT NULL;
CREATE INDEX delivery_of_workflow ON delivery (workflow_job, node) WHERE workflow_job IS NOT NULL;
CREATE INDEX delivery_of_bundle ON delivery (bundle_job) WHERE bundle_job IS NOT NULL;

-- The deliveries that may be tried: the first pending one of each sequence.
CREATE VIEW delivery_head AS
    SELECT * FROM delivery AS head
    WHERE state = 'PENDING' AND NOT EXISTS (
        SELECT 1 FROM delivery AS earlier
        WHERE earlier.state = 'PENDING' AND earlier.sequence = head.sequence AND earlier.delivery < head.delivery);

-- The URL for changes of a coordinator's actions; jobs without notifications have no row.
CREATE TABLE coordinator_notification (
    job   INTEGER PRIMARY KEY REFERENCES coordinator_job (job),
    url   TEXT NOT NULL,
    proxy TEXT
) STRICT;

-- The same for a workflow job and its nodes.
CREATE TABLE workflow_notification (
    job      INTEGER PRIMARY KEY REFERENCES workflow_job (job),
    job_url  TEXT,
    node_url TEXT,
    proxy    TEXT,
    CHECK (job_url IS NOT NULL OR node_url IS NOT NULL)
) STRICT;

-- What happened to a job that the alerts and the failure policy of a site may concern: stored with the change, and
-- removed by the transaction that decides what follows from it.
CREATE TABLE incident (
    incident           INTEGER PRIMARY KEY,
    at                 INTEGER NOT NULL,
    event              TEXT    NOT NULL CHECK (event IN (
        'FAILED', 'KILLED', 'TIMEDOUT', 'SUSPENDED', 'OVERDUE', 'RUNNER', 'RECOVERED')),
    coordinator_job    INTEGER REFERENCES coordinator_job (job),
    action_number      INTEGER,
    last_action_number INTEGER,
    workflow_job       INTEGER REFERENCES workflow_job (job),
    bundle_job         INTEGER REFERENCES bundle_job (job),
    actor              TEXT,                    -- the user whose verb caused it; NULL: it follows from something else
    reason             TEXT,
    -- LEFT and JUDGED: a runner without a site file has seen it, and JUDGED it by the policy of the job; alerts, and the
    -- policy of the site, are left to the next tick.
    state              TEXT    NOT NULL DEFAULT 'NEW' CHECK (state IN ('NEW', 'LEFT', 'JUDGED'))
) STRICT;

CREATE INDEX incident_of_coordinator ON incident (coordinator_job) WHERE coordinator_job IS NOT NULL;
CREATE INDEX incident_of_workflow ON incident (workflow_job) WHERE workflow_job IS NOT NULL;
CREATE INDEX incident_of_bundle ON incident (bundle_job) WHERE bundle_job IS NOT NULL;

-- The latest alert of each kind about a job to a hook of the site, until the job recovers.
CREATE TABLE alert (
    alert           INTEGER PRIMARY KEY,
    hook            TEXT    NOT NULL,           -- its name in the site file; empty for the one without a name
    event           TEXT    NOT NULL,
    coordinator_job INTEGER REFERENCES coordinator_job (job),
    workflow_job    INTEGER REFERENCES workflow_job (job),
    bundle_job      INTEGER REFERENCES bundle_job (job),
    sent_at         INTEGER NOT NULL,
    counted         INTEGER NOT NULL DEFAULT 0 CHECK (counted >= 0)  -- later ones that were not sent
) STRICT;

CREATE UNIQUE INDEX alert_of_hook ON alert (
    coalesce(coordinator_job, 0), coalesce(workflow_job, 0), coalesce(bundle_job, 0), hook, event
);
CREATE INDEX alert_of_coordinator ON alert (coordinator_job) WHERE coordinator_job IS NOT NULL;
CREATE INDEX alert_of_workflow ON alert (workflow_job) WHERE workflow_job IS NOT NULL;
CREATE INDEX alert_of_bundle ON alert (bundle_job) WHERE bundle_job IS NOT NULL;

-- What is remembered of a coordinator with trouble; others have no row.
CREATE TABLE coordinator_trouble (
    job            INTEGER PRIMARY KEY REFERENCES coordinator_job (job),
    failures       INTEGER NOT NULL DEFAULT 0 CHECK (failures >= 0),  -- actions in a row that failed for good
    overdue_number INTEGER                      -- the action that was last found to be late
) STRICT;

-- The reruns of a failed action by the failure policy.
CREATE TABLE policy_rerun (
    job      INTEGER NOT NULL,
    number   INTEGER NOT NULL,
    reruns   INTEGER NOT NULL CHECK (reruns >= 0),  -- so far
    rerun_at INTEGER,                           -- of the next one; NULL: none is planned
    PRIMARY KEY (job, number),
    FOREIGN KEY (job, number) REFERENCES coordinator_action (job, number) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX policy_rerun_due ON policy_rerun (rerun_at) WHERE rerun_at IS NOT NULL;

-- The promised start, end and duration of a subject, and which of them are decided.
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
        alert_events         TEXT,                  -- separated by commas; NULL: those of the site
    alert_contact        TEXT,
    notification_message TEXT,
    upstream_apps        TEXT,
    alerts_disabled      INTEGER NOT NULL CHECK (alerts_disabled IN (0, 1)),
        run                  INTEGER NOT NULL DEFAULT 0,  -- how often it was started again
    processed            INTEGER NOT NULL CHECK (processed BETWEEN 0 AND 8),  -- 1 start, 2 duration, 4 end; 8: over
    status               TEXT    NOT NULL CHECK (status IN ('NOT_STARTED', 'IN_PROCESS', 'MET', 'MISS')),
        job_status           TEXT    NOT NULL,      -- of the subject, at the latest check
    actual_start_at      INTEGER,
    actual_end_at        INTEGER,
        due_at               INTEGER,               -- when tick must check it; NULL: not before the subject changes
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

-- The decided events: of each run each event at most once.
CREATE TABLE sla_event (
    sla_event INTEGER PRIMARY KEY,
    sla       INTEGER NOT NULL REFERENCES sla (sla) ON DELETE CASCADE,
    run       INTEGER NOT NULL,
    event     TEXT    NOT NULL CHECK (event IN (
        'START_MET', 'START_MISS', 'DURATION_MET', 'DURATION_MISS', 'END_MET', 'END_MISS')),
    at        INTEGER NOT NULL,                 -- when it was recorded
    alerted   INTEGER NOT NULL CHECK (alerted IN (0, 1)),  -- whether an alert is sent
    UNIQUE (sla, run, event)
) STRICT;

-- A registration with the ids that users know, and the events of its present run. Written without the ORDER BY of
-- aggregates (SQLite 3.44): an older sqlite3 command refuses the whole database for one view that it cannot read.
CREATE VIEW sla_summary AS
    SELECT sla.*,
        coalesce(
            coordinator.id || '@' || sla.action_number, workflow.id || '@' || sla.node, workflow.id) AS id,
        coalesce(
            coordinator.id, iif(sla.node IS NULL, NULL, workflow.id), parent.id || '@' || workflow.parent_action,
            parent_workflow.id) AS parent_id,
        -- In the order of recording; ORDER BY within the aggregate would keep SQLite before 3.44 from reading any
        -- table.
        (SELECT group_concat(event, ',') FROM (
            SELECT event FROM sla_event
            WHERE sla_event.sla = sla.sla AND sla_event.run = sla.run ORDER BY sla_event)) AS events
    FROM sla
    LEFT JOIN coordinator_job AS coordinator ON coordinator.job = sla.coordinator_job
    LEFT JOIN workflow_job AS workflow ON workflow.job = sla.workflow_job
    LEFT JOIN coordinator_job AS parent ON parent.job = workflow.parent_coordinator
    LEFT JOIN workflow_job AS parent_workflow ON parent_workflow.job = workflow.parent_workflow;

-- The jobs that `db purge` has begun to delete: too much for one transaction. The next purge continues with them, and
-- until then no statement changes any of their rows.
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

CREATE TRIGGER condemned_range BEFORE UPDATE ON coordinator_action_range
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

-- One row in a database that follows an Oozie, and in which nothing starts: a shadow. It stays one.
CREATE TABLE shadow (
    shadow     INTEGER PRIMARY KEY CHECK (shadow = 1),
    created_at INTEGER NOT NULL,
    -- Whether an action that would start stays RUNNING until Oozie says how it ended.
    follows    INTEGER NOT NULL CHECK (follows IN (0, 1))
) STRICT;

-- The job of Oozie that a job of a shadow follows.
CREATE TABLE shadow_job (
    job          INTEGER PRIMARY KEY REFERENCES coordinator_job (job) ON DELETE CASCADE,
    oozie_id     TEXT    NOT NULL UNIQUE,
    first_number INTEGER NOT NULL CHECK (first_number > 0)  -- the first action that Oozie had not created yet
) STRICT;

-- Whatever the program does, no workflow job exists in a shadow, and no message leaves it.
CREATE TRIGGER shadow_workflow BEFORE INSERT ON workflow_job WHEN EXISTS (SELECT 1 FROM shadow)
BEGIN
    SELECT raise(ABORT, 'a shadow database starts nothing');
END;

CREATE TRIGGER shadow_delivery BEFORE INSERT ON delivery WHEN EXISTS (SELECT 1 FROM shadow)
BEGIN
    SELECT raise(IGNORE);
END;

CREATE TRIGGER shadow_incident BEFORE INSERT ON incident WHEN EXISTS (SELECT 1 FROM shadow)
BEGIN
    SELECT raise(IGNORE);
END;

-- One row: when a tick last ran, to the hour; a clock that differs much from it is not trusted.
CREATE TABLE last_tick (
    last_tick INTEGER PRIMARY KEY CHECK (last_tick = 1),
    at        INTEGER NOT NULL
) STRICT;

-- One row while all jobs are paused: nothing new starts.
CREATE TABLE site_pause (
    site_pause INTEGER PRIMARY KEY CHECK (site_pause = 1),
    at         INTEGER NOT NULL,
    actor      TEXT    NOT NULL
) STRICT;

-- The stores of files that gave no answer when a tick last asked them.
CREATE TABLE store_failure (
    server   TEXT    PRIMARY KEY,          -- scheme://authority
    since    INTEGER NOT NULL,
    failures INTEGER NOT NULL CHECK (failures > 0),
    next_at  INTEGER NOT NULL,             -- not asked before
    why      TEXT    NOT NULL
) STRICT;

-- The workflow jobs in their first run that were submitted to be started later.
CREATE TABLE workflow_hold (
    workflow_job INTEGER PRIMARY KEY REFERENCES workflow_job (job)
) STRICT;

-- The events of all jobs together: who paused and resumed them.
CREATE INDEX event_of_site ON event (event)
    WHERE coordinator_job IS NULL AND workflow_job IS NULL AND bundle_job IS NULL;

-- One row: the rerun of many actions that is being done, or was interrupted.
CREATE TABLE repair (
    repair       INTEGER PRIMARY KEY CHECK (repair = 1),
    plan         TEXT    NOT NULL,          -- a random word: no other plan has it
    created_at   INTEGER NOT NULL,
    actor        TEXT    NOT NULL,
    refresh      INTEGER NOT NULL CHECK (refresh IN (0, 1)),
    failed       INTEGER NOT NULL CHECK (failed IN (0, 1)),
    nocleanup    INTEGER NOT NULL CHECK (nocleanup IN (0, 1)),
    newest_first INTEGER NOT NULL CHECK (newest_first IN (0, 1)),
    properties   TEXT    NOT NULL CHECK (json_valid(properties)),  -- JSON object: name to value
    -- 1: the outputs are deleted. What is there now was written by an action that runs again.
    cleaned      INTEGER NOT NULL DEFAULT 0 CHECK (cleaned IN (0, 1))
) STRICT;

-- The actions and workflow jobs of that rerun. The transaction that reruns one marks its step as done.
CREATE TABLE repair_step (
    step            INTEGER PRIMARY KEY,
    coordinator_job INTEGER REFERENCES coordinator_job (job) ON DELETE CASCADE,
    action_number   INTEGER,                -- NULL: a nominal time before the start of the job, or a workflow job
    workflow_job    INTEGER UNIQUE REFERENCES workflow_job (job) ON DELETE CASCADE,
    nominal_at      INTEGER NOT NULL,       -- of a workflow job: when it was created
    run             INTEGER NOT NULL,       -- how often it was rerun before, or the nominal time has run before
    outputs         INTEGER NOT NULL DEFAULT 0 CHECK (outputs >= 0),  -- how many outputs of it the plan deletes
    cleaned         INTEGER NOT NULL DEFAULT 0 CHECK (cleaned IN (0, 1)),  -- 1: they are deleted
    done            INTEGER NOT NULL DEFAULT 0 CHECK (done IN (0, 1)),
    UNIQUE (coordinator_job, nominal_at),
    CHECK ((coordinator_job IS NULL) <> (workflow_job IS NULL))
) STRICT;

-- One row: where the database is used. A copy of the file has the same row and is noticed by it.
CREATE TABLE place (
    place   INTEGER PRIMARY KEY CHECK (place = 1),
    path    TEXT    NOT NULL,      -- of the file, without links
    device  INTEGER NOT NULL,
    inode   INTEGER NOT NULL,
    root    INTEGER NOT NULL,      -- inode of the folder /: containers have their own
    boot    TEXT    NOT NULL,      -- start of the machine
    machine TEXT                   -- the machine's own id; NULL where it has none
) STRICT;

-- The coordinator jobs of an Oozie that were taken over. A row outlives its job: a takeover that is given again after
-- a purge must not take the job over a second time.
CREATE TABLE takeover (
    takeover      INTEGER PRIMARY KEY,
    oozie_id      TEXT    NOT NULL,
    job           INTEGER REFERENCES coordinator_job (job) ON DELETE SET NULL,  -- NULL: it was purged
    taken_at      INTEGER NOT NULL,
    back_at       INTEGER,                 -- when the job was given back to Oozie; NULL: it is here
    last_number   INTEGER NOT NULL CHECK (last_number >= 0),  -- of the last action that Oozie has created
    end_at        INTEGER NOT NULL,        -- the end and the concurrency that Oozie gets back
    concurrency   INTEGER NOT NULL,
    left_to_oozie TEXT    NOT NULL         -- numbers of the actions that Oozie has started: 3,7-9
) STRICT;

CREATE UNIQUE INDEX takeover_here ON takeover (oozie_id) WHERE back_at IS NULL;
CREATE INDEX takeover_of_id ON takeover (oozie_id, takeover);
CREATE INDEX takeover_of_job ON takeover (job) WHERE job IS NOT NULL;

-- The bundles of an Oozie that were taken over; their coordinators have rows of their own in `takeover`.
CREATE TABLE bundle_takeover (
    bundle_takeover INTEGER PRIMARY KEY,
    oozie_id        TEXT    NOT NULL,
    bundle          INTEGER REFERENCES bundle_job (job) ON DELETE SET NULL,  -- NULL: it was purged
    taken_at        INTEGER NOT NULL,
    back_at         INTEGER                -- when it was given back to Oozie; NULL: it is here
) STRICT;

CREATE UNIQUE INDEX bundle_takeover_here ON bundle_takeover (oozie_id) WHERE back_at IS NULL;
CREATE INDEX bundle_takeover_of_id ON bundle_takeover (oozie_id, bundle_takeover);
CREATE INDEX bundle_takeover_of_bundle ON bundle_takeover (bundle) WHERE bundle IS NOT NULL;
