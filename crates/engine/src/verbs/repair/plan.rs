//! What a rerun of many actions would do, job by job.

use std::collections::{BTreeMap, BTreeSet};

use crate::Engine;
use crate::apply::outcome::Outcome;
use crate::verbs::bundle::check_rerun;
use crate::verbs::repair::abandon::Loss;
use crate::verbs::repair::draft::{Draft, Manner, Situation, order};
use crate::verbs::repair::earlier::Earlier;
use crate::verbs::repair::workflow::WorkflowAgain;
use crate::verbs::rerun::{self, Output, RerunPlan};
use howdah_oozie::coordinator::operation::named;
use howdah_store::Snapshot;
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobId;
use howdah_words::model::row::{ActionKey, CoordinatorJob, CoordinatorKey, RepairStep, WorkflowJob, WorkflowKey};
use howdah_words::model::time::Timestamp;

/// What a rerun of many actions would do; `carry_out` does it.
pub struct RepairPlan {
    pub draft: Draft,
    /// The outcomes of the jobs, also of those that cannot be rerun.
    pub outcomes: Vec<Outcome>,
    /// The names of these jobs, by id.
    pub names: BTreeMap<String, String>,
    /// The outputs of all actions, each once.
    pub outputs: Vec<Output>,
    pub(super) parts: Vec<Part>,
    /// The steps for which nothing is left to do: the action was rerun or deleted meanwhile.
    pub(super) settled: BTreeSet<u32>,
    /// When the bundle that is opened again was suspended.
    pub(super) bundle_suspended_at: Option<Timestamp>,
    /// Why an action cannot be rerun now whose outputs an interrupted rerun may have deleted.
    blocked: Option<Error>,
}

/// The actions of one job.
pub(super) struct Part {
    /// The coordinator job of its actions; `None` for a workflow job.
    pub(super) job: Option<CoordinatorKey>,
    pub(super) work: Work,
    /// The steps that its transaction marks.
    pub(super) steps: Vec<u32>,
    /// The place of its outcome.
    pub(super) outcome: usize,
    pub(super) outputs: Vec<Output>,
}

/// What is done for one job.
pub(super) enum Work {
    /// Its actions are reset.
    Rerun(RerunPlan),
    /// Nominal times before its start run in a job of their own.
    Earlier(Earlier),
    /// A workflow job runs again.
    Workflow(WorkflowAgain),
}

/// What the steps of one transaction are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Group {
    /// Actions of a coordinator job.
    Actions(CoordinatorKey),
    /// Nominal times before the start of a coordinator job.
    Earlier(CoordinatorKey),
    Workflow(WorkflowKey),
}

/// The job of a group.
enum Subject {
    Actions(CoordinatorJob),
    Earlier(CoordinatorJob),
    Workflow(WorkflowJob),
}

impl RepairPlan {
    /// Returns how many actions run.
    pub fn actions(&self) -> usize {
        self.parts.iter().filter(|part| !part.is_workflow()).map(|part| part.steps.len()).sum()
    }

    /// Returns how many workflow jobs that were chosen themselves run again.
    pub fn workflow_jobs(&self) -> usize {
        self.parts.iter().filter(|part| part.is_workflow()).count()
    }

    /// Refuses all of an interrupted rerun while an action cannot be rerun whose outputs it may have deleted. Without
    /// this, that action would be forgotten, and its data lost without a word.
    ///
    /// # Errors
    /// Why the action cannot be rerun.
    pub fn check_whole(&self) -> Result<()> {
        let help = "nothing was done: the plan stays, and `howdah rerun --abandon` forgets it";
        self.blocked.as_ref().map_or(Ok(()), |error| Err(error.clone().more_help(help)))
    }

    /// Returns why nothing is done, when one job was named and it refuses.
    ///
    /// # Errors
    /// The refusal of that job.
    pub fn check_one(&self) -> Result<()> {
        self.draft.check_one(&self.outcomes)
    }

