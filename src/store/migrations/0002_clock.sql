-- When a node is tried again, on the clock that cannot be set: seconds since that start of the machine. `retry_at` is for
-- people, and counts when the machine was started since.
ALTER TABLE workflow_node ADD COLUMN retry_boot TEXT;
ALTER TABLE workflow_node ADD COLUMN retry_uptime INTEGER;
