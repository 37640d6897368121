INSERT INTO coordinator_definition (job, version, created_at, definition, configuration, includes)
VALUES (:job, :version, :created_at, :definition, :configuration, :includes)
