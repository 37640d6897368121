UPDATE sla SET
    app_name = :app_name, alert_events = :alert_events, alert_contact = :alert_contact,
    notification_message = :notification_message, upstream_apps = :upstream_apps, modified_at = :modified_at,
    nominal_at = :nominal_at, expected_start_at = :expected_start_at,
    expected_end_at = :expected_end_at, expected_seconds = :expected_seconds, alerts_disabled = :alerts_disabled,
    run = :run, processed = :processed, status = :status, job_status = :job_status,
    actual_start_at = :actual_start_at, actual_end_at = :actual_end_at, due_at = :due_at
WHERE sla = :sla
