//! When tick must check a coordinator job again, as stored in its row.

use howdah_words::model::job_status::JobHold;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::Timestamp;

/// Returns when tick must check the job again: when its next nominal time enters the look-ahead, or at its pause time;
/// a paused job at once, because its pause time may have changed.
///
/// A job at its throttle limit stays due: the next tick checks whether an action left WAITING.
pub fn due_at(job: &CoordinatorJob, lookup_seconds: i64) -> Option<Timestamp> {
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
