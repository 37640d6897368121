-- What is told to others: the outbox of notifications and alerts. A row stays as long as the events beside it: it says
-- what was sent, how often it was tried, and why it was given up.
CREATE TABLE delivery (
    delivery        INTEGER PRIMARY KEY,
    payload         TEXT    NOT NULL CHECK (json_extract(payload, '$.kind') IN ('http', 'mail', 'command')),
    receiver        TEXT    NOT NULL,           -- who gets it: scheme and host of a URL, or the kind
    sequence        TEXT    NOT NULL,           -- those of one sequence are delivered one after the other
    coordinator_job INTEGER REFERENCES coordinator_job (job),
    action_number   INTEGER,
    workflow_job    INTEGER REFERENCES workflow_job (job),
    node            TEXT,
    state           TEXT    NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'GIVEN_UP')),
    created_at      INTEGER NOT NULL,
    next_try_at     INTEGER,                    -- NULL once it is over
    ended_at        INTEGER,
    tries           INTEGER NOT NULL DEFAULT 0 CHECK (tries >= 0),
    last_error      TEXT,                       -- of the latest try that failed
    told            INTEGER NOT NULL DEFAULT 0 CHECK (told IN (0, 1)),  -- whether a tick has said that it was given up
    CHECK ((state = 'PENDING') = (next_try_at IS NOT NULL)),
    CHECK ((state = 'PENDING') = (ended_at IS NULL))
) STRICT;

CREATE INDEX delivery_due ON delivery (next_try_at, delivery) WHERE state = 'PENDING';
CREATE INDEX delivery_due_of_receiver ON delivery (receiver, next_try_at, delivery) WHERE state = 'PENDING';
CREATE INDEX delivery_sequence ON delivery (sequence, delivery) WHERE state = 'PENDING';
CREATE INDEX delivery_untold ON delivery (delivery) WHERE state = 'GIVEN_UP' AND told = 0;
CREATE INDEX delivery_of_coordinator ON delivery (coordinator_job, action_number) WHERE coordinator_job IS NOT NULL;
CREATE INDEX delivery_of_workflow ON delivery (workflow_job, node) WHERE workflow_job IS NOT NULL;

-- The deliveries that may be tried: the first pending one of each sequence.
CREATE VIEW delivery_head AS
    SELECT * FROM delivery AS head
    WHERE state = 'PENDING' AND NOT EXISTS (
        SELECT 1 FROM delivery AS earlier
        WHERE earlier.state = 'PENDING' AND earlier.sequence = head.sequence AND earlier.delivery < head.delivery);

-- Where the changes of a coordinator's actions are told; jobs that want no notification have no row.
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
