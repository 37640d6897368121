//! The sentences and commands of explanations, each in one place so that one thing has one wording.

use crate::query::explain::command::{Command, own};
use crate::query::inputs::{InputView, missing};
use crate::query::instance::InstanceState;
use howdah_engine::format::{in_words, quoted, time};
use howdah_oozie::coordinator::readiness::Wait;
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::row::CoordinatorJob;
use howdah_words::model::status::Execution;
use howdah_words::model::time::Timestamp;

/// What comes of a wait for inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ahead {
    /// It continues.
    Waits,
    /// The next tick ends it, whatever its time is.
    IsDecided,
    /// It continues, and nothing ends it before the job continues.
    NotChecked,
}

/// When a wait for inputs ends; `None` where that does not matter any more.
pub(super) fn timeout_text(wait: Wait, ahead: Ahead, now: Timestamp) -> Option<String> {
    let words = timeout(wait.timeout_minutes);
    match (wait.deadline(), ahead) {
        (_, Ahead::IsDecided) => None,
        (None, _) => Some("it never times out".to_owned()),
        (Some(deadline), _) if deadline > now => Some(format!("it times out at {} ({words})", when(deadline, now))),
        (Some(deadline), _) => Some(format!(
            "its time was up at {} ({words}): once the job goes on it is READY or TIMEDOUT",
            when(deadline, now)
        )),
    }
}

/// A timeout: `timeout 10 min`, `timeout never`.
pub(super) fn timeout(minutes: i64) -> String {
    if minutes < 0 { "timeout never".to_owned() } else { format!("timeout {minutes} min") }
}

/// How many actions run.
pub(super) fn runs(number: usize) -> String {
    if number == 1 { "1 action runs".to_owned() } else { format!("{number} actions run") }
}

/// How many actions come first.
pub(super) fn before(ahead: usize, execution: Execution) -> String {
    match ahead {
        1 => format!("1 READY action comes before it ({execution})"),
        _ => format!("{ahead} READY actions come before it ({execution})"),
    }
}

/// `1 x is`, `2 xs are`.
pub(super) fn are(number: u64, noun: &str) -> String {
    format!("{} {}", count(number, noun), if number == 1 { "is" } else { "are" })
}

/// What to look at when inputs are missing: their producers, then the folder of the first missing path.
pub(super) fn next_for_inputs(inputs: &[InputView]) -> Vec<Command> {
    let mut next = Vec::new();
    for instance in missing(inputs) {
        match (&instance.producer, &instance.path) {
            (Some(producer), _) => {
                let id = producer.action_id.as_ref().unwrap_or(&producer.coord_job_id);
                next.push(own!("explain {id}"));
            }
            (None, Some(path)) => next.push(Command::Shell(format!("ls -l {}", quoted(parent(path))))),
            (None, None) if instance.state == InstanceState::Unmapped => {
                let prefix: String = instance.uri.split('/').take(3).collect::<Vec<_>>().join("/");
                next.push(own!("tick --mount {prefix}=/folder/with/the/files"));
            }
            (None, None) => {}
        }
        if !next.is_empty() {
            break;
        }
    }
    next
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(parent, _)| if parent.is_empty() { "/" } else { parent })
}

/// The command that brings a job forward that does nothing because of its status, or that tells more of it.
pub(super) fn revive(job: &CoordinatorJob) -> Command {
    use JobStatus as S;
    match job.status {
        status if status.is_suspended() => own!("resume {}", job.id),
        S::PREP => own!("tick"),
        status if status.is_paused() => own!("change {} --pausetime none", job.id),
        _ => own!("info {}", job.id),
    }
}

/// An instant with how far away it is: `2026-03-01T05:00Z (in 3 h)`.
pub(super) fn when(at: Timestamp, now: Timestamp) -> String {
    let seconds = at - now;
    match seconds {
        0 => format!("{} (now)", time(at)),
        1.. => format!("{} (in {})", time(at), in_words(seconds)),
        _ => format!("{} ({} ago)", time(at), in_words(-seconds)),
    }
}

/// `1 action`, `2 actions`.
pub(super) fn count(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parent_is_what_stands_before_the_last_slash() {
        assert_eq!((parent("/a/b"), parent("/a")), ("/a", "/"));
    }

    #[test]
    fn the_end_of_a_wait_is_told() {
        let at = Timestamp::from_seconds;
        let wait = |timeout_minutes| Wait { nominal: at(0), created: at(0), timeout_minutes };
        let up = "its time was up at 1970-01-01T00:10Z (1 min ago) (timeout 10 min): once the job goes on it is READY \
                  or TIMEDOUT";
        for (timeout, ahead, now, expect) in [
            (-1, Ahead::Waits, 0, Some("it never times out")),
            (10, Ahead::Waits, 0, Some("it times out at 1970-01-01T00:10Z (in 10 min) (timeout 10 min)")),
            (10, Ahead::NotChecked, 660, Some(up)),
            (10, Ahead::IsDecided, 660, None),
        ] {
            assert_eq!(timeout_text(wait(timeout), ahead, at(now)).as_deref(), expect);
        }
        assert_eq!((timeout(-1).as_str(), timeout(0).as_str()), ("timeout never", "timeout 0 min"));
    }
}
