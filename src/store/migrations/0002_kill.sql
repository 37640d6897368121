-- When an operator asked for the end of this attempt, while its job goes on; NULL: nobody did.
ALTER TABLE attempt ADD COLUMN kill_requested_at INTEGER;
