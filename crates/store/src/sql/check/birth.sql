SELECT 'the row that numbers jobs is missing' AS finding WHERE NOT EXISTS (SELECT 1 FROM birth)
