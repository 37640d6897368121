UPDATE sla SET due_at = min(coalesce(due_at, :at), :at)
WHERE workflow_job = :job AND processed < 8
