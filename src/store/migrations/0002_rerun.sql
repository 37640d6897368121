
-- 1: the present run of the workflow job has not reached the node; its row is kept for its attempts.
ALTER TABLE workflow_node ADD COLUMN forgotten INTEGER NOT NULL DEFAULT 0 CHECK (forgotten IN (0, 1));

-- What a rerun adds to the configuration of the action's workflow job: JSON object, name to value.
ALTER TABLE coordinator_action ADD COLUMN rerun_configuration INTEGER REFERENCES document (document);

-- Actions that wait only for their turn: what they need was decided before they were rerun.
CREATE INDEX coordinator_action_decided ON coordinator_action (job, number)
    WHERE status = 'WAITING' AND configuration IS NOT NULL;
