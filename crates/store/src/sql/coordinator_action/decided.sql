SELECT job, number FROM coordinator_action INDEXED BY coordinator_action_decided
WHERE status = 'WAITING' AND configuration IS NOT NULL
