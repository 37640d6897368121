UPDATE delivery SET told = 1
WHERE state = 'GIVEN_UP' AND told = 0
RETURNING *
