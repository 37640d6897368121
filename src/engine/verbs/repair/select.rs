//! Chooses the actions of several jobs that are rerun.

use std::collections::BTreeSet;

use crate::coordinator::operation::scope::{Period, Scope};
use crate::engine::Engine;
use crate::engine::apply::outcome::Outcome;
use crate::engine::apply::selection::choose;
use crate::engine::lookup::coordinator;
use crate::engine::verbs::repair::draft::{Draft, Manner, step_of};
use crate::error::{Class, Result};
use crate::model::id::JobId;
use crate::model::row::{CoordinatorAction, RepairStep};
use crate::model::status::ActionStatus;
use crate::model::time::Timestamp;
use crate::store::{ActionFilter, ActionOrder, Page, Snapshot};

/// The statuses of an unsuccessful end.
pub(crate) const UNSUCCESSFUL: [ActionStatus; 3] = [ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];

/// Which actions are rerun.
#[derive(Clone, Debug)]
pub(crate) struct Selection {
    /// The jobs, each with the actions that are named of it; `None`: of all its actions.
    pub(crate) targets: Vec<(JobId, Option<Scope>)>,
    /// Only actions in these statuses; empty: any for actions that are named, else those of an unsuccessful end.
    pub(crate) statuses: Vec<ActionStatus>,
    /// Only actions that changed at this time or later.
    pub(crate) since: Option<Timestamp>,
    /// At most so many actions.
    pub(crate) most: Option<u32>,
}

/// Chooses actions; a job of which the named actions do not exist does not stop the others.
///
/// # Errors
/// E0604 when there is no such job, E0302 when it is not a coordinator job, or a failure of the database.
pub(crate) fn select(engine: &Engine, selection: &Selection, manner: &Manner, now: Timestamp) -> Result<Draft> {
    let mut steps: Vec<RepairStep> = Vec::new();
    let mut refused = Vec::new();
    let mut known = BTreeSet::new();
    for (id, scope) in &selection.targets {
        match engine.store.read(|snapshot| actions(snapshot, id, scope.as_ref(), selection)) {
            Ok(actions) => {
                let new = actions.iter().filter(|action| known.insert((action.job, action.number)));
                steps.extend(new.map(step_of));
            }
            Err(error) if scope.is_some() && error.code().class() == Class::Refused => {
                refused.push(Outcome { refused: Some(error), ..Outcome::of(id) });
            }
            Err(error) => return Err(error),
        }
    }
    Ok(Draft { refused, ..Draft::new(manner, steps, selection.most, now)? })
}

/// Returns the actions of one job that are chosen.
fn actions(
    snapshot: &Snapshot,
    id: &JobId,
    scope: Option<&Scope>,
    selection: &Selection,
) -> Result<Vec<CoordinatorAction>> {
    let job = coordinator(snapshot, id)?;
    let statuses = &selection.statuses;
    let mut actions = if let Some(scope) = scope {
        choose(snapshot, &job, scope, Period::Ended)?.actions
    } else {
        let statuses = if statuses.is_empty() { UNSUCCESSFUL.to_vec() } else { statuses.clone() };
        let filter = ActionFilter { statuses, ..ActionFilter::default() };
        let page = Page { offset: 0, len: u32::MAX };
        snapshot.action_page(job.job, &filter, ActionOrder::OldestFirst, page)?.actions
    };
    let is_wanted = |action: &CoordinatorAction| {
        let in_status = statuses.is_empty() || statuses.contains(&action.status);
        in_status && selection.since.is_none_or(|since| action.modified_at >= since)
    };
    actions.retain(is_wanted);
    Ok(actions)
}
