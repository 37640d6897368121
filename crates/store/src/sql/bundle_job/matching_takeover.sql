  AND (:external_ids IS NULL OR job IN (
      SELECT bundle FROM bundle_takeover WHERE oozie_id IN (SELECT value FROM json_each(:external_ids))))
