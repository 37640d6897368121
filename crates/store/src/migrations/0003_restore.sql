-- In a backup, one row: the position in the journal of starts when it was made. NULL: there was no journal.
CREATE TABLE backup_mark (
    backup_mark INTEGER PRIMARY KEY CHECK (backup_mark = 1),
    at          INTEGER NOT NULL,
    journal     TEXT,
    position    INTEGER,
    CHECK ((journal IS NULL) = (position IS NULL))
) STRICT;

-- After a backup was put back: what the journal of starts has, and the backup has not. A workflow job that starts again
-- for the same parent gets its id and the random id of its run again, so that its attempts are found.
CREATE TABLE earlier_job (
    earlier_job INTEGER PRIMARY KEY,            -- the order in which they started
    parent      TEXT,                           -- C@3 or W@node; NULL: the job was submitted
    parent_run  INTEGER NOT NULL,
    job         TEXT    NOT NULL,
    run         INTEGER NOT NULL,
    life        TEXT    NOT NULL,
    UNIQUE (job, run)
) STRICT;

CREATE INDEX earlier_job_of_parent ON earlier_job (parent, parent_run);

CREATE TABLE earlier_start (
    job    TEXT    NOT NULL,
    life   TEXT    NOT NULL,
    node   TEXT    NOT NULL,
    number INTEGER NOT NULL,
    token  TEXT    NOT NULL,
    folder TEXT    NOT NULL,                    -- the name of its folder in that of the node
    PRIMARY KEY (job, life, node, number)
) STRICT, WITHOUT ROWID;
