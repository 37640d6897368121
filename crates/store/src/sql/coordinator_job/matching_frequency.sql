  AND (:frequency IS NULL OR (frequency = :frequency AND time_unit = :unit))
  AND (:external_ids IS NULL OR job IN (
      SELECT job FROM takeover WHERE oozie_id IN (SELECT value FROM json_each(:external_ids))))
