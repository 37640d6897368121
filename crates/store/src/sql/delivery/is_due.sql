SELECT EXISTS (SELECT 1 FROM delivery_head WHERE CASE
    WHEN tries = 0 THEN 1
    WHEN next_try_boot = :boot AND :boot <> '' THEN next_try_uptime <= :uptime
    ELSE next_try_at <= :at
END) AS is_due