    /// Returns whether another check found the same.
    pub(super) fn is_still(&self, found: &Self) -> bool {
        let same = |(before, now): (&Part, &Part)| match (&before.work, &now.work) {
            (Work::Rerun(before), Work::Rerun(now)) => before.is_still(now),
            (Work::Earlier(before), Work::Earlier(now)) => before.is_still(now),
            (Work::Workflow(before), Work::Workflow(now)) => before.is_still(now),
            _ => false,
        };
        self.parts.len() == found.parts.len() && self.parts.iter().zip(&found.parts).all(same)
    }
}

/// Finds out what a rerun of the actions of a draft would do, and changes nothing.
///
/// # Errors
/// H0180 when the draft is new and another rerun was interrupted, or a failure of the database. A refusal of one job is
/// in its outcome.
pub fn plan(engine: &mut Engine, draft: Draft, now: Timestamp) -> Result<RepairPlan> {
    engine.store.read(|snapshot| draft.check_alone(snapshot))?;
    let manner = draft.manner()?;
    let bundle = engine.store.read(|snapshot| draft.bundle(snapshot))?;
    // It may have been killed since an interrupted rerun chose its coordinators.
    let refused = bundle.as_ref().and_then(|bundle| check_rerun(bundle).err());
    let mut plan = RepairPlan {
        bundle_suspended_at: bundle.and_then(|bundle| bundle.suspended_at),
        outcomes: draft.refused.clone(),
        draft,
        names: BTreeMap::new(),
        outputs: Vec::new(),
        parts: Vec::new(),
        settled: BTreeSet::new(),
        blocked: None,
    };
    let mut known = BTreeSet::new();
    let situation = Situation::of(&plan.draft, now);
    for group in groups(&plan.draft.steps) {
        let of_group = |step: &&RepairStep| Group::of(step) == Some(group);
        let steps: Vec<RepairStep> = plan.draft.steps.iter().filter(of_group).cloned().collect();
        let Some(subject) = engine.store.read(|snapshot| Subject::read(snapshot, group))? else {
            plan.settled.extend(steps.iter().map(|step| step.step));
            continue;
        };
        plan.names.insert(subject.id().to_string(), subject.name().to_owned());
        let found = match &refused {
            None => subject.find(engine, &manner, &steps, situation),
            Some(error) => Err(error.clone()),
        };
        match found {
            Ok(found) => {
                plan.note_left(engine, (&subject, &steps), &found)?;
                plan.add(group, found, &mut known);
            }
            Err(error) if error.is_answer() => {
                let has_lost = !plan.lost(engine, &subject)?.is_empty();
                plan.add_refused(group, (&subject, has_lost), error);
            }
            Err(error) => return Err(error),
        }
    }
    Ok(plan)
}

/// Returns the groups of steps in the order of their first step.
fn groups(steps: &[RepairStep]) -> Vec<Group> {
    let mut known = BTreeSet::new();
    steps.iter().filter_map(Group::of).filter(|group| known.insert(*group)).collect()
}

impl Group {
    /// Returns the group of a step; each step has one.
    fn of(step: &RepairStep) -> Option<Self> {
        match (step.coordinator_job, step.action_number) {
            (Some(job), Some(_)) => Some(Self::Actions(job)),
            (Some(job), None) => Some(Self::Earlier(job)),
            (None, _) => step.workflow_job.map(Self::Workflow),
        }
    }

    /// Returns the coordinator job; `None` for a workflow job.
    fn coordinator(self) -> Option<CoordinatorKey> {
        match self {
            Self::Actions(job) | Self::Earlier(job) => Some(job),
            Self::Workflow(_) => None,
        }
    }
}

impl Subject {
    /// Returns the job of a group; `None` when it was deleted.
    fn read(snapshot: &Snapshot, group: Group) -> Result<Option<Self>> {
        Ok(match group {
            Group::Actions(job) => snapshot.coordinator_job_at(job)?.map(Self::Actions),
            Group::Earlier(job) => snapshot.coordinator_job_at(job)?.map(Self::Earlier),
            Group::Workflow(job) => snapshot.workflow_job_at(job)?.map(Self::Workflow),
        })
    }

    fn id(&self) -> &JobId {
        match self {
            Self::Actions(job) | Self::Earlier(job) => &job.id,
            Self::Workflow(job) => &job.id,
        }
    }

