-- Of the workflow jobs in `tree`: those that were not over before `:workflow`, or that still have open work.
SELECT root FROM tree JOIN workflow_job AS member USING (job)
WHERE member.status NOT IN ('SUCCEEDED', 'KILLED', 'FAILED')
    OR coalesce(member.ended_at, member.modified_at) >= :workflow
    OR EXISTS (SELECT 1 FROM attempt WHERE attempt.job = member.job AND attempt.state = 'STARTED')
    OR EXISTS (SELECT 1 FROM delivery WHERE delivery.workflow_job = member.job AND delivery.state = 'PENDING')
