//! Ignoring actions that ended badly, so that they no longer affect the job's status (coordinator specification
//! 6.1.3.2, 14).

use crate::coordinator::action_state::ActionEvent;
use crate::coordinator::operation::{Changes, ChosenGroups, Decision, Declined, statuses};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::{ActionGroup, CoordinatorJob};

/// Makes the chosen actions IGNORED: all of them, or none when one has not ended badly. `choose` is called only when
/// the job has actions.
pub fn ignore_actions(job: &CoordinatorJob, choose: impl FnOnce() -> Result<ChosenGroups>) -> Decision {
    if job.status == JobStatus::PREP {
        let why = format!("{} is PREP and has no action yet", job.id);
        return Err(Declined::NotDone(Error::new(ErrorCode::E1024, why)));
    }
    let mut changes = Changes::none(job);
    changes.move_chosen(choose().map_err(Declined::Refused)?, ActionEvent::Ignore);
    if changes.unchanged.is_empty() && !(changes.moved.is_empty() && changes.groups.is_empty()) {
        return Ok(changes);
    }
    Err(Declined::Refused(not_eligible(&changes.unchanged)))
}

/// The most numbers that the refusal lists.
const MOST_LISTED: usize = 100;

fn not_eligible(unchanged: &[ActionGroup]) -> Error {
    if unchanged.is_empty() {
        let error = Error::new(ErrorCode::E1024, "no actions are eligible to ignore");
        return error.help("a period A::B means the actions that have ended; `howdah info JOB` lists all");
    }
    let all = || unchanged.iter().flat_map(ActionGroup::numbers);
    let mut numbers: Vec<String> = all().take(MOST_LISTED).map(|number| number.to_string()).collect();
    if let more @ 1.. = all().count().saturating_sub(MOST_LISTED) {
        numbers.push(format!("and {more} more"));
    }
    let numbers = numbers.join(", ");
    let why = format!("part or all actions are not eligible to ignore, check state of action number(s) [{numbers}]");
    let help = format!("only FAILED, KILLED and TIMEDOUT actions can be ignored, and {}", statuses(unchanged));
    Error::new(ErrorCode::E1024, why).help(help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coordinator::operation::testing::{check, chosen, job};
    use howdah_words::model::job_status::JobStatus as S;
    use howdah_words::model::status::ActionStatus as A;

    fn ignore_of(status: S, statuses: &[A]) -> Decision {
        ignore_actions(&job(status), || Ok(chosen(statuses)))
    }

    #[test]
    fn what_ended_badly_is_ignored() {
        let bad = [A::Failed, A::Killed, A::TimedOut];
        for status in S::ALL.iter().filter(|status| **status != S::PREP) {
            check(ignore_of(*status, &bad), &format!("{status} | 1 IGNORED, 2 IGNORED, 3 IGNORED"));
        }
        check(ignore_of(S::PREP, &bad), "E1024 not done");
    }

    #[test]
    fn an_action_that_did_not_end_badly_refuses_all() {
        for status in A::ALL.iter().filter(|status| !matches!(status, A::Failed | A::Killed | A::TimedOut)) {
            check(ignore_of(S::RUNNING, &[A::Failed, *status]), "E1024 refused");
        }
        check(ignore_of(S::RUNNING, &[]), "E1024 refused");
    }
}
