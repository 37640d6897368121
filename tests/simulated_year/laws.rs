//! Rules for each event when it happens, and for the whole state after a tick (coordinator specification 6.1, 6.3).
//!
//! Written again from the text of the specification; uses none of howdah's decisions.

use crate::ledger::{Action, Event, Job};
use crate::oracle::{Rule, text};
use crate::plan::Execution;

/// How far ahead of the clock an action may be created: the look-ahead and one window.
const AHEAD: i64 = 300 + 3600;

const MATERIALIZING: &[&str] = &["RUNNING", "RUNNINGWITHERROR"];
/// Statuses in which a job starts READY actions.
pub(crate) const STARTING: &[&str] = &["RUNNING", "RUNNINGWITHERROR", "PAUSED", "PAUSEDWITHERROR", "SUCCEEDED"];
/// Statuses in which a job checks inputs.
pub(crate) const CHECKING: &[&str] = &["RUNNING", "RUNNINGWITHERROR", "PAUSED", "PAUSEDWITHERROR"];
const OVER: &[&str] = &["SUCCEEDED", "FAILED", "KILLED", "DONEWITHERROR", "IGNORED"];

/// Which status may follow which, of a job (6.1.2).
const JOB_MOVES: &[(&str, &[&str])] = &[
    ("PREP", &["RUNNING", "PREPPAUSED", "PREPSUSPENDED", "KILLED", "FAILED", "SUCCEEDED"]),
    ("PREPPAUSED", &["PREP", "PREPSUSPENDED", "KILLED"]),
    ("PREPSUSPENDED", &["PREP", "KILLED"]),
    (
        "RUNNING",
        &[
            "RUNNINGWITHERROR",
            "PAUSED",
            "SUSPENDED",
            "SUSPENDEDWITHERROR",
            "SUCCEEDED",
            "DONEWITHERROR",
            "FAILED",
            "KILLED",
        ],
    ),
    (
        "RUNNINGWITHERROR",
        &[
            "RUNNING",
            "PAUSEDWITHERROR",
            "SUSPENDED",
            "SUSPENDEDWITHERROR",
            "SUCCEEDED",
            "DONEWITHERROR",
            "FAILED",
            "KILLED",
        ],
    ),
    ("PAUSED", &["RUNNING", "PAUSEDWITHERROR", "SUSPENDED", "SUCCEEDED", "DONEWITHERROR", "FAILED", "KILLED"]),
    (
        "PAUSEDWITHERROR",
        &["RUNNINGWITHERROR", "PAUSED", "SUSPENDEDWITHERROR", "SUCCEEDED", "DONEWITHERROR", "FAILED", "KILLED"],
    ),
    ("SUSPENDED", &["RUNNING", "SUSPENDEDWITHERROR", "SUCCEEDED", "DONEWITHERROR", "FAILED", "KILLED"]),
    ("SUSPENDEDWITHERROR", &["RUNNINGWITHERROR", "SUSPENDED", "SUCCEEDED", "DONEWITHERROR", "FAILED", "KILLED"]),
];

/// What only an operator's `change`, `ignore` or `rerun` does to a job.
const JOB_REVIVALS: &[(&str, &[&str])] = &[
    ("SUCCEEDED", &["RUNNING"]),
    ("DONEWITHERROR", &["RUNNINGWITHERROR"]),
    ("FAILED", &["RUNNING", "RUNNINGWITHERROR", "IGNORED"]),
    ("KILLED", &["RUNNING", "IGNORED"]),
    ("IGNORED", &["RUNNING"]),
];

/// Which status may follow which, of an action (6.1.3.2).
const ACTION_MOVES: &[(&str, &[&str])] = &[
    ("WAITING", &["READY", "TIMEDOUT", "SKIPPED", "KILLED", "FAILED"]),
    ("READY", &["SUBMITTED", "SKIPPED", "KILLED"]),
    ("SUBMITTED", &["RUNNING", "FAILED", "KILLED"]),
    ("RUNNING", &["SUSPENDED", "SUCCEEDED", "FAILED", "KILLED"]),
    ("SUSPENDED", &["RUNNING", "SUCCEEDED", "FAILED", "KILLED"]),
    // With its job.
    ("SKIPPED", &["KILLED"]),
];

/// What only an operator's `change`, `ignore` or `rerun` does to an action.
const ACTION_REVIVALS: &[(&str, &[&str])] = &[
    ("WAITING", &["DELETED"]),
    ("READY", &["DELETED"]),
    ("TIMEDOUT", &["WAITING", "IGNORED"]),
    ("FAILED", &["WAITING", "IGNORED"]),
    ("KILLED", &["WAITING", "IGNORED"]),
    ("SUCCEEDED", &["WAITING"]),
    ("SKIPPED", &["WAITING"]),
    ("IGNORED", &["WAITING"]),
];

