SELECT receiver FROM delivery_head
WHERE CASE
    WHEN tries = 0 THEN 1
    WHEN next_try_boot = :boot AND :boot <> '' THEN next_try_uptime <= :uptime
    ELSE next_try_at <= :at
END
GROUP BY receiver
ORDER BY min(next_try_at), min(delivery)
LIMIT :len
