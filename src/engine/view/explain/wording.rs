//! The sentences and commands of explanations.

use crate::coordinator::readiness::Wait;
use crate::engine::command::control::Verb;
use crate::engine::view::explain::{count, when};
use crate::engine::view::inputs::{InputView, InstanceState, missing};
use crate::model::time::Timestamp;
use crate::store::{CoordinatorJob, Event};

/// When a wait for inputs ends.
pub(super) fn timeout_text(wait: Wait, complete: bool, now: Timestamp) -> String {
    match wait.deadline() {
        None => "it never times out (timeout -1)".to_owned(),
        Some(deadline) if complete || deadline > now => {
            format!("it times out at {} (timeout {} min)", when(deadline, now), wait.timeout_minutes)
        }
        Some(deadline) => format!("its time was up at {}: the next tick makes it TIMEDOUT", when(deadline, now)),
    }
}

/// The command that caused an event; `None` when a step of the engine did.
pub(super) fn command_of(event: &Event) -> Option<String> {
    let verbs = [Verb::Suspend, Verb::Resume, Verb::Kill].map(Verb::as_str);
    verbs.contains(&event.origin.as_str()).then(|| format!("howdah {}", event.origin))
}

/// The first input that is not there, and how many more.
pub(super) fn waits_for(inputs: &[InputView]) -> String {
    let mut absent = missing(inputs);
    let Some(first) = absent.next() else { return "it waits for its inputs".to_owned() };
    let why = match first.state {
        InstanceState::Unmapped => ", for which there is no mount",
        InstanceState::Unreadable => ", which cannot be read",
        InstanceState::Present | InstanceState::Missing | InstanceState::Unresolved => "",
    };
    match absent.count() {
        0 => format!("it waits for {}{why}", first.uri),
        more => format!("it waits for {}{why}, and {more} more", first.uri),
    }
}

/// How many actions run.
pub(super) fn runs(number: usize) -> String {
    if number == 1 { "1 action runs".to_owned() } else { format!("{number} actions run") }
}

/// How many actions come first.
pub(super) fn before(ahead: usize, job: &CoordinatorJob) -> String {
    match ahead {
        1 => format!("1 READY action comes before it ({})", job.execution),
        _ => format!("{ahead} READY actions come before it ({})", job.execution),
    }
}

/// `1 x is`, `2 xs are`.
pub(super) fn are(number: u64, noun: &str) -> String {
    format!("{} {}", count(number, noun), if number == 1 { "is" } else { "are" })
}

/// What to look at when inputs are missing: their producers, then the folder of the first missing path.
pub(super) fn next_for_inputs(inputs: &[InputView]) -> Vec<String> {
    let mut next = Vec::new();
    for instance in missing(inputs) {
        match (&instance.producer, &instance.path) {
            (Some(producer), _) => {
                let id = producer.action_id.as_ref().unwrap_or(&producer.coord_job_id);
                next.push(format!("howdah explain {id}"));
            }
            (None, Some(path)) => next.push(format!("ls -l {}", quoted(parent(path)))),
            (None, None) if instance.state == InstanceState::Unmapped => {
                let prefix: String = instance.uri.split('/').take(3).collect::<Vec<_>>().join("/");
                next.push(format!("howdah tick --mount {prefix}=/folder/with/the/files"));
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

/// A path that a shell reads as one word.
pub(super) fn quoted(path: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-+:@%=,".contains(&byte);
    if path.bytes().all(plain) { path.to_owned() } else { format!("'{}'", path.replace('\'', r"'\''")) }
}

/// The command that brings a job forward that does nothing now.
pub(super) fn resume_or_tick(job: &CoordinatorJob) -> String {
    use crate::model::status::CoordinatorStatus as S;
    match job.status {
        S::Suspended | S::SuspendedWithError | S::PrepSuspended => format!("howdah resume {}", job.id),
        S::Prep => "howdah tick".to_owned(),
        _ => format!("howdah info {}", job.id),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_for_a_shell() {
        for (path, expect) in [("/data/a_b-1", "/data/a_b-1"), ("/a b", "'/a b'"), ("/it's", r"'/it'\''s'")] {
            assert_eq!(quoted(path), expect);
        }
        assert_eq!((parent("/a/b"), parent("/a")), ("/a", "/"));
    }

    #[test]
    fn the_end_of_a_wait_is_told() {
        let at = Timestamp::from_seconds;
        let wait = |timeout_minutes| Wait { nominal: at(0), created: at(0), timeout_minutes };
        for (timeout, complete, now, expect) in [
            (-1, false, 0, "it never times out (timeout -1)"),
            (10, false, 0, "it times out at 1970-01-01T00:10Z (in 10 min) (timeout 10 min)"),
            (10, false, 660, "its time was up at 1970-01-01T00:10Z (1 min ago): the next tick makes it TIMEDOUT"),
        ] {
            assert_eq!(timeout_text(wait(timeout), complete, at(now)), expect);
        }
    }
}