    fn name(&self) -> &str {
        match self {
            Self::Actions(job) | Self::Earlier(job) => &job.name,
            Self::Workflow(job) => &job.name,
        }
    }

    /// Finds out what a rerun of the steps of the group would do.
    fn find(&self, engine: &mut Engine, manner: &Manner, steps: &[RepairStep], situation: Situation) -> Result<Found> {
        let all = || steps.iter().map(|step| step.step).collect();
        match self {
            Self::Actions(job) => inside(engine, (job, manner), steps, situation),
            Self::Earlier(job) => {
                let (earlier, outcome) = Earlier::find(engine, (job, manner), steps)?;
                Ok(Found { work: Some((Work::Earlier(earlier), all(), Vec::new())), outcome, gone: Vec::new() })
            }
            Self::Workflow(job) => {
                let (again, outcome) = WorkflowAgain::find(engine, (job, manner), steps, situation)?;
                let gone = if again.is_none() { all() } else { Vec::new() };
                Ok(Found { work: again.map(|again| (Work::Workflow(again), all(), Vec::new())), outcome, gone })
            }
        }
    }
}

impl Part {
    fn is_workflow(&self) -> bool {
        matches!(self.work, Work::Workflow(_))
    }
}

/// Adds to the refusal of a job whose outputs are deleted that its actions stay in the plan.
pub(super) fn kept(error: Error) -> Error {
    error.more_help(
        "its outputs are deleted, so its actions stay in the plan: `howdah rerun --continue` tries them again, \
         `howdah rerun --abandon` forgets them",
    )
}

/// What is done for a job.
struct Found {
    /// With the steps and the outputs; `None` when none of its actions is left.
    work: Option<(Work, Vec<u32>, Vec<Output>)>,
    outcome: Outcome,
    /// The steps of actions that were rerun or deleted meanwhile.
    gone: Vec<u32>,
}

impl RepairPlan {
    /// Returns the steps of a job of which an interrupted rerun has deleted outputs, or may have: while it deletes, it
    /// does not store how far it came.
    fn lost(&self, engine: &mut Engine, subject: &Subject) -> Result<BTreeSet<u32>> {
        match subject {
            Subject::Actions(job) if !self.draft.repair.cleaned => Ok(Loss::of_job(engine, &self.draft, job)?.steps),
            Subject::Actions(_) | Subject::Earlier(_) | Subject::Workflow(_) => Ok(BTreeSet::new()),
        }
    }

    /// Notes the first job that has an action that does not run again, although its outputs may be deleted.
    fn note_left(
        &mut self,
        engine: &mut Engine,
        (subject, steps): (&Subject, &[RepairStep]),
        found: &Found,
    ) -> Result<()> {
        let runs = found.work.as_ref().map(|(_, steps, _)| &steps[..]).unwrap_or_default();
        let is_left = |step: &&RepairStep| !runs.contains(&step.step) && !found.gone.contains(&step.step);
        if self.blocked.is_some() || !steps.iter().any(|step| is_left(&step)) {
            return Ok(());
        }
        let lost = self.lost(engine, subject)?;
        let left = steps.iter().filter(is_left).filter(|step| lost.contains(&step.step));
        let numbers: Vec<u32> = left.filter_map(|step| step.action_number).collect();
        if numbers.is_empty() {
            return Ok(());
        }
        let why = found.outcome.notes.last().map(|note| format!(": {note}")).unwrap_or_default();
        let what = format!("{}{} cannot run again now{why}", subject.id(), named(&numbers));
        self.blocked = Some(Error::new(ErrorCode::E1018, what));
        Ok(())
    }

    /// Adds a job that cannot be rerun.
    fn add_refused(&mut self, group: Group, (subject, is_lost): (&Subject, bool), error: Error) {
        if self.blocked.is_none() && is_lost {
            self.blocked = Some(error.clone());
        }
        let has_lost = matches!(group, Group::Actions(job) if self.draft.jobs_with_loss().contains(&job));
        let error = if has_lost { kept(error) } else { error };
        self.outcomes.push(Outcome { refused: Some(error), ..Outcome::of(subject.id()) });
    }

