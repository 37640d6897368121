//! Killing a job, or some of its actions (coordinator specification 6.1.2, 6.1.3.2).

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::job_state::JobEvent;
use crate::coordinator::operation::{Changes, ChosenGroups, Decision, Declined};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionGroup, CoordinatorAction, CoordinatorJob};

/// Kills a job with every action that has not ended, and the SKIPPED ones, which a rerun would start.
pub fn kill(job: &CoordinatorJob, actions: &[CoordinatorAction]) -> Decision {
    let mut changes = Changes::none(job);
    if !changes.move_job(JobEvent::Kill) {
        return Err(not_done(job));
    }
    changes.job.done_materialization = true;
    for action in actions {
        changes.move_action(action, ActionEvent::JobKilled);
    }
    Ok(changes)
}

/// Kills a job as [`kill`] does, with groups of actions that never started.
pub fn kill_with_groups(job: &CoordinatorJob, actions: &[CoordinatorAction], groups: Vec<ActionGroup>) -> Decision {
    let mut changes = kill(job, actions)?;
    changes.groups = groups.into_iter().map(|group| (group, ActionEvent::JobKilled)).collect();
    Ok(changes)
}

/// Kills the chosen actions and skips those that have ended. `choose` is called only when the job's status allows a
/// kill; the job's status does not change.
pub fn kill_actions(job: &CoordinatorJob, choose: impl FnOnce() -> Result<ChosenGroups>) -> Decision {
    if job.status.is_terminal() && job.status != JobStatus::Ignored {
        return Err(not_done(job));
    }
    let mut changes = Changes::none(job);
    changes.move_chosen(choose().map_err(Declined::Refused)?, ActionEvent::Kill);
    Ok(changes)
}

fn not_done(job: &CoordinatorJob) -> Declined {
    let error = Error::new(ErrorCode::E1020, format!("{}, status {}", job.id, job.status));
    Declined::NotDone(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::operation::testing::{actions, check, chosen, job};
    use howdah_words::model::job_status::JobStatus as S;
    use howdah_words::model::status::ActionStatus as A;

    #[test]
    fn killing_a_job_kills_its_actions() {
        for status in S::ALL {
            let expect = if status.is_terminal() { "E1020 not done" } else { "KILLED | 1 KILLED, 2 KILLED, 4 KILLED" };
            check(kill(&job(*status), &actions(&[A::Waiting, A::Skipped, A::Succeeded, A::Suspended])), expect);
        }
    }

    #[test]
    fn killed_actions_leave_the_job_unchanged() {
        let of = |status, statuses: &[A]| kill_actions(&job(status), || Ok(chosen(statuses)));
        let all = "RUNNING | 1 KILLED, 2 KILLED, 3 KILLED, 4 KILLED, 5 KILLED | passed over 6 7 8 9 10 11";
        check(of(S::RUNNING, A::ALL), all);
        check(of(S::from_word("SUSPENDED").unwrap(), &[]), "SUSPENDED");
        for status in ["SUCCEEDED", "FAILED", "DONEWITHERROR", "KILLED"].map(|word| S::from_word(word).unwrap()) {
            check(of(status, A::ALL), "E1020 not done");
        }
        check(of(S::Ignored, &[A::Waiting]), "IGNORED | 1 KILLED");
        let unknown = || Err(Error::new(ErrorCode::E0605, "x"));
        check(kill_actions(&job(S::RUNNING), unknown), "E0605 refused");
    }
}
