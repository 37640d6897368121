//! Chooses the actions and the workflow jobs that are rerun.

use std::collections::BTreeSet;

use crate::Engine;
use crate::apply::outcome::Outcome;
use crate::apply::selection::choose;
use crate::lookup::{coordinator, unknown};
use crate::verbs::repair::draft::{Draft, Manner, step_of, step_of_workflow};
use crate::verbs::repair::workflow::superseding_action;
use howdah_oozie::coordinator::operation::scope::{Period, Scope};
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::row::{CoordinatorAction, RepairStep, WorkflowJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The statuses of an unsuccessful end.
pub const UNSUCCESSFUL: [ActionStatus; 3] = [ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];

/// Which actions and workflow jobs are rerun.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The jobs, each with the actions that are named of it; `None`: of all its actions.
    pub targets: Targets,
    /// Whether a filter found the jobs; else each of them is named.
    pub is_filtered: bool,
    /// Of a bundle: only the coordinators with these names; empty: all of them.
    pub coordinators: Vec<String>,
    /// Only actions and workflow jobs in these statuses; empty: any for those that are named, else those of an
    /// unsuccessful end.
    pub statuses: Vec<ActionStatus>,
    /// Only actions and workflow jobs that changed at this time or later.
    pub since: Option<Timestamp>,
    /// At most so many.
    pub most: Option<u32>,
}

/// Chooses actions and workflow jobs; a job of which the named actions do not exist does not stop the others.
///
/// # Errors
/// E0604 when there is no such job, E1018 when a bundle has none of the coordinators, or a failure of the database.
pub fn select(engine: &Engine, selection: &Selection, manner: &Manner, now: Timestamp) -> Result<Draft> {
    let mut steps: Vec<RepairStep> = Vec::new();
    let mut refused = Vec::new();
    let mut known = BTreeSet::new();
    let (targets, notes) = engine.store.read(|snapshot| with_members(snapshot, selection))?;
    for (id, scope) in targets {
        match engine.store.read(|snapshot| steps_of(snapshot, &id, scope.as_ref(), selection)) {
            Ok(found) => {
                let subject = |step: &RepairStep| (step.coordinator_job, step.action_number, step.workflow_job);
                steps.extend(found.into_iter().filter(|step| known.insert(subject(step))));
            }
            Err(error) if scope.is_some() && error.is_answer() => {
                refused.push(Outcome { refused: Some(error), ..Outcome::of(&id) });
            }
            Err(error) => return Err(error),
        }
    }
    let mut draft = Draft { refused, ..Draft::new(manner, steps, selection.most, now)? };
    draft.notes.extend(notes);
    Ok(draft)
}

/// The jobs of a selection, each with the actions that are named of it.
type Targets = Vec<(JobId, Option<Scope>)>;

/// Returns the jobs, with the coordinators of a bundle in its place; and a sentence for each name that no coordinator
/// of a bundle has.
fn with_members(snapshot: &Snapshot, selection: &Selection) -> Result<(Targets, Vec<String>)> {
    let names = &selection.coordinators;
    let (mut all, mut notes) = (Vec::new(), Vec::new());
    for (id, scope) in &selection.targets {
        if id.kind() != JobKind::Bundle {
            all.push((id.clone(), scope.clone()));
            continue;
        }
        let bundle = snapshot.bundle_job(id)?.ok_or_else(|| unknown(id))?;
        let mut members = snapshot.coordinator_jobs_of_bundle(bundle.job)?;
        let missing = names.iter().filter(|name| members.iter().all(|job| job.name != **name));
        notes.extend(missing.map(|name| format!("{id} has no coordinator [{name}]; it is ignored")));
        members.retain(|job| names.is_empty() || names.contains(&job.name));
        if members.is_empty() && !names.is_empty() {
            let error = Error::new(ErrorCode::E1018, format!("{id} has no coordinator [{}]", names.join(", ")));
            return Err(error.help(format!("`howdah info {id}` lists its coordinators")));
        }
        all.extend(members.into_iter().map(|job| (job.id, scope.clone())));
    }
    Ok((all, notes))
}

/// Returns the steps of one job that are chosen.
fn steps_of(snapshot: &Snapshot, id: &JobId, scope: Option<&Scope>, selection: &Selection) -> Result<Vec<RepairStep>> {
    if id.kind() == JobKind::Workflow {
        let job = snapshot.workflow_job(id)?.ok_or_else(|| unknown(id))?;
        // Only an earlier workflow job that is named itself runs again beside the present one of its action.
        let is_taken =
            takes(selection, &job) && !(selection.is_filtered && superseding_action(snapshot, &job)?.is_some());
        return Ok(if is_taken { vec![step_of_workflow(&job)] } else { Vec::new() });
    }
    Ok(actions(snapshot, id, scope, selection)?.iter().map(step_of).collect())
}

/// Returns whether a workflow job is chosen. One that a sub-workflow node started runs again with its parent.
fn takes(selection: &Selection, job: &WorkflowJob) -> bool {
    let Selection { is_filtered, ref statuses, since, .. } = *selection;
    let is_any = !is_filtered && since.is_none();
    let wanted = if statuses.is_empty() { &UNSUCCESSFUL[..] } else { statuses };
    let in_status = wanted.iter().any(|status| status.as_str() == job.status.as_str());
    (in_status || (statuses.is_empty() && is_any))
        && since.is_none_or(|since| job.modified_at >= since)
        && !(is_filtered && job.parent_workflow.is_some())
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
