-- What engines tell of their work beside the captured output: counters, as a JSON object of groups.
ALTER TABLE workflow_node ADD COLUMN stats TEXT;