/// Whether a job in this status has ended.
pub(crate) fn is_over(job: &str) -> bool {
    OVER.contains(&job)
}

fn is_operator(origin: &str) -> bool {
    matches!(origin, "change" | "ignore" | "rerun")
}

fn may_follow(moves: &[(&str, &[&str])], from: &str, to: &str) -> bool {
    moves.iter().any(|(status, next)| *status == from && next.contains(&to))
}

/// Checks an event of a job: from the status it has, to one that may follow, and with a reason where a step decided it.
pub(crate) fn job_may_move(job: &Job, event: &Event, now: i64) {
    let Event { from, to, origin, reason, .. } = event;
    let told = format!("{} at {}: {from:?} -> {to} by {origin} ({reason:?})", job.id, text(now));
    assert_eq!(from.as_deref(), Some(job.status.as_str()), "{told}: it was {}", job.status);
    let revived = is_operator(origin) && may_follow(JOB_REVIVALS, &job.status, to);
    assert!(revived || may_follow(JOB_MOVES, &job.status, to), "{told} is no legal move");
    if origin == "pause" {
        assert!(reason.is_some(), "{told} has no reason");
        let paused = to.contains("PAUSED");
        assert_eq!(paused, job.pause.is_some_and(|pause| pause <= now), "{told}: {:?}", job.pause.map(text));
    }
}

/// Checks a new action: the next number, the nominal time of that number, while the job creates actions, not too far
/// ahead.
pub(crate) fn may_be_created(job: &Job, (number, nominal): (u32, i64), now: i64) {
    let told = format!("{}@{number} of {} at {}", job.id, text(nominal), text(now));
    assert_eq!(number as usize, job.actions.len() + 1, "{told}: a gap or a second one");
    assert_eq!(job.nominal(number).map(text), Some(text(nominal)), "{told}: another time is its own");
    assert!(MATERIALIZING.contains(&job.status.as_str()), "{told}: its job is {}", job.status);
    // Cron catches up by throttle and not by time: Oozie's window then extends to the end of the job.
    let by_cron = matches!(job.plan.rule, Rule::Daily { .. });
    assert!(by_cron || nominal < now + AHEAD, "{told}: too early");
    assert!(job.pause.is_none_or(|pause| nominal < pause), "{told}: its job pauses at {:?}", job.pause.map(text));
}

/// Checks an event of an action: an allowed transition whose cause exists.
pub(crate) fn action_may_move(job: &Job, number: u32, event: &Event, now: i64) {
    let Event { from, to, origin, reason, .. } = event;
    let told = format!("{}@{number} at {}: {from:?} -> {to} by {origin} ({reason:?})", job.id, text(now));
    let action = job.actions.get(number as usize - 1).unwrap_or_else(|| panic!("{told}: there is no such action"));
    assert_eq!(from.as_deref(), Some(action.status.as_str()), "{told}: it was {}", action.status);
    let revived = is_operator(origin) && may_follow(ACTION_REVIVALS, &action.status, to);
    assert!(revived || may_follow(ACTION_MOVES, &action.status, to), "{told} is no legal move");
    let present = job.inputs_present(action.nominal, now);
    match to.as_str() {
        "DELETED" => assert_eq!(number as usize, job.actions.len(), "{told}: a gap"),
        "READY" => {
            assert!(action.nominal <= now && present, "{told}: it was not ready (nominal {})", text(action.nominal));
            assert!(CHECKING.contains(&job.status.as_str()), "{told}: its job is {}", job.status);
        }
        "TIMEDOUT" => {
            let minutes = job.plan.timeout.1;
            let waited = now - action.nominal.max(action.created);
            assert!(
                !present && minutes >= 0 && waited >= minutes * 60,
                "{told}: it waited {waited} s of {minutes} min"
            );
            assert!(CHECKING.contains(&job.status.as_str()), "{told}: its job is {}", job.status);
            assert!(reason.as_deref().is_some_and(|reason| reason.contains("waiting for")), "{told}");
        }
        "SKIPPED" => {
            assert!(is_overtaken(job, number, now), "{told}: nothing overtook it");
            assert!(reason.as_deref().is_some_and(|reason| reason.contains("execution")), "{told}");
            assert!(STARTING.contains(&job.status.as_str()), "{told}: its job is {}", job.status);
        }
        "SUBMITTED" => {
            assert!(STARTING.contains(&job.status.as_str()), "{told}: its job is {}", job.status);
            assert!(!is_overtaken(job, number, now), "{told}: it should have been passed over");
            is_its_turn(job, number, &told);
        }
        _ => {}
    }
}