    /// Adds what is done for a job. An output that another job has too counts once: `known` has those so far.
    fn add(&mut self, group: Group, found: Found, known: &mut BTreeSet<String>) {
        self.settled.extend(found.gone);
        if let Some((work, steps, mut outputs)) = found.work {
            outputs.retain(|output| known.insert(output.uri.clone()));
            self.outputs.extend(outputs.iter().cloned());
            self.parts.push(Part { job: group.coordinator(), work, steps, outcome: self.outcomes.len(), outputs });
        }
        self.outcomes.push(found.outcome);
    }
}

/// The steps of one job, by what is left to do for them.
#[derive(Default)]
struct Sorted {
    /// The numbers of the actions that run, with their steps.
    open: Vec<(u32, u32)>,
    /// The same of those that were rerun or deleted meanwhile.
    gone: Vec<(u32, u32)>,
    /// The actions whose outputs the interrupted rerun has not deleted, although it has deleted the others.
    left_out: Vec<u32>,
    /// The actions that were ignored since the interrupted rerun chose them.
    ignored: Vec<u32>,
    /// Those of them whose outputs it has deleted.
    lost: Vec<u32>,
}

impl Sorted {
    fn of(engine: &Engine, job: &CoordinatorJob, steps: &[RepairStep], situation: Situation) -> Result<Self> {
        let mut sorted = Self::default();
        for step in steps {
            let Some(number) = step.action_number else { continue };
            let key = ActionKey { job: job.job, number };
            let action = engine.store.read(|snapshot| snapshot.coordinator_action(key))?;
            match action.filter(|action| action.run == step.run) {
                None => sorted.gone.push((number, step.step)),
                Some(_) if situation.cleaned && !step.cleaned => sorted.left_out.push(number),
                Some(action) if situation.is_ignored_since(&action) => {
                    sorted.ignored.push(number);
                    sorted.lost.extend((step.cleaned && step.outputs > 0).then_some(number));
                }
                Some(_) => sorted.open.push((number, step.step)),
            }
        }
        Ok(sorted)
    }

    /// Adds to the outcome of the job what is not done, and why.
    fn explain(&self, job: &CoordinatorJob, outcome: &mut Outcome) {
        for (number, _) in &self.gone {
            outcome.note(format!("{}@{number} was rerun or deleted meanwhile, and stays as it is", job.id));
        }
        if !self.left_out.is_empty() {
            let error = Error::with(ErrorCode::H0210, &[&format!("{}{}", job.id, named(&self.left_out))]);
            outcome.refused = Some(error.help("rerun them with a command of their own"));
        }
        for number in &self.ignored {
            outcome.note(format!("{}@{number} was ignored since, and stays as it is", job.id));
        }
        if !self.lost.is_empty() {
            let why = format!("{}{} was ignored since", job.id, named(&self.lost));
            outcome.refused = Some(kept(Error::new(ErrorCode::E1018, why)));
        }
    }
}

/// Finds out what a rerun of actions of one job would do.
fn inside(
    engine: &mut Engine,
    (job, manner): (&CoordinatorJob, &Manner),
    steps: &[RepairStep],
    situation: Situation,
) -> Result<Found> {
    let sorted = Sorted::of(engine, job, steps, situation)?;
    let gone = sorted.gone.iter().map(|(_, step)| *step).collect();
    if sorted.open.is_empty() {
        let mut outcome = Outcome::of(&job.id);
        sorted.explain(job, &mut outcome);
        return Ok(Found { work: None, outcome, gone });
    }
    let numbers: Vec<u32> = sorted.open.iter().map(|(number, _)| *number).collect();
    let mut plan = rerun::plan(engine, order(&job.id, manner, &numbers), situation.now)?;
    sorted.explain(job, &mut plan.outcome);
    let done: BTreeSet<u32> = plan.numbers().collect();
    let steps = sorted.open.iter().filter(|(number, _)| done.contains(number)).map(|(_, step)| *step).collect();
    let name = |output: &Output| Output { coordinator: Some(job.name.clone()), ..output.clone() };
    let outputs = plan.outputs.iter().map(name).collect();
    let outcome = plan.outcome.clone();
    Ok(Found { work: Some((Work::Rerun(plan), steps, outputs)), outcome, gone })
}
