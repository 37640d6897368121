//! stub
use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::job_state::JobEvent;
use crate::coordinator::operation::{ActionFacts, Changes, Decision, Declined, JobFacts};
use crate::error::{Error, ErrorCode};
use crate::model::status::{ActionStatus, CoordinatorStatus as S};
use crate::model::time::Timestamp;

pub(crate) fn rerun(job: &JobFacts, actions: &[ActionFacts], now: Timestamp) -> Decision {
    let refuse = |t: &str| Err(Declined::Refused(Error::new(ErrorCode::E1018, t)));
    if matches!(job.status, S::Prep | S::Ignored | S::Killed | S::Failed) {
        return refuse("coordinator job does not allow it");
    }
    let mut changes = Changes::none(job);
    for action in actions {
        changes.move_or_pass_over(action, ActionEvent::Rerun);
    }
    if changes.moved.is_empty() {
        return refuse("part or all actions are not eligible to rerun!");
    }
    for (moved, _) in &mut changes.moved {
        let before = actions.iter().find(|a| a.number == moved.number).unwrap();
        if before.status == ActionStatus::TimedOut {
            moved.created = now;
        }
    }
    changes.move_job(JobEvent::Rerun);
    Ok(changes)
}
