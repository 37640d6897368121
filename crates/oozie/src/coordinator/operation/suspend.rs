//! Suspending and resuming a job (coordinator specification 6.1.2; decision C36).

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::job_state::JobEvent;
use crate::coordinator::operation::{Changes, Decision, Declined};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// Suspends a job and its RUNNING actions. WAITING, READY and SUBMITTED ones stay as they are and are not checked
/// meanwhile.
///
/// A job that is already suspended stays suspended: actions that run nevertheless are suspended again.
pub fn suspend(job: &CoordinatorJob, actions: &[CoordinatorAction], now: Timestamp) -> Decision {
    let mut changes = Changes::none(job);
    if !changes.move_job(JobEvent::Suspend) {
        return Err(Declined::NotDone(Error::with(ErrorCode::E0728, &[&job.id, &job.status])));
    }
    changes.job.suspended_at = Some(now);
    for action in actions {
        changes.move_action(action, ActionEvent::WorkflowSuspended);
    }
    Ok(changes)
}

/// Resumes a job and its SUSPENDED actions; a job that was paused as well is paused again by its pause time.
pub fn resume(job: &CoordinatorJob, actions: &[CoordinatorAction]) -> Decision {
    let mut changes = Changes::none(job);
    if !changes.move_job(JobEvent::Resume) {
        let why = format!("{} is {} and not suspended", job.id, job.status);
        return Err(Declined::NotDone(Error::new(ErrorCode::E1100, why)));
    }
    changes.job.suspended_at = None;
    for action in actions {
        changes.move_action(action, ActionEvent::WorkflowResumed);
    }
    Ok(changes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::operation::testing::{NOW, actions, check, job};
    use howdah_words::model::job_status::JobStatus as S;
    use howdah_words::model::status::ActionStatus as A;

    #[test]
    fn suspends_what_runs() {
        for (from, expect) in [
            ("PREP", "PREPSUSPENDED | 4 SUSPENDED"),
            ("PREPPAUSED", "PREPSUSPENDED | 4 SUSPENDED"),
            ("PREPSUSPENDED", "PREPSUSPENDED | 4 SUSPENDED"),
            ("RUNNING", "SUSPENDED | 4 SUSPENDED"),
            ("PAUSED", "SUSPENDED | 4 SUSPENDED"),
            ("SUSPENDED", "SUSPENDED | 4 SUSPENDED"),
            ("RUNNINGWITHERROR", "SUSPENDEDWITHERROR | 4 SUSPENDED"),
            ("PAUSEDWITHERROR", "SUSPENDEDWITHERROR | 4 SUSPENDED"),
            ("SUSPENDEDWITHERROR", "SUSPENDEDWITHERROR | 4 SUSPENDED"),
            ("SUCCEEDED", "E0728 not done"),
            ("DONEWITHERROR", "E0728 not done"),
            ("KILLED", "E0728 not done"),
            ("FAILED", "E0728 not done"),
            ("IGNORED", "E0728 not done"),
        ] {
            check(suspend(&job(S::from_word(from).unwrap()), &actions(A::ALL), NOW), expect);
        }
        assert_eq!(suspend(&job(S::RUNNING), &[], NOW).unwrap().job.suspended_at, Some(NOW));
    }

    #[test]
    fn resumes_what_is_suspended() {
        for status in S::ALL {
            let expect = match status.as_str() {
                "PREPSUSPENDED" => "PREP | 5 RUNNING",
                "SUSPENDED" => "RUNNING | 5 RUNNING",
                "SUSPENDEDWITHERROR" => "RUNNINGWITHERROR | 5 RUNNING",
                _ => "E1100 not done",
            };
            check(resume(&job(*status), &actions(A::ALL)), expect);
        }
        let suspended = CoordinatorJob { suspended_at: Some(NOW), ..job(S::from_word("SUSPENDED").unwrap()) };
        assert_eq!(resume(&suspended, &[]).unwrap().job.suspended_at, None);
    }
}
