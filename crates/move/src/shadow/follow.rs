//! `shadow follow`: ends the actions of a shadow as Oozie has ended them, and does to its jobs what operators did to
//! them in Oozie.

use howdah_engine::Engine;
use howdah_engine::apply::control::Verb;
use howdah_engine::apply::coordinator::{CommandContext, apply};
use howdah_engine::apply::outcome::Outcome;
use howdah_engine::apply::{change, control};
use howdah_engine::format::notation;
use howdah_engine::shadow::required;
use howdah_engine::transition::cause::Cause;
use howdah_engine::transition::coordinator::{move_action, settle_job};
use howdah_oozie::coordinator::action_state::ActionEvent;
use howdah_oozie::coordinator::operation::change_value::{NewPause, NewValues};
use howdah_store::Transaction;
use howdah_words::error::{Error, Result};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{ActionKey, CoordinatorJob, CoordinatorKey};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// How an action is in Oozie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    pub job: CoordinatorKey,
    pub number: u32,
    pub status: ActionStatus,
    /// Whether Oozie has started it.
    pub is_started: bool,
}

/// How a job is in Oozie.
#[derive(Clone, Debug)]
pub struct FollowedJob {
    pub job: CoordinatorKey,
    pub status: Option<JobStatus>,
    pub concurrency: Option<i32>,
    /// Its end and its pause time, where both are known.
    pub limits: Option<(Option<Timestamp>, Option<Timestamp>)>,
    pub actions: Vec<Followed>,
}

/// What changed in a shadow.
#[derive(Debug, Default)]
pub struct Changed {
    pub actions: u32,
    pub jobs: u32,
    /// What cannot be done here.
    pub problems: Vec<Error>,
}

/// Takes over how actions ended, or were suspended, and what operators did to the jobs: suspended, resumed or killed
/// them, or gave them another end, concurrency or pause time. An action that is not started here keeps its status, but
/// an operator's kill of one that had not started there is followed.
///
/// # Errors
/// H0246 when the database is no shadow, or any failure of the database.
pub fn follow(engine: &mut Engine, jobs: &[FollowedJob], now: Timestamp) -> Result<Changed> {
    required(&engine.store)?;
    let Engine { store, settings, .. } = engine;
    let cause = Cause::new(now, Origin::Shadow);
    let mut changed = Changed::default();
    for followed in jobs {
        store.transact(|transaction| {
            for action in &followed.actions {
                changed.actions += u32::from(follow_one(transaction, action, cause)?);
            }
            settle_job(transaction, followed.job, cause)?;
            follow_job(transaction, followed, CommandContext { cause, settings }, &mut changed)
        })?;
    }
    Ok(changed)
}

/// Does to a job what operators did to it in Oozie.
fn follow_job(
    transaction: &Transaction<'_>,
    followed: &FollowedJob,
    context: CommandContext<'_>,
    changed: &mut Changed,
) -> Result<()> {
    let mut is_changed = false;
    let mut done = |outcome: Outcome| {
        is_changed |= !outcome.changes.is_empty();
        changed.problems.extend(outcome.refused);
    };
    let Some(job) = transaction.coordinator_job_at(followed.job)? else { return Ok(()) };
    let values = new_values(&job, followed);
    if values != NewValues::default() {
        let why = format!("{} in Oozie", values.text(notation()));
        let context = CommandContext { cause: context.cause.because(&why), ..context };
        done(apply(transaction, &job, change::decide(transaction, &job, &values), context)?);
    }
    let Some(job) = transaction.coordinator_job_at(followed.job)? else { return Ok(()) };
    if let (Some(verb), Some(status)) = (command(job.status, followed.status), followed.status) {
        let why = format!("it is {status} in Oozie");
        let context = CommandContext { cause: context.cause.because(&why), ..context };
        done(apply(transaction, &job, control::decide(transaction, &job, verb, context.cause.at)?, context)?);
    }
    changed.jobs += u32::from(is_changed);
    Ok(())
}

