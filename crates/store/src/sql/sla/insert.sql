INSERT INTO sla (
    subject, coordinator_job, action_number, workflow_job, node, app_name, user, created_at, modified_at, nominal_at,
    expected_start_at, expected_end_at, expected_seconds, alert_events, alert_contact, notification_message,
    upstream_apps, alerts_disabled, run, processed, status, job_status, actual_start_at, actual_end_at, due_at
) VALUES (
    :subject, :coordinator_job, :action_number, :workflow_job, :node, :app_name, :user, :created_at, :modified_at,
    :nominal_at, :expected_start_at, :expected_end_at, :expected_seconds, :alert_events, :alert_contact,
    :notification_message, :upstream_apps, :alerts_disabled, :run, :processed, :status, :job_status,
    :actual_start_at, :actual_end_at, :due_at)
