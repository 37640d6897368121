//! One row of each kind, for tests that change what they are about.

use howdah_words::model::id::JobId;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob, CoordinatorKey, SlaKey, SlaRegistration};
use howdah_words::model::status::{ActionStatus, Execution, SlaStatus, SlaSubject};
use howdah_words::model::time::{HOUR, Timestamp};

/// An hourly job without a first action yet, from the epoch on for a day.
pub fn coordinator_job(status: JobStatus) -> CoordinatorJob {
    CoordinatorJob {
        job: CoordinatorKey::default(),
        id: JobId::parse("0000000-1-oozie-oozi-C").expect("an id"),
        name: "daily".to_owned(),
        user: "ada".to_owned(),
        group_name: None,
        acl: None,
        app_path: "file:///apps/daily".to_owned(),
        status,
        created_at: Timestamp::EPOCH,
        modified_at: Timestamp::EPOCH,
        start_at: Timestamp::EPOCH,
        end_at: Timestamp::EPOCH + 24 * HOUR,
        pause_at: None,
        suspended_at: None,
        ended_at: None,
        frequency: "0 * * * *".to_owned(),
        time_unit: "CRON".to_owned(),
        time_zone: "UTC".to_owned(),
        timeout_minutes: -1,
        concurrency: 1,
        throttle: 12,
        execution: Execution::Fifo,
        next_materialized_at: None,
        last_action_number: 0,
        done_materialization: false,
        definition_version: 1,
        due_at: None,
        parent_bundle: None,
    }
}

/// An action that never ran.
pub fn coordinator_action(number: u32, status: ActionStatus, nominal_at: Timestamp) -> CoordinatorAction {
    CoordinatorAction::unstarted(ActionKey { job: CoordinatorKey::default(), number }, status, nominal_at)
}

/// An action that promises its end alone, at the epoch.
pub fn sla_registration() -> SlaRegistration {
    SlaRegistration {
        sla: SlaKey::default(),
        subject: SlaSubject::CoordinatorAction,
        coordinator_job: None,
        action_number: None,
        workflow_job: None,
        node: None,
        app_name: "daily".to_owned(),
        user: "ada".to_owned(),
        created_at: Timestamp::EPOCH,
        modified_at: Timestamp::EPOCH,
        nominal_at: Timestamp::EPOCH,
        expected_start_at: None,
        expected_end_at: Timestamp::EPOCH,
        expected_seconds: None,
        alert_events: None,
        alert_contact: None,
        notification_message: None,
        upstream_apps: None,
        alerts_disabled: false,
        run: 0,
        processed: 0,
        status: SlaStatus::NotStarted,
        job_status: "WAITING".to_owned(),
        actual_start_at: None,
        actual_end_at: None,
        due_at: None,
    }
}
