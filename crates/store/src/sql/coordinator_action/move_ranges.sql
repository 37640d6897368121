UPDATE coordinator_action_range SET status = :to, modified_at = :at
WHERE job = :job AND number >= :first AND last_number <= :last AND status = :from
