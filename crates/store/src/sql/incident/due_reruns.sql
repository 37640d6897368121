-- CROSS: the planned reruns are read first, whatever statistics of the file say.
SELECT policy_rerun.* FROM policy_rerun INDEXED BY policy_rerun_due CROSS JOIN coordinator_job USING (job)
WHERE rerun_at <= :now AND (rerun_at, job, number) > (:at, :job, :number)
    AND status NOT IN ('PREPSUSPENDED', 'SUSPENDED', 'SUSPENDEDWITHERROR')
ORDER BY rerun_at, job, number LIMIT :most
