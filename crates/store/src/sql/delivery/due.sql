SELECT * FROM delivery_head
WHERE receiver = :receiver AND CASE
    WHEN tries = 0 THEN 1
    WHEN next_try_boot = :boot AND :boot <> '' THEN next_try_uptime <= :uptime
    ELSE next_try_at <= :at
END
ORDER BY next_try_at, delivery
LIMIT :len
