UPDATE coordinator_action SET first_missing = :input, missing_from = :place, modified_at = :at
WHERE job = :job AND number = :number AND status = 'WAITING'
