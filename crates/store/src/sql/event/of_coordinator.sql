-- The oldest are chosen in the index alone: a job may have millions.
SELECT * FROM event
WHERE event IN (SELECT event FROM event WHERE coordinator_job = ?1 ORDER BY event LIMIT ?2)
ORDER BY event
