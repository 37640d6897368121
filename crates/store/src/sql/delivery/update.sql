UPDATE delivery SET
    state = :state, next_try_at = :next_try_at, next_try_boot = :next_try_boot,
    next_try_uptime = :next_try_uptime, ended_at = :ended_at, tries = :tries, last_error = :last_error
WHERE delivery = :delivery AND state = 'PENDING'
