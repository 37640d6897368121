-- Subtracts the actions that are deleted next from the counts of their coordinator.
UPDATE coordinator_count SET count = count - (
    SELECT count(*) FROM coordinator_action AS action
    WHERE action.job = :job AND action.status = coordinator_count.status AND action.number IN (
        SELECT number FROM coordinator_action WHERE job = :job ORDER BY number LIMIT :limit))
WHERE job = :job
