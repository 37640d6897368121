WITH candidate AS (
    SELECT job FROM (
        SELECT job FROM coordinator_job
        WHERE status IN ('PREP', 'PREPSUSPENDED', 'PREPPAUSED', 'RUNNING', 'RUNNINGWITHERROR', 'SUSPENDED',
            'SUSPENDEDWITHERROR', 'PAUSED', 'PAUSEDWITHERROR')
        ORDER BY job LIMIT ?1)
    UNION SELECT job FROM (SELECT job FROM coordinator_job ORDER BY job DESC LIMIT ?1)
)
SELECT coordinator_job.* FROM candidate
JOIN coordinator_job USING (job)
JOIN coordinator_definition AS definition
    ON definition.job = coordinator_job.job AND definition.version = coordinator_job.definition_version
JOIN document ON document.document = definition.definition
WHERE instr(document.text, 'data-out') > 0
ORDER BY status IN ('SUCCEEDED', 'DONEWITHERROR', 'KILLED', 'FAILED', 'IGNORED'), coordinator_job.job
