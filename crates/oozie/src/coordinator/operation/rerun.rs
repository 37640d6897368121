//! Running actions that have ended again (coordinator specification 14; decisions C11, C12).

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::job_state::JobEvent;
use crate::coordinator::operation::{Changes, Decision, Declined, reopen_advice, statuses};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{CoordinatorAction, CoordinatorJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// Makes the chosen actions WAITING again and skips those that have not ended. `choose` is called only when the job's
/// status allows a rerun.
///
/// The wait of an action that timed out starts now; the others keep their created time.
pub fn rerun(
    job: &CoordinatorJob,
    choose: impl FnOnce() -> Result<Vec<CoordinatorAction>>,
    now: Timestamp,
) -> Decision {
    check_job(job)?;
    let mut changes = Changes::none(job);
    for mut action in choose().map_err(Declined::Refused)? {
        if action.status == ActionStatus::TimedOut {
            action.created_at = now;
        }
        changes.move_or_leave(&action, ActionEvent::Rerun);
    }
    if changes.moved.is_empty() {
        return Err(refused(job, &changes));
    }
    changes.move_job(JobEvent::Rerun);
    changes.job.suspended_at = None;
    Ok(changes)
}

fn check_job(job: &CoordinatorJob) -> Result<(), Declined> {
    use JobStatus as S;
    let (why, help) = match job.status {
        S::PREP => ("so no actions are materialized to rerun!", "wait for its first action".to_owned()),
        S::Ignored => ("please change it to RUNNING before rerunning actions", reopen_advice(&job.id)),
        S::Killed | S::Failed => ("and its actions cannot be rerun", reopen_advice(&job.id)),
        _ => return Ok(()),
    };
    let error = Error::new(ErrorCode::E1018, format!("coordinator job {} is {} {why}", job.id, job.status));
    Err(Declined::Refused(error.help(help)))
}

fn refused(job: &CoordinatorJob, changes: &Changes) -> Declined {
    let error = Error::new(ErrorCode::E1018, format!("{}: part or all actions are not eligible to rerun!", job.id));
    let help = if changes.unchanged.is_empty() {
        format!("none of the chosen actions has ended; `howdah info {}` lists them", job.id)
    } else {
        format!("only actions that have ended can be rerun, and {}", statuses(&changes.unchanged))
    };
    Declined::Refused(error.help(help))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::operation::testing::{NOW, START, actions, check, job};
    use howdah_words::model::job_status::JobStatus as S;
    use howdah_words::model::status::ActionStatus as A;

    fn rerun_of(status: S, statuses: &[A]) -> Decision {
        rerun(&job(status), || Ok(actions(statuses)), NOW)
    }

    #[test]
    fn what_has_ended_waits_again() {
        check(
            rerun_of(S::RUNNING, A::ALL),
            "RUNNING | 6 WAITING, 7 WAITING, 8 WAITING, 9 WAITING, 10 WAITING, 11 WAITING | passed over 1 2 3 4 5",
        );
        let moved = rerun_of(S::RUNNING, &[A::TimedOut, A::Failed]).unwrap().moved;
        let created: Vec<Timestamp> = moved.iter().map(|(action, _)| action.created_at).collect();
        assert_eq!(created, [NOW, START]);
    }

    #[test]
    fn nothing_to_rerun_is_refused() {
        for none in [&[][..], &[A::Waiting, A::Ready, A::Submitted, A::Running, A::Suspended]] {
            check(rerun_of(S::RUNNING, none), "E1018 refused");
        }
    }

    #[test]
    fn the_job_continues_unless_it_was_killed_or_failed() {
        for (from, expect) in [
            ("PREP", "E1018 refused"),
            ("RUNNING", "RUNNING | 1 WAITING"),
            ("RUNNINGWITHERROR", "RUNNINGWITHERROR | 1 WAITING"),
            ("SUSPENDED", "RUNNING | 1 WAITING"),
            ("SUSPENDEDWITHERROR", "RUNNINGWITHERROR | 1 WAITING"),
            ("PAUSED", "PAUSED | 1 WAITING"),
            ("PAUSEDWITHERROR", "PAUSEDWITHERROR | 1 WAITING"),
            ("SUCCEEDED", "RUNNING | 1 WAITING"),
            ("DONEWITHERROR", "RUNNINGWITHERROR | 1 WAITING"),
            ("KILLED", "E1018 refused"),
            ("FAILED", "E1018 refused"),
            ("IGNORED", "E1018 refused"),
        ] {
            check(rerun_of(S::from_word(from).unwrap(), &[A::Failed]), expect);
        }
    }
}
