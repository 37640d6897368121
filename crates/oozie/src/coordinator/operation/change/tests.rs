use super::*;
use crate::coordinator::operation::testing::{NOW, START, actions, check as check_decision, job};
use howdah_words::model::job_status::JobStatus as S;
use howdah_words::model::status::ActionStatus as A;
use howdah_words::model::time::HOUR;

/// A job whose first actions, one an hour, have these statuses.
fn with_actions(status: S, statuses: &[A]) -> (CoordinatorJob, Vec<CoordinatorAction>) {
    let actions = actions(statuses);
    let created = u32::try_from(actions.len()).unwrap();
    let next = (created > 0).then(|| START + i64::from(created) * HOUR);
    (CoordinatorJob { last_action_number: created, next_materialized_at: next, ..job(status) }, actions)
}

fn end(end: Timestamp) -> NewValues {
    NewValues { end: Some(end), ..NewValues::default() }
}

fn pause(pause: NewPause) -> NewValues {
    NewValues { pause: Some(pause), ..NewValues::default() }
}

fn status(status: NewStatus) -> NewValues {
    NewValues { status: Some(status), ..NewValues::default() }
}

fn check(
    job: &CoordinatorJob,
    actions: &[CoordinatorAction],
    values: &NewValues,
    expect: &str,
) -> Option<CoordinatorJob> {
    let action = |number| Ok(actions.iter().find(|action| action.number == number).cloned());
    let decision = change(job, &action, values, Notation::UTC);
    check_decision(decision.clone(), expect);
    decision.ok().map(|changes| changes.job)
}

#[test]
fn an_earlier_end_deletes_what_was_created_ahead() {
    let (job, actions) = with_actions(S::RUNNING, &[A::Succeeded, A::Running, A::Ready, A::Waiting]);
    let after = check(&job, &actions, &end(START + 2 * HOUR), "RUNNING | deleted 4 3").unwrap();
    let numbers = (after.last_action_number, after.next_materialized_at, after.end_at, after.done_materialization);
    assert_eq!(numbers, (2, Some(START + 2 * HOUR), START + 2 * HOUR, true));
    check(&job, &actions, &end(START + 2 * HOUR + 1), "RUNNING | deleted 4");
    check(&job, &actions, &end(START + HOUR), "E1022 refused");
    check(&job, &actions, &end(START), "E1022 refused");
    let again = [CoordinatorAction { run: 1, ..actions[3].clone() }];
    check(&job, &again, &end(START + 2 * HOUR), "E1022 refused");
}

#[test]
fn an_end_before_the_start_ends_a_job_without_actions() {
    for (from, expect) in [
        ("PREP", "SUCCEEDED"),
        ("RUNNING", "SUCCEEDED"),
        ("PAUSED", "PAUSED"),
        ("KILLED", "E1016 refused"),
        ("FAILED", "FAILED"),
    ] {
        let (job, actions) = with_actions(S::from_word(from).unwrap(), &[]);
        let after = check(&job, &actions, &end(START), expect);
        assert!(after.is_none_or(|after| after.done_materialization));
    }
}

#[test]
fn a_later_end_reopens_a_job() {
    for (from, expect) in [
        ("PREP", "PREP"),
        ("SUSPENDED", "SUSPENDED"),
        ("SUCCEEDED", "RUNNING"),
        ("DONEWITHERROR", "RUNNINGWITHERROR"),
        ("FAILED", "RUNNINGWITHERROR"),
        ("IGNORED", "E1016 refused"),
    ] {
        let (job, actions) = with_actions(S::from_word(from).unwrap(), &[A::Succeeded]);
        let job = CoordinatorJob { done_materialization: true, ..job };
        let after = check(&job, &actions, &end(NOW + 100 * HOUR), expect);
        assert!(after.is_none_or(|after| !after.done_materialization));
    }
}

#[test]
fn a_later_end_without_another_action_is_discarded() {
    let (job, actions) = with_actions(S::SUCCEEDED, &[A::Succeeded]);
    let over = CoordinatorJob { end_at: START + 1, done_materialization: true, ..job };
    assert_eq!(check(&over, &actions, &end(START + 2), "SUCCEEDED"), Some(over));
}

#[test]
fn a_pause_time_deletes_and_resumes() {
    let (running, actions) = with_actions(S::RUNNING, &[A::Succeeded, A::Waiting]);
    let after = check(&running, &actions, &pause(NewPause::At(START + HOUR)), "RUNNING | deleted 2").unwrap();
    assert_eq!((after.pause_at, after.last_action_number), (Some(START + HOUR), 1));
    for (from, new, expect) in [
        ("PAUSED", NewPause::Never, "RUNNING"),
        ("PAUSED", NewPause::At(NOW + 1), "RUNNING"),
        ("PAUSED", NewPause::At(NOW), "PAUSED"),
        ("PAUSEDWITHERROR", NewPause::Never, "RUNNINGWITHERROR"),
        ("PREPPAUSED", NewPause::Never, "PREPPAUSED"),
        ("KILLED", NewPause::Never, "E1016 refused"),
    ] {
        let (job, actions) = with_actions(S::from_word(from).unwrap(), &[]);
        check(&CoordinatorJob { pause_at: Some(NOW), ..job }, &actions, &pause(new), expect);
    }
    let (never_paused, actions) = with_actions(S::from_word("PAUSED").unwrap(), &[]);
    check(&never_paused, &actions, &pause(NewPause::Never), "PAUSED");
}

#[test]
fn a_status_can_follow_only_some() {
    for from in S::ALL {
        let (job, actions) = with_actions(*from, &[A::Failed]);
        let running = if matches!(from, S::Failed | S::Killed | S::Ignored) { "RUNNING" } else { "E1015 refused" };
        check(&job, &actions, &status(NewStatus::Running), running);
        let ignored = match from {
            S::Failed | S::Killed => "IGNORED",
            _ => "E1015 refused",
        };
        check(&job, &actions, &status(NewStatus::Ignored), ignored);
        let refused = super::check(&job, &status(NewStatus::Ignored), true).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::E1015);
    }
}

#[test]
fn a_killed_job_takes_a_status_alone() {
    let (job, actions) = with_actions(S::Killed, &[]);
    for (more, expect) in [
        (end(NOW), "E1016 refused"),
        (pause(NewPause::At(NOW)), "E1016 refused"),
        (NewValues { concurrency: Some(2), ..NewValues::default() }, "E1016 refused"),
        (pause(NewPause::Never), "RUNNING"),
    ] {
        check(&job, &actions, &NewValues { status: Some(NewStatus::Running), ..more }, expect);
    }
}

#[test]
fn a_status_given_with_an_end_wins() {
    let (job, actions) = with_actions(S::Failed, &[A::Succeeded]);
    for (new, expect) in [(NewStatus::Ignored, "IGNORED"), (NewStatus::Running, "RUNNING")] {
        let values = NewValues { status: Some(new), ..end(NOW + 100 * HOUR) };
        let after = check(&job, &actions, &values, expect).unwrap();
        assert_eq!(after.end_at, NOW + 100 * HOUR);
        assert_eq!(after.done_materialization, new == NewStatus::Ignored);
    }
}
