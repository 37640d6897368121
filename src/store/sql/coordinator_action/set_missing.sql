UPDATE coordinator_action SET first_missing = :uri, missing_from = :place, modified_at = :at
WHERE job = :job AND number = :number AND status = 'WAITING'
