WHERE (:statuses IS NULL OR status IN (SELECT value FROM json_each(:statuses)))
  AND (:users IS NULL OR user IN (SELECT value FROM json_each(:users)))
  AND (:names IS NULL OR name IN (SELECT value FROM json_each(:names)))
  AND (:ids IS NULL OR id IN (SELECT value FROM json_each(:ids)))
  AND (:texts IS NULL OR EXISTS (
      SELECT 1 FROM json_each(:texts) WHERE instr(name, value) > 0 OR instr(user, value) > 0 OR id = value))
  AND (:created_from IS NULL OR created_at >= :created_from)
  AND (:created_until IS NULL OR created_at <= :created_until)
