UPDATE coordinator_action SET status = :to, modified_at = :at
-- The plus: SQLite would compare the value with the conditions of partial indexes, and plan again for each.
WHERE job = :job AND number BETWEEN :first AND :last AND status = +:from
