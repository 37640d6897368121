-- Subtracts the actions of the ranges that are deleted next from the counts of their coordinator.
UPDATE coordinator_count SET count = count - (
    SELECT coalesce(sum(last_number - number + 1), 0) FROM coordinator_action_range AS range
    WHERE range.job = :job AND range.status = coordinator_count.status)
WHERE job = :job
