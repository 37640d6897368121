-- After a backup was put back: the coordinators that a bundle submitted after the backup. The bundle gives each the same
-- id when it submits it again, so that its actions find the workflow jobs that they had.
CREATE TABLE earlier_coordinator (
    bundle TEXT NOT NULL,
    name   TEXT NOT NULL,                       -- in the bundle
    job    TEXT NOT NULL,
    PRIMARY KEY (bundle, name)
) STRICT, WITHOUT ROWID;

-- What was rerun after the backup and is as before: the failure policy reruns it by itself only from this run on.
CREATE TABLE earlier_rerun (
    subject TEXT    PRIMARY KEY,                -- C@3, or a workflow job
    run     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Commands of such reruns that may have been alive when the backup was put back.
CREATE TABLE earlier_command (
    subject TEXT NOT NULL,                      -- C@3, or a workflow job
    folder  TEXT NOT NULL,                      -- of the attempt, in the folder of all runs
    PRIMARY KEY (subject, folder)
) STRICT, WITHOUT ROWID;
