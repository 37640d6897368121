//! Creates the row of an attempt that ended from the outcome in its folder. The outcome is untrusted, so every value is
//! bounded.
//!
//! Must not depend on what the outcome means for the node.

use howdah_host::attempt::AttemptState;
use howdah_host::command::WorkOutcome;
use howdah_words::model::cpu_time::CpuTime;
use howdah_words::model::row;
use howdah_words::model::row::Attempt;
use howdah_words::model::time::Timestamp;

/// The most characters of an outcome's message that are stored.
const LONGEST_DETAIL: usize = 2000;

/// Limits an untrusted time from a folder to one that a calendar has.
fn within_reason(seconds: i64) -> Timestamp {
    /// The last second of the year 9999.
    const LAST: i64 = 253_402_300_799;
    Timestamp::from_seconds(seconds.clamp(0, LAST))
}

/// Creates the row of an attempt that ended.
pub fn outcome(row: &Attempt, state: &AttemptState, now: Timestamp) -> Attempt {
    let mut row = row.clone();
    row.ended_at = Some(now);
    row.state = row::AttemptState::Ended;
    match state {
        AttemptState::Ended(exit) => {
            row.started_at = Some(within_reason(exit.started_at));
            row.ended_at = Some(within_reason(exit.ended_at));
            row.user_seconds = exit.user_seconds.map(CpuTime::from_seconds);
            row.system_seconds = exit.system_seconds.map(CpuTime::from_seconds);
            row.max_memory = exit.max_memory.and_then(|bytes| i64::try_from(bytes).ok());
            match exit.outcome.clone().shortened(LONGEST_DETAIL) {
                WorkOutcome::Exited(status) => row.exit_code = Some(status),
                WorkOutcome::Signaled(signal) => row.signal = Some(signal),
                WorkOutcome::Failed { code, message } => row.detail = Some(format!("{code}: {message}")),
            }
        }
        AttemptState::Lost { reason } => {
            row.state = row::AttemptState::Lost;
            row.detail = Some(reason.clone());
        }
        AttemptState::Withdrawn | AttemptState::Recalled => row.state = row::AttemptState::Killed,
        AttemptState::Unclaimed | AttemptState::Running(_) | AttemptState::OutOfSight(_) => {}
    }
    row
}