/// Returns whether its execution strategy skips an action (6.3): the next nominal time has passed, or its own long
/// since. The last action of a job is never skipped.
pub(crate) fn is_overtaken(job: &Job, number: u32, now: i64) -> bool {
    match job.plan.execution {
        Execution::Fifo | Execution::Lifo => false,
        Execution::LastOnly => job.next_nominal(number).is_some_and(|next| now > next),
        Execution::None => job.next_nominal(number).is_some() && now > job.actions[number as usize - 1].nominal + 60,
    }
}

/// An action starts before all other READY ones that its execution strategy orders after it.
fn is_its_turn(job: &Job, number: u32, told: &str) {
    let own = job.actions[number as usize - 1].nominal;
    let ready = job.actions.iter().filter(|action| action.status == "READY").map(|action| action.nominal);
    let first = if job.plan.execution == Execution::Fifo { ready.min() } else { ready.max() };
    assert_eq!(first, Some(own), "{told}: it is not its turn");
}

/// Never more actions SUBMITTED and RUNNING than the concurrency allows.
pub(crate) fn concurrency_holds(job: &Job, now: i64) {
    let occupied = i64::try_from(job.count(&["SUBMITTED", "RUNNING"])).expect("few");
    let limit = job.concurrency;
    assert!(limit < 0 || occupied <= limit, "{} at {}: {occupied} run, concurrency {limit}", job.id, text(now));
}

/// Rules for a job at any time.
pub(crate) fn hold_always(job: &Job, now: i64) {
    let expected = status_by_actions(job);
    assert!(
        job.reopened || job.status == expected,
        "{} ({}) at {}: {expected} by its actions",
        job.id,
        job.status,
        text(now)
    );
    if matches!(job.plan.execution, Execution::Fifo | Execution::Lifo) {
        // The throttle is about what is created, not about what an operator reruns.
        let waits = |action: &&Action| action.status == "WAITING" && !action.again;
        let waiting = job.actions.iter().filter(waits).count();
        assert!(waiting <= job.plan.throttle, "{} at {}: {waiting} wait", job.id, text(now));
    }
}

/// The table of statuses (6.1.2), for a job that is in one of them.
fn status_by_actions(job: &Job) -> String {
    let counted = job.actions.len() - job.count(&["IGNORED"]);
    let bad = job.count(&["KILLED", "FAILED", "TIMEDOUT"]);
    let status = job.status.as_str();
    if is_over(status) || status.starts_with("PREP") {
        return status.to_owned();
    }
    if job.done && counted == bad + job.count(&["SUCCEEDED", "SKIPPED"]) {
        let all = |status| counted == job.count(&[status]);
        return match () {
            () if bad == 0 => "SUCCEEDED",
            () if all("KILLED") => "KILLED",
            () if all("FAILED") => "FAILED",
            () => "DONEWITHERROR",
        }
        .to_owned();
    }
    let plain = status.strip_suffix("WITHERROR").unwrap_or(status);
    let held = job.count(&["SUSPENDED"]);
    let suspended = job.done && held > 0 && counted == held + bad + job.count(&["SUCCEEDED"]);
    let plain = if plain == "RUNNING" && suspended { "SUSPENDED" } else { plain };
    if bad > 0 { format!("{plain}WITHERROR") } else { plain.to_owned() }
}

/// Rules after a tick that left nothing for the next one: everything possible is done.
pub(crate) fn hold_after_tick(job: &Job, now: i64) {
    let told = format!("{} ({}) at {}", job.id, job.status, text(now));
    if let Some(next) = job.not_created().filter(|next| *next <= now) {
        let paused = job.pause.is_some_and(|pause| pause <= next);
        let held = !MATERIALIZING.contains(&job.status.as_str()) || job.count(&["WAITING"]) >= job.plan.throttle;
        assert!(paused || held, "{told}: nothing was created for {}", text(next));
        assert_ne!(job.status, "PREP", "{told}: it did not kick off");
    }
    let pausing = job.pause.is_some_and(|pause| pause <= now);
    assert!(!pausing || !MATERIALIZING.contains(&job.status.as_str()), "{told}: it goes on after {:?}", job.pause);
    if CHECKING.contains(&job.status.as_str()) {
        for (number, action) in (1..).zip(&job.actions).filter(|(_, action)| action.status == "WAITING") {
            let waited = now - action.nominal.max(action.created);
            let over = job.plan.timeout.1 >= 0 && waited >= job.plan.timeout.1 * 60;
            let moves = job.inputs_present(action.nominal, now) || over || is_overtaken(job, number, now);
            assert!(action.nominal > now || !moves, "{told}: action {number} should not wait any more");
        }
    }
    if STARTING.contains(&job.status.as_str()) {
        let free = usize::try_from(job.concurrency).map_or(true, |most| job.count(&["SUBMITTED", "RUNNING"]) < most);
        assert!(!free || job.count(&["READY"]) == 0, "{told}: a READY action was not started");
    }
}
