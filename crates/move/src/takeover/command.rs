//! The commands for Oozie's side, for a shell and for Oozie's web services.

use crate::oozie_export::{JobState, OpenAction};
use howdah_engine::apply::control::Verb;
use howdah_engine::format::{stored_time, url_encoded};
use howdah_words::model::job_status::JobStatus;
use howdah_words::model::time::Timestamp;

/// A command for Oozie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OozieCommand {
    /// Gives a coordinator another end, another concurrency, or both.
    Change { id: String, end: Option<Timestamp>, concurrency: i32 },
    /// Kills actions of a coordinator: a list of ranges.
    KillActions { id: String, numbers: String },
    /// Suspends, resumes or kills a whole job.
    Control { id: String, verb: Verb },
}

impl OozieCommand {
    /// Returns the command that stops a coordinator: from `next` on it creates no action, and it starts none.
    pub(super) fn stop(id: &str, next: Option<Timestamp>) -> Self {
        Self::Change { id: id.to_owned(), end: next, concurrency: 0 }
    }

    /// Returns the options of `oozie job`, as words of a shell.
    pub fn options(&self) -> String {
        match self {
            Self::Change { id, .. } => format!("-change {id} -value '{}'", self.values()),
            Self::KillActions { id, numbers } => format!("-kill {id} -action {numbers}"),
            Self::Control { id, verb } => format!("-{} {id}", verb.origin().as_str()),
        }
    }

    /// Returns the path of the PUT request below the web services.
    pub fn request(&self) -> String {
        match self {
            Self::Change { id, .. } => format!("v1/job/{id}?action=change&value={}", url_encoded(&self.values())),
            Self::KillActions { id, numbers } => {
                format!("v1/job/{id}?action=kill&type=action&scope={}", url_encoded(numbers))
            }
            Self::Control { id, verb } => format!("v1/job/{id}?action={}", verb.origin().as_str()),
        }
    }

    fn values(&self) -> String {
        match self {
            Self::Change { end, concurrency, .. } => {
                let end = end.map(|end| format!("endtime={};", stored_time(end))).unwrap_or_default();
                format!("{end}concurrency={concurrency}")
            }
            Self::KillActions { .. } | Self::Control { .. } => String::new(),
        }
    }
}

/// Returns the status of a job in Oozie; `None` for a word that is none.
pub(super) fn status(state: &JobState) -> Option<JobStatus> {
    JobStatus::from_word(state.status.as_deref()?)
}

/// Returns whether a job is over in Oozie.
pub(super) fn is_over(state: &JobState) -> bool {
    status(state).is_some_and(JobStatus::is_terminal)
}

/// Returns whether Oozie has more actions of a job to create.
pub(super) fn creates_more(state: &JobState) -> bool {
    state.next.is_some_and(|next| state.end.is_none_or(|end| next < end))
}

/// Returns whether an action has not started.
pub(super) fn waits(action: &OpenAction) -> bool {
    matches!(action.status.as_str(), "WAITING" | "READY")
}

/// Returns whether Oozie neither creates nor starts actions of a job: it was stopped for a takeover, has none left to
/// start, or is over.
pub(super) fn stopped(state: &JobState) -> bool {
    let starts = || state.concurrency != Some(0) && state.open.iter().any(waits);
    is_over(state) || !(creates_more(state) || starts())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_for_shells_and_for_web_services() {
        let id = "0000012-260101000000000-oozie-oozi-C";
        let at = Timestamp::from_seconds(1_764_000_000);
        for (command, options, query) in [
            (
                OozieCommand::stop(id, Some(at)),
                "-change ID -value 'endtime=2025-11-24T16:00Z;concurrency=0'",
                "action=change&value=endtime%3D2025-11-24T16%3A00Z%3Bconcurrency%3D0",
            ),
            (OozieCommand::stop(id, None), "-change ID -value 'concurrency=0'", "action=change&value=concurrency%3D0"),
            (
                OozieCommand::KillActions { id: id.to_owned(), numbers: "3,7-9".to_owned() },
                "-kill ID -action 3,7-9",
                "action=kill&type=action&scope=3%2C7-9",
            ),
            (OozieCommand::Control { id: id.to_owned(), verb: Verb::Resume }, "-resume ID", "action=resume"),
        ] {
            assert_eq!(command.options(), options.replace("ID", id));
            assert_eq!(command.request(), format!("v1/job/{id}?{query}"));
        }
    }

    #[test]
    fn a_stopped_job_neither_creates_nor_starts() {
        let at = |seconds| Some(Timestamp::from_seconds(seconds));
        let open = |status: &str| OpenAction { status: status.to_owned(), ..OpenAction::default() };
        let state = |status: &str, concurrency, next, end, actions: &[&str]| JobState {
            status: Some(status.to_owned()),
            concurrency: Some(concurrency),
            next,
            end,
            open: actions.iter().map(|status| open(status)).collect(),
            ..JobState::default()
        };
        for (state, expect) in [
            (state("RUNNING", 1, at(60), at(120), &[]), false),
            (state("RUNNING", 0, at(60), at(120), &[]), false),
            (state("RUNNING", 0, at(60), at(60), &["WAITING"]), true),
            (state("PAUSED", 0, None, at(60), &["READY"]), true),
            (state("RUNNING", 1, None, at(60), &["WAITING"]), false),
            (state("RUNNING", 1, None, at(60), &["RUNNING", "READY"]), false),
            (state("RUNNING", 1, None, at(60), &["RUNNING"]), true),
            (state("RUNNING", 1, at(60), at(60), &[]), true),
            (state("KILLED", 1, at(60), at(120), &["WAITING"]), true),
        ] {
            assert_eq!(stopped(&state), expect, "{state:?}");
        }
    }
}
