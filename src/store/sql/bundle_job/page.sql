SELECT * FROM bundle_job
WHERE (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:users IS NULL OR user IN (SELECT value FROM json_each(:users)))
  AND (:names IS NULL OR name IN (SELECT value FROM json_each(:names)))
  AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
ORDER BY created_at DESC, job DESC
LIMIT :len OFFSET :offset
