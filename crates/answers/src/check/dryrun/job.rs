//! The job as it would be stored.

use crate::check::dryrun::view::DryJob;
use howdah_engine::preview::job_id;
use howdah_engine::submit::coordinator::{PreparedCoordinator, coordinator_row};
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// Describes the job as it would be stored.
pub fn job(prepared: &PreparedCoordinator, now: Timestamp) -> DryJob {
    let row = coordinator_row(job_id(JobKind::Coordinator), prepared, now);
    let schedule = &prepared.application.coordinator.schedule;
    let processing = schedule.processing;
    DryJob {
        name: row.name,
        path: row.app_path,
        user: row.user,
        frequency: row.frequency,
        time_unit: row.time_unit,
        time_zone: row.time_zone,
        clock: schedule.clock(),
        start: processing.format(row.start_at),
        end: processing.format(row.end_at),
        pause: row.pause_at.map(|at| processing.format(at)),
        concurrency: row.concurrency,
        execution: row.execution.as_str(),
        throttle: row.throttle,
        timeout_minutes: row.timeout_minutes,
        configuration: prepared.application.configuration.clone(),
    }
}
