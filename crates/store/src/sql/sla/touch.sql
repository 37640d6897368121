UPDATE sla SET due_at = min(coalesce(due_at, :at), :at)
WHERE coordinator_job = :job AND action_number = :number AND processed < 8
