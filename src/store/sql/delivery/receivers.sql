SELECT receiver FROM delivery_head
WHERE next_try_at <= ?1
GROUP BY receiver
ORDER BY min(next_try_at), min(delivery)
LIMIT ?2
