-- What the processes of an attempt have used; NULL while it runs, and where nobody lived to measure it.
ALTER TABLE attempt ADD COLUMN user_seconds REAL;    -- CPU time in their own code
ALTER TABLE attempt ADD COLUMN system_seconds REAL;  -- CPU time in the kernel
ALTER TABLE attempt ADD COLUMN max_memory INTEGER;   -- bytes that the largest of them occupied at most
