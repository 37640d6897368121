//! Which coordinators are late: `status` shows them, and alerts report them.

use howdah_store::Snapshot;
use howdah_words::error::Result;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::time::{HOUR, MINUTE, Timestamp};

/// How many actions before the oldest open one tell how long the actions of a job usually take.
const MOST_DELAYS: u32 = 20;
/// An action is late when it has not ended after twice the usual time and this many seconds.
const GRACE: i64 = 15 * MINUTE;
/// How long the actions of a job without history may take.
const USUAL: i64 = HOUR;

/// The oldest open action of a job, where it takes much longer than usual.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LateAction {
    pub number: u32,
    pub nominal_at: Timestamp,
    /// How long ago its nominal time was.
    pub seconds: i64,
}

/// A job that is late.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LateJob {
    pub job: CoordinatorJob,
    pub action: LateAction,
}

/// Returns the oldest open action of a job, if it is late.
///
/// # Errors
/// A failure of the database.
pub fn late_action(snapshot: &Snapshot, job: &CoordinatorJob, now: Timestamp) -> Result<Option<LateAction>> {
    if job.status.is_terminal() || job.status.is_suspended() {
        return Ok(None);
    }
    let Some(oldest) = snapshot.oldest_open_action(job.job)? else { return Ok(None) };
    let seconds = now - oldest.nominal_at;
    // Most jobs are not late: their history need not be read.
    if seconds <= GRACE {
        return Ok(None);
    }
    let delays = snapshot.delays_before(job.job, oldest.number, MOST_DELAYS)?;
    let is_late = seconds > 2 * median(delays).unwrap_or(USUAL) + GRACE;
    Ok(is_late.then_some(LateAction { number: oldest.number, nominal_at: oldest.nominal_at, seconds }))
}

/// Returns the live jobs that are late, the latest first.
///
/// # Errors
/// A failure of the database.
pub fn late_jobs(snapshot: &Snapshot, now: Timestamp) -> Result<Vec<LateJob>> {
    let mut late = Vec::new();
    for job in snapshot.live_coordinator_jobs()? {
        if let Some(action) = late_action(snapshot, &job, now)? {
            late.push(LateJob { job, action });
        }
    }
    late.sort_by_key(|late| std::cmp::Reverse(late.action.seconds));
    Ok(late)
}

/// Returns the value in the middle; `None` without values.
fn median(mut values: Vec<i64>) -> Option<i64> {
    values.sort_unstable();
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_time_is_the_one_in_the_middle() {
        for (values, expect) in [(&[][..], None), (&[5], Some(5)), (&[9, 1, 5], Some(5)), (&[1, 2, 3, 100], Some(3))] {
            assert_eq!(median(values.to_vec()), expect, "{values:?}");
        }
    }
}
