-- When a node is tried again, on the clock that cannot be set: seconds since that start of the machine. `retry_at` is for
-- people, and counts when the machine was started since.
ALTER TABLE workflow_node ADD COLUMN retry_boot TEXT;
ALTER TABLE workflow_node ADD COLUMN retry_uptime INTEGER;

-- The same for a delivery; it is tried for the first time as soon as it is there, whatever a clock says.
ALTER TABLE delivery ADD COLUMN next_try_boot TEXT;
ALTER TABLE delivery ADD COLUMN next_try_uptime INTEGER;
