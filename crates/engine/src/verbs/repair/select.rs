//! Chooses the actions and the workflow jobs that are rerun.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::Engine;
use crate::apply::outcome::Outcome;
use crate::apply::selection::{choose, note_missing};
use crate::lookup::{coordinator, unknown};
use crate::verbs::bundle::check_rerun;
use crate::verbs::repair::draft::{Draft, Manner, step_of, step_of_workflow};
use crate::verbs::repair::workflow::superseding_action;
use crate::verbs::rerun::{self, RerunOrder};
use howdah_host::clock::{pause, uptime};
use howdah_oozie::coordinator::operation::scope::{Dates, Period, Scope};
use howdah_store::{ActionFilter, ActionOrder, Page, Snapshot};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::row::{ActionKey, CoordinatorAction, CoordinatorJob, RepairStep, WorkflowJob};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// The statuses of an unsuccessful end.
pub const UNSUCCESSFUL: [ActionStatus; 3] = [ActionStatus::Failed, ActionStatus::Killed, ActionStatus::TimedOut];

/// How long a rerun waits for commands that are being ended, and how long between two looks at them.
const LONGEST_END: Duration = Duration::from_secs(5);
const BETWEEN_LOOKS: Duration = Duration::from_millis(20);

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
    let (targets, notes) = engine.store.read(|snapshot| with_members(snapshot, selection, manner))?;
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
    let steps = engine.store.read(|snapshot| without_own_jobs(snapshot, steps))?;
    let mut draft = Draft { refused, ..Draft::new(manner, steps, selection.most, now)? };
    wait_for_commands(engine, &draft.steps)?;
    draft.notes.extend(notes);
    Ok(draft)
}

/// Leaves out the workflow jobs of actions that are chosen too: the action starts its own again.
fn without_own_jobs(snapshot: &Snapshot, mut steps: Vec<RepairStep>) -> Result<Vec<RepairStep>> {
    let actions: BTreeSet<_> = steps.iter().filter_map(|step| step.coordinator_job.zip(step.action_number)).collect();
    let is_own = |step: &RepairStep| {
        let job = step.workflow_job.map_or(Ok(None), |job| snapshot.workflow_job_at(job))?;
        let of_action = |job: &WorkflowJob| job.parent_coordinator.zip(job.parent_action);
        let job = job.filter(|job| of_action(job).is_some_and(|action| actions.contains(&action)));
        job.map_or(Ok(false), |job| Ok(superseding_action(snapshot, &job)?.is_none()))
    };
    let own = steps.iter().map(is_own).collect::<Result<Vec<bool>>>()?;
    let mut own = own.into_iter();
    steps.retain(|_| !own.next().unwrap_or_default());
    Ok(steps)
}

/// Waits some seconds for the commands of what has ended: a script may kill and rerun at once. What still runs then is
/// refused, or left out.
///
/// # Errors
/// A failure of the database.
fn wait_for_commands(engine: &Engine, steps: &[RepairStep]) -> Result<()> {
    let last = uptime() + LONGEST_END;
    let mut busy: Vec<&RepairStep> = steps.iter().collect();
    loop {
        let busy_now: Vec<bool> =
            engine.store.read(|snapshot| busy.iter().map(|step| is_still_ending(snapshot, step)).collect())?;
        busy = busy.into_iter().zip(busy_now).filter(|(_, is_busy)| *is_busy).map(|(step, _)| step).collect();
        if busy.is_empty() || uptime() >= last {
            return Ok(());
        }
        pause(BETWEEN_LOOKS);
    }
}

/// Returns whether an action or a workflow job has ended, and its commands have not.
fn is_still_ending(snapshot: &Snapshot, step: &RepairStep) -> Result<bool> {
    if let Some(job) = step.workflow_job {
        let is_over = snapshot.workflow_job_at(job)?.is_some_and(|job| job.status.is_terminal());
        return Ok(is_over && snapshot.has_open_attempts(job)?);
    }
    let (Some(job), Some(number)) = (step.coordinator_job, step.action_number) else { return Ok(false) };
    let key = ActionKey { job, number };
    let is_over = snapshot.coordinator_action(key)?.is_some_and(|action| action.status.is_terminal());
    Ok(is_over && snapshot.has_open_attempts_of_action(key)?)
}

/// Chooses actions of one job that is named, all its coordinators' actions that have ended when it is a bundle and no
/// actions are named, or the workflow job itself.
///
/// # Errors
/// As [`select`]; E1100 when the bundle allows no rerun, and why no action of the job can run again.
pub fn named(
    engine: &mut Engine,
    (id, actions): (&JobId, Option<&Scope>),
    coordinators: Vec<String>,
    manner: &Manner,
    now: Timestamp,
) -> Result<Draft> {
    let bundle = match id.kind() {
        JobKind::Bundle => engine.store.read(|snapshot| snapshot.bundle_job(id))?,
        JobKind::Coordinator | JobKind::Workflow => None,
    };
    bundle.as_ref().map_or(Ok(()), check_rerun)?;
    let targets = vec![(id.clone(), actions.cloned())];
    let (statuses, since, most) = (Vec::new(), None, None);
    let selection = Selection { targets, is_filtered: false, coordinators, statuses, since, most };
    let mut draft = select(engine, &selection, manner, now)?;
    draft.is_of_one = true;
    draft.repair.bundle_job = bundle.map(|bundle| bundle.job);
    draft.check_one(&draft.refused)?;
    if let (JobKind::Coordinator, Some(scope)) = (id.kind(), actions) {
        draft.sort(|step| step.action_number.and_then(|number| scope.place(number)));
        if draft.steps.is_empty() {
            let Manner { refresh, failed, nocleanup, ref properties, .. } = *manner;
            let (job, actions, properties) = (id.clone(), scope.clone(), properties.clone());
            let order = RerunOrder { job, actions, refresh, failed, nocleanup, properties };
            // It says why there is none.
            rerun::plan(engine, order, now)?;
        }
        draft.notes.extend(engine.store.read(|snapshot| {
            let job = coordinator(snapshot, id)?;
            let mut outcome = Outcome::of(id);
            note_missing(snapshot, &choose(snapshot, &job, scope, Period::Ended)?.missing, &job, &mut outcome)?;
            Ok(outcome.notes)
        })?);
    }
    Ok(draft)
}

/// The jobs of a selection, each with the actions that are named of it.
type Targets = Vec<(JobId, Option<Scope>)>;

/// Returns the jobs, with the coordinators of a bundle in its place; and a sentence for each name that no coordinator
/// of a bundle has.
fn with_members(snapshot: &Snapshot, selection: &Selection, manner: &Manner) -> Result<(Targets, Vec<String>)> {
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
        let known: Vec<String> = members.iter().map(|job| job.name.clone()).collect();
        members.retain(|job| names.is_empty() || names.contains(&job.name));
        if members.is_empty() && !names.is_empty() {
            let error = Error::new(ErrorCode::E1018, format!("{id} has no coordinator [{}]", names.join(", ")));
            return Err(error.help(format!("its coordinators are {}", known.join(", "))));
        }
        let is_whole = selection.statuses.is_empty() && selection.since.is_none() && !manner.failed;
        let whole = |job: &CoordinatorJob| Scope::Dates(vec![Dates::Between(job.start_at, job.end_at)]);
        all.extend(members.into_iter().map(|job| {
            let scope = scope.clone().or_else(|| is_whole.then(|| whole(&job)));
            (job.id, scope)
        }));
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
