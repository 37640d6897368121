SELECT * FROM delivery_head
WHERE receiver = ?1 AND next_try_at <= ?2
ORDER BY next_try_at, delivery
LIMIT ?3
