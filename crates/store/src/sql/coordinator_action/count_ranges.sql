SELECT coalesce(sum(last_number - number + 1), 0) AS actions FROM coordinator_action_range
WHERE job = :job AND number >= :first AND last_number <= :last AND status = :from
