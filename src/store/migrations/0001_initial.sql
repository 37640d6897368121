-- Times are whole seconds since 1970-01-01T00:00:00Z in columns named *_at.
-- Statuses are Oozie's words. Integer keys join the tables; the text ids are for people.

-- One row: when this database was made, and what the next job is called.
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
    timeout_minutes      INTEGER NOT NULL,      -- -1: wait for ever
    concurrency          INTEGER NOT NULL,
    throttle             INTEGER NOT NULL,
    execution            TEXT    NOT NULL CHECK (execution IN ('FIFO', 'LIFO', 'LAST_ONLY', 'NONE')),
    next_materialized_at INTEGER,               -- nominal time of the next action; NULL when none follows
    last_action_number   INTEGER NOT NULL DEFAULT 0 CHECK (last_action_number >= 0),
    done_materialization INTEGER NOT NULL DEFAULT 0 CHECK (done_materialization IN (0, 1)),
    definition_version   INTEGER NOT NULL,
    due_at               INTEGER,               -- when tick must next consider materializing; NULL: never
    FOREIGN KEY (job, definition_version) REFERENCES coordinator_definition (job, version)
        DEFERRABLE INITIALLY DEFERRED
) STRICT;

CREATE INDEX coordinator_job_due ON coordinator_job (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX coordinator_job_live ON coordinator_job (job) WHERE status IN (
    'PREP', 'PREPSUSPENDED', 'PREPPAUSED', 'RUNNING', 'RUNNINGWITHERROR', 'SUSPENDED', 'SUSPENDEDWITHERROR',
    'PAUSED', 'PAUSEDWITHERROR');

-- What was submitted, and every later update of it; an action keeps the version it was materialized from.
CREATE TABLE coordinator_definition (
    job           INTEGER NOT NULL REFERENCES coordinator_job (job),
    version       INTEGER NOT NULL CHECK (version > 0),
    created_at    INTEGER NOT NULL,
    definition    INTEGER NOT NULL REFERENCES document (document),
    configuration INTEGER NOT NULL REFERENCES document (document),  -- JSON object: name to value
    includes      TEXT    NOT NULL DEFAULT '[]' CHECK (json_valid(includes)),  -- [{"uri": ..., "document": ...}]
    PRIMARY KEY (job, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE coordinator_action (
    job                INTEGER NOT NULL,
    number             INTEGER NOT NULL CHECK (number > 0),
    nominal_at         INTEGER NOT NULL,
    created_at         INTEGER NOT NULL,
    modified_at        INTEGER NOT NULL,
    status             TEXT    NOT NULL CHECK (status IN (
        'WAITING', 'READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED', 'TIMEDOUT', 'SUCCEEDED', 'KILLED', 'FAILED',
        'SKIPPED', 'IGNORED')),
    definition_version INTEGER NOT NULL,
    timeout_minutes    INTEGER NOT NULL,        -- -1: wait for ever
    run                INTEGER NOT NULL DEFAULT 0,
    first_missing      TEXT,                    -- URI with its done-flag
    missing_from       INTEGER,                 -- place of first_missing in the list of dependencies
    external_id        TEXT,                    -- id of the workflow job
    external_status    TEXT,
    error_code         TEXT,
    error_message      TEXT,
    configuration      INTEGER REFERENCES document (document),  -- decided at start
    PRIMARY KEY (job, number),
    FOREIGN KEY (job, definition_version) REFERENCES coordinator_definition (job, version)
) STRICT, WITHOUT ROWID;

-- Covers the whole input check, so that a hundred thousand waiting actions are read in one pass.
CREATE INDEX coordinator_action_waiting ON coordinator_action (
    job, nominal_at, number, created_at, definition_version, timeout_minutes, missing_from, first_missing
) WHERE status = 'WAITING';
-- The other open statuses; with the index above, tick never meets a finished action.
CREATE INDEX coordinator_action_active ON coordinator_action (job, status, nominal_at, number)
    WHERE status IN ('READY', 'SUBMITTED', 'RUNNING', 'SUSPENDED');

-- Actions per job and status, kept by every function that writes a status.
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
    status             TEXT    NOT NULL CHECK (status IN (
        'PREP', 'RUNNING', 'SUSPENDED', 'SUCCEEDED', 'KILLED', 'FAILED')),
    run                INTEGER NOT NULL DEFAULT 0,
    parent_coordinator INTEGER,
    parent_action      INTEGER,
    parent_workflow    INTEGER REFERENCES workflow_job (job),
    parent_node        TEXT,
    depth              INTEGER NOT NULL DEFAULT 0,  -- how many workflow jobs stand above this one
    created_at         INTEGER NOT NULL,
    started_at         INTEGER,
    ended_at           INTEGER,
    modified_at        INTEGER NOT NULL,
    definition         INTEGER NOT NULL REFERENCES document (document),
    configuration      INTEGER NOT NULL REFERENCES document (document),
    instance           TEXT CHECK (instance IS NULL OR json_valid(instance)),  -- state of the walk through the graph
    external_id        TEXT,
    error_code         TEXT,
    error_message      TEXT,
    CHECK ((parent_coordinator IS NULL) = (parent_action IS NULL)),
    CHECK ((parent_workflow IS NULL) = (parent_node IS NULL)),
    FOREIGN KEY (parent_coordinator, parent_action) REFERENCES coordinator_action (job, number)
) STRICT;

CREATE INDEX workflow_job_active ON workflow_job (job) WHERE status IN ('PREP', 'RUNNING', 'SUSPENDED');
CREATE INDEX workflow_job_of_action ON workflow_job (parent_coordinator, parent_action)
    WHERE parent_coordinator IS NOT NULL;
CREATE INDEX workflow_job_of_node ON workflow_job (parent_workflow, parent_node) WHERE parent_workflow IS NOT NULL;

CREATE TABLE workflow_node (
    job              INTEGER NOT NULL REFERENCES workflow_job (job),
    name             TEXT    NOT NULL,
    run              INTEGER NOT NULL DEFAULT 0,
    sequence         INTEGER NOT NULL,          -- the order in which the nodes of the job began
    kind             TEXT    NOT NULL,          -- element name: shell, decision, fork, ...
    status           TEXT    NOT NULL CHECK (status IN (
        'PREP', 'RUNNING', 'OK', 'ERROR', 'USER_RETRY', 'START_RETRY', 'START_MANUAL', 'DONE', 'END_RETRY',
        'END_MANUAL', 'KILLED', 'FAILED')),
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
    PRIMARY KEY (job, name)
) STRICT, WITHOUT ROWID;

CREATE INDEX workflow_node_retry ON workflow_node (retry_at) WHERE retry_at IS NOT NULL;

CREATE TABLE attempt (
    attempt    INTEGER PRIMARY KEY,
    token      TEXT    NOT NULL UNIQUE,
    job        INTEGER NOT NULL,                -- workflow job
    node       TEXT    NOT NULL,
    run        INTEGER NOT NULL,
    number     INTEGER NOT NULL CHECK (number > 0),
    directory  TEXT    NOT NULL,
    state      TEXT    NOT NULL CHECK (state IN ('STARTED', 'ENDED', 'LOST', 'KILLED')),
    created_at INTEGER NOT NULL,
    started_at INTEGER,
    ended_at   INTEGER,
    exit_code  INTEGER,
    signal     INTEGER,
    detail     TEXT,
    UNIQUE (job, node, run, number),
    FOREIGN KEY (job, node) REFERENCES workflow_node (job, name)
) STRICT;

CREATE INDEX attempt_open ON attempt (attempt) WHERE state = 'STARTED';

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
    reason             TEXT
) STRICT;

CREATE INDEX event_of_coordinator ON event (coordinator_job, action_number) WHERE coordinator_job IS NOT NULL;
CREATE INDEX event_of_workflow ON event (workflow_job, node) WHERE workflow_job IS NOT NULL;
