//! When tick must look at a coordinator job again: what is stored with its row.

use crate::model::job_status::JobHold;
use crate::model::row::CoordinatorJob;
use crate::model::time::Timestamp;

/// When tick must look at the job again: as soon as its next nominal time comes into the look-ahead, or its pause time
/// comes; a paused one at once, in case its pause time was moved.
///
/// A job held back by its throttle stays due: the next tick sees whether an action left WAITING.
pub(crate) fn due_at(job: &CoordinatorJob, lookup_seconds: i64) -> Option<Timestamp> {
    match job.status.hold() {
        Some(JobHold::Free) => {
            let next = job.next_materialized_at.unwrap_or(job.start_at);
            let creates = !job.done_materialization && job.pause_at.is_none_or(|pause| next < pause);
            creates.then_some(next - lookup_seconds).into_iter().chain(job.pause_at).min()
        }
        Some(JobHold::Paused) => Some(Timestamp::EPOCH),
        Some(JobHold::Suspended) | None => None,
    }
}
