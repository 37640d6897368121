-- What was decided about the inputs of an action when it became READY: JSON, as `info` and `explain` show it.
ALTER TABLE coordinator_action ADD COLUMN decided INTEGER REFERENCES document (document);
