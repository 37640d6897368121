SELECT DISTINCT job FROM coordinator_action INDEXED BY coordinator_action_active
WHERE status = 'READY'
ORDER BY job
