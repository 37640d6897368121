//! The states of what an answer shows, in a few words each, and the lines that say how they change.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::output::jobs::progress;
use crate::output::screen::Layout;
use crate::output::visible::visible;
use howdah_answers::query::actions::ActionsView;
use howdah_answers::query::bundle::{BundleJobView, BundleJobsView};
use howdah_answers::query::coordinator::{
    CoordinatorActionView, CoordinatorInfo, CoordinatorJobView, CoordinatorJobsView,
};
use howdah_answers::query::site::SiteView;
use howdah_answers::query::workflow::{NodeView, WorkflowJobView, WorkflowJobsView};
use howdah_engine::format::time_with_seconds;
use howdah_words::model::time::Timestamp;

/// An answer of a verb at one moment: its text or its states, as wanted.
#[derive(Clone, Debug, Default)]
pub(crate) struct Shown {
    pub(crate) text: String,
    pub(crate) states: Vec<State>,
    /// Whether nothing in it can change any more.
    pub(crate) is_over: bool,
}

/// What of an answer is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Text(Layout),
    /// The states, from which the changes follow.
    States,
}

impl Wanted {
    /// Returns an answer; of `text` and `states` only the wanted one is computed.
    pub(crate) fn shown(
        self,
        text: impl FnOnce(Layout) -> String,
        states: impl FnOnce() -> Vec<State>,
        is_over: bool,
    ) -> Shown {
        match self {
            Self::Text(layout) => Shown { text: text(layout), states: Vec::new(), is_over },
            Self::States => Shown { text: String::new(), states: states(), is_over },
        }
    }
}

/// Something that is shown, and its state in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    id: String,
    words: String,
}

impl State {
    fn new(id: &str, words: impl Into<String>) -> Self {
        Self { id: id.to_owned(), words: words.into() }
    }
}

/// The states that were printed last.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    known: HashMap<String, String>,
}

impl Changes {
    /// Returns a line for each state that is new or differs from the one before.
    pub(crate) fn lines(&mut self, states: &[State], now: Timestamp) -> String {
        let mut text = String::new();
        for State { id, words } in states {
            let former = self.known.insert(id.clone(), words.clone());
            let change = match &former {
                Some(former) if former == words => continue,
                Some(former) => format!("{} -> {}", visible(former), visible(words)),
                None => visible(words),
            };
            // Writing to a String cannot fail.
            let _ = writeln!(text, "{}  {}  {change}", time_with_seconds(now), visible(id));
        }
        text
    }
}

/// Returns the states of a list of coordinator jobs.
pub(crate) fn of_coordinators(view: &CoordinatorJobsView) -> Vec<State> {
    view.coordinatorjobs.iter().map(of_coordinator).collect()
}

/// Returns the states of a list of workflow jobs.
pub(crate) fn of_workflows(view: &WorkflowJobsView) -> Vec<State> {
    view.workflows.iter().map(|job| State::new(&job.id, job.status.as_str())).collect()
}

/// Returns the states of a list of bundles.
pub(crate) fn of_bundles(view: &BundleJobsView) -> Vec<State> {
    view.bundlejobs.iter().map(of_bundle).collect()
}

/// Returns the states of a list of actions of all jobs.
pub(crate) fn of_actions(view: &ActionsView) -> Vec<State> {
    let words = |status: &str, reason: Option<&String>| match reason {
        Some(reason) => format!("{status} ({reason})"),
        None => status.to_owned(),
    };
    let state = |action: &howdah_answers::query::actions::ListedAction| {
        State::new(&action.id, words(action.status.as_str(), action.reason.as_ref()))
    };
    view.actions.iter().map(state).collect()
}

/// Returns the states of a coordinator job and of its shown actions.
pub(crate) fn of_coordinator_info(info: &CoordinatorInfo) -> Vec<State> {
    let actions = info.job.actions.iter().flatten().map(of_action);
    std::iter::once(of_coordinator(&info.job)).chain(actions).collect()
}

/// Returns the states of a bundle and of its coordinators.
pub(crate) fn of_bundle_info(job: &BundleJobView) -> Vec<State> {
    let coordinators = job.bundle_coord_jobs.iter().flatten().map(of_coordinator);
    std::iter::once(of_bundle(job)).chain(coordinators).collect()
}

/// Returns the states of a workflow job and of its nodes.
pub(crate) fn of_workflow_info(job: &WorkflowJobView) -> Vec<State> {
    let nodes = job.actions.iter().flatten().map(of_node);
    std::iter::once(State::new(&job.id, job.status.as_str())).chain(nodes).collect()
}

/// Returns the state of an action.
pub(crate) fn of_action(action: &CoordinatorActionView) -> State {
    let parts = [
        Some(action.status.as_str()),
        action.external_status.as_deref().filter(|status| *status != action.status.as_str()),
        action.error_code.as_deref(),
    ];
    State::new(&action.id, parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Returns the state of a node.
pub(crate) fn of_node(node: &NodeView) -> State {
    let attempts = node.attempts.as_ref().map(Vec::len).filter(|attempts| *attempts > 1);
    let attempt = attempts.map(|attempts| format!("attempt {attempts}"));
    let parts = [Some(node.status.as_str()), node.error_code.as_deref(), attempt.as_deref()];
    State::new(&node.id, parts.into_iter().flatten().collect::<Vec<_>>().join(", "))
}

/// Returns the states of the whole database.
pub(crate) fn of_site(view: &SiteView) -> Vec<State> {
    let problems: Vec<&str> = view.problems.iter().map(|problem| problem.text.as_str()).collect();
    let counts = [
        ("coordinators", &view.coordinator_jobs),
        ("bundles", &view.bundle_jobs),
        ("workflow jobs", &view.workflow_jobs),
        ("actions", &view.actions),
    ];
    let mut states = vec![State::new("site", if problems.is_empty() { "OK".to_owned() } else { problems.join("; ") })];
    for (what, counts) in counts {
        let words: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
        states.push(State::new(what, if words.is_empty() { "none".to_owned() } else { words.join(", ") }));
    }
    states
}

fn of_coordinator(job: &CoordinatorJobView) -> State {
    let (succeeded, failed) = progress(job);
    let late = if job.late_seconds.is_some() { ", late" } else { "" };
    let words = format!("{}, {succeeded} succeeded, {failed} failed, {} waiting{late}", job.status, job.waiting);
    State::new(&job.coord_job_id, words)
}

fn of_bundle(job: &BundleJobView) -> State {
    State::new(&job.bundle_job_id, format!("{}, {}", job.status, job.tally))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_changes_has_a_line() {
        let mut changes = Changes::default();
        let mut check = |states: &[(&str, &str)], expect: &str| {
            let states: Vec<State> = states.iter().map(|(id, words)| State::new(id, *words)).collect();
            assert_eq!(changes.lines(&states, Timestamp::from_seconds(7)), expect);
        };
        check(
            &[("a", "RUNNING"), ("b", "WAITING")],
            "1970-01-01T00:00:07Z  a  RUNNING\n1970-01-01T00:00:07Z  b  WAITING\n",
        );
        check(&[("a", "RUNNING"), ("b", "WAITING")], "");
        check(&[("b", "FAILED")], "1970-01-01T00:00:07Z  b  WAITING -> FAILED\n");
        // What a list shows again is no change.
        check(&[("a", "RUNNING\u{1b}[2J")], "1970-01-01T00:00:07Z  a  RUNNING -> RUNNING\\x1b[2J\n");
        check(&[("a", "RUNNING\u{1b}[2J"), ("b", "FAILED")], "");
    }
}
