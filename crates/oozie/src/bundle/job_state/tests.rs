use std::fmt::Write as _;

use super::*;

#[test]
fn matrix() {
    let mut text = String::new();
    for from in JobStatus::ALL.iter().copied().filter(|status| *status != JobStatus::Ignored) {
        for event in JobEvent::ALL {
            let to = transition(from, *event).map_or("-", JobStatus::as_str);
            writeln!(text, "{from:<18} {:<16} -> {to}", format!("{event:?}")).unwrap();
        }
    }
    insta::assert_snapshot!(text);
}

/// The coordinators in words: statuses, `refused`, `outstanding`.
fn coordinators(words: &str) -> Coordinators {
    let mut coordinators = Coordinators::default();
    for word in words.split_whitespace() {
        match word {
            "refused" => coordinators.refused += 1,
            "outstanding" => coordinators.outstanding += 1,
            status => coordinators.add(JobStatus::from_word(status).unwrap()),
        }
    }
    coordinators
}

/// The new status of a RUNNING bundle that is free, paused or suspended itself.
fn check(words: &str, expect: [&str; 3]) {
    let is = [JobHold::Free, JobHold::Paused, JobHold::Suspended]
        .map(|hold| from_coordinators(JobStatus::RUNNING, hold, &coordinators(words)).as_str());
    assert_eq!(is, expect, "{words}");
}

#[test]
fn a_bundle_ends_with_its_coordinators() {
    check("SUCCEEDED SUCCEEDED", ["SUCCEEDED"; 3]);
    check("KILLED KILLED", ["KILLED"; 3]);
    check("FAILED", ["FAILED"; 3]);
    check("DONEWITHERROR", ["DONEWITHERROR"; 3]);
    check("SUCCEEDED KILLED", ["DONEWITHERROR"; 3]);
    check("SUCCEEDED IGNORED", ["SUCCEEDED"; 3]);
    check("IGNORED", ["SUCCEEDED"; 3]);
    check("SUCCEEDED refused", ["FAILED"; 3]);
    check("SUCCEEDED outstanding", ["RUNNING", "PAUSED", "SUSPENDED"]);
}

#[test]
fn a_bundle_is_held_by_itself_or_by_all_its_coordinators() {
    check("RUNNING", ["RUNNING", "PAUSED", "SUSPENDED"]);
    check("PREP RUNNING", ["RUNNING", "PAUSED", "SUSPENDED"]);
    check("PAUSED PAUSED", ["PAUSED", "PAUSED", "SUSPENDED"]);
    check("PAUSED PAUSEDWITHERROR", ["PAUSEDWITHERROR", "PAUSEDWITHERROR", "SUSPENDEDWITHERROR"]);
    check("PAUSED RUNNING", ["RUNNING", "PAUSED", "SUSPENDED"]);
    check("PAUSED SUCCEEDED", ["RUNNING", "PAUSED", "SUSPENDED"]);
    check("SUSPENDED SUCCEEDED", ["SUSPENDED", "PAUSED", "SUSPENDED"]);
    check("SUSPENDED KILLED", ["SUSPENDEDWITHERROR", "PAUSEDWITHERROR", "SUSPENDEDWITHERROR"]);
    check("SUSPENDED RUNNING", ["RUNNING", "PAUSED", "SUSPENDED"]);
    check("PREPSUSPENDED SUSPENDED", ["RUNNING", "PAUSED", "SUSPENDED"]);
}

#[test]
fn a_bundle_shows_that_a_coordinator_went_wrong() {
    check("SUSPENDEDWITHERROR RUNNING", ["RUNNING", "PAUSEDWITHERROR", "SUSPENDEDWITHERROR"]);
    for error in ["KILLED", "FAILED", "DONEWITHERROR", "RUNNINGWITHERROR"] {
        check(&format!("RUNNING {error}"), ["RUNNINGWITHERROR", "PAUSEDWITHERROR", "SUSPENDEDWITHERROR"]);
    }
}

#[test]
fn what_has_not_started_or_was_killed_follows_no_coordinator() {
    for status in JobStatus::ALL.iter().copied().filter(|status| *status != JobStatus::Ignored) {
        let to = from_coordinators(status, JobHold::Free, &coordinators("RUNNING"));
        let follows = !(status.is_before_start() || status == JobStatus::Killed);
        assert_eq!(to, if follows { JobStatus::RUNNING } else { status }, "{status}");
    }
}