/// Returns the values of a job that are others in Oozie.
fn new_values(here: &CoordinatorJob, there: &FollowedJob) -> NewValues {
    if here.status.is_terminal() && there.status.is_none_or(JobStatus::is_terminal) {
        return NewValues::default();
    }
    let (end, pause) = there.limits.unwrap_or((Some(here.end_at), here.pause_at));
    NewValues {
        end: end.filter(|end| *end != here.end_at),
        concurrency: there.concurrency.filter(|concurrency| *concurrency != here.concurrency),
        pause: (pause != here.pause_at).then(|| pause.map_or(NewPause::Never, NewPause::At)),
        status: None,
    }
}

/// Returns what an operator did in Oozie to a job that has a status here.
fn command(here: JobStatus, there: Option<JobStatus>) -> Option<Verb> {
    let there = there?;
    match (here, there) {
        (here, _) if here.is_terminal() => None,
        (_, JobStatus::Killed) => Some(Verb::Kill),
        (_, there) if there.is_terminal() || there.is_suspended() == here.is_suspended() => None,
        (_, there) if there.is_suspended() => Some(Verb::Suspend),
        _ => Some(Verb::Resume),
    }
}

fn follow_one(transaction: &Transaction<'_>, followed: &Followed, cause: Cause<'_>) -> Result<bool> {
    let key = ActionKey { job: followed.job, number: followed.number };
    let Some(mut action) = transaction.coordinator_action(key)? else { return Ok(false) };
    let Some(event) = event(action.status, followed) else { return Ok(false) };
    let why = format!("it is {} in Oozie", followed.status);
    move_action(transaction, &mut action, event, cause.because(&why))
}

/// Returns what happens to an action here; `None` when nothing does.
fn event(here: ActionStatus, there: &Followed) -> Option<ActionEvent> {
    use ActionStatus as S;
    match (here, there.status) {
        (S::Running | S::Suspended, S::Succeeded) => Some(ActionEvent::WorkflowSucceeded),
        (S::Running | S::Suspended, S::Killed | S::Ignored) => Some(ActionEvent::WorkflowKilled),
        (S::Running | S::Suspended, S::Failed) => Some(ActionEvent::WorkflowFailed),
        (S::Running, S::Suspended) => Some(ActionEvent::WorkflowSuspended),
        (S::Suspended, S::Running) => Some(ActionEvent::WorkflowResumed),
        (S::Waiting | S::Ready, S::Killed) if !there.is_started => Some(ActionEvent::Kill),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ends_are_followed_and_decisions_are_not() {
        use ActionStatus as S;
        let check = |here, status, is_started, expect| {
            let there = Followed { job: CoordinatorKey::default(), number: 1, status, is_started };
            assert_eq!(event(here, &there), expect, "{here} {status}");
        };
        check(S::Running, S::Succeeded, true, Some(ActionEvent::WorkflowSucceeded));
        check(S::Running, S::Killed, true, Some(ActionEvent::WorkflowKilled));
        check(S::Running, S::Failed, false, Some(ActionEvent::WorkflowFailed));
        check(S::Running, S::Suspended, true, Some(ActionEvent::WorkflowSuspended));
        check(S::Suspended, S::Running, true, Some(ActionEvent::WorkflowResumed));
        check(S::Ready, S::Killed, false, Some(ActionEvent::Kill));
        check(S::Ready, S::Killed, true, None);
        check(S::Waiting, S::Succeeded, true, None);
        check(S::Waiting, S::TimedOut, false, None);
        check(S::Running, S::TimedOut, false, None);
    }

    #[test]
    fn commands_of_operators_are_followed() {
        let check = |here: &str, there: &str, expect| {
            let word = |word| JobStatus::from_word(word).expect("a status");
            assert_eq!(command(word(here), Some(word(there))), expect, "{here} {there}");
        };
        check("RUNNING", "SUSPENDED", Some(Verb::Suspend));
        check("PREP", "PREPSUSPENDED", Some(Verb::Suspend));
        check("SUSPENDEDWITHERROR", "RUNNING", Some(Verb::Resume));
        check("SUSPENDED", "SUSPENDEDWITHERROR", None);
        check("SUSPENDED", "KILLED", Some(Verb::Kill));
        check("RUNNING", "SUCCEEDED", None);
        check("SUSPENDED", "DONEWITHERROR", None);
        check("RUNNING", "PAUSED", None);
        check("SUCCEEDED", "KILLED", None);
        assert_eq!(command(JobStatus::RUNNING, None), None);
    }
}
