-- A random word for each run of a workflow job: its attempts bear it, so that a job with the same number from another life
-- of the database (a backup was restored) is never taken for this one. NULL: older than the column.
ALTER TABLE workflow_job ADD COLUMN life TEXT;

-- One row: where the database is worked on. A copy of the file bears the same row and is noticed by it.
CREATE TABLE place (
    place   INTEGER PRIMARY KEY CHECK (place = 1),
    path    TEXT    NOT NULL,      -- of the file, without links
    device  INTEGER NOT NULL,
    inode   INTEGER NOT NULL,
    root    INTEGER NOT NULL,      -- inode of the folder /: containers have their own
    boot    TEXT    NOT NULL,      -- start of the machine
    machine TEXT                   -- the machine's own id; NULL where it has none
) STRICT;
