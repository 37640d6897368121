  AND (:frequency IS NULL OR (frequency = :frequency AND time_unit = :unit))
