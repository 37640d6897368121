SELECT definition FROM coordinator_definition
UNION ALL SELECT configuration FROM coordinator_definition
UNION ALL SELECT json_extract(value, '$.document') FROM coordinator_definition, json_each(includes)
UNION ALL SELECT configuration FROM coordinator_action WHERE configuration IS NOT NULL
UNION ALL SELECT decided FROM coordinator_action WHERE decided IS NOT NULL
UNION ALL SELECT rerun_configuration FROM coordinator_action WHERE rerun_configuration IS NOT NULL
UNION ALL SELECT definition FROM workflow_job
UNION ALL SELECT configuration FROM workflow_job
UNION ALL SELECT body FROM workflow_node WHERE body IS NOT NULL
UNION ALL SELECT definition FROM bundle_job
UNION ALL SELECT configuration FROM bundle_job
