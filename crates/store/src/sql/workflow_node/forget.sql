UPDATE workflow_node SET forgotten = 1
WHERE job = ?1 AND name NOT IN (SELECT value FROM json_each(?2))
