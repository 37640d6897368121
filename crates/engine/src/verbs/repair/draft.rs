//! The actions of a rerun, as they are stored until all of them are done.

use std::collections::BTreeSet;

use crate::Engine;
use crate::apply::invocation::Invocation;
use crate::apply::outcome::Outcome;
use crate::stored_properties::{properties_text, read_properties};
use crate::verbs::rerun::RerunOrder;
use crate::verbs::rerun::lock::lock;
use howdah_host::environment;
use howdah_host::fault::fault_point;
use howdah_host::lock::Lock;
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::operation::scope::Scope;
use howdah_store::{Snapshot, Transaction};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::action_numbers::ActionNumbers;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{
    BundleJob, CoordinatorAction, CoordinatorKey, Repair, RepairStep, WorkflowJob, steps_in_words,
};
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// How the actions run again.
#[expect(clippy::struct_excessive_bools, reason = "each is an option of the operator")]
#[derive(Clone, Debug, Default)]
pub struct Manner {
    /// As of [`RerunOrder`].
    pub refresh: bool,
    /// As of [`RerunOrder`].
    pub failed: bool,
    /// As of [`RerunOrder`].
    pub nocleanup: bool,
    /// The latest nominal times come first when not all of them are taken.
    pub newest_first: bool,
    /// As of [`RerunOrder`].
    pub properties: ParsedProperties,
}

/// The actions that run again, and how.
#[derive(Clone, Debug)]
pub struct Draft {
    pub repair: Repair,
    pub steps: Vec<RepairStep>,
    /// Whether it is what an interrupted rerun has left.
    pub is_stored: bool,
    /// What the operator must know of the choice; one sentence each.
    pub notes: Vec<String>,
    /// The jobs of which nothing could be chosen, and why.
    pub refused: Vec<Outcome>,
    /// One job was named: its refusal is that of the command, and what another rerun has left is no hindrance.
    pub is_of_one: bool,
    /// No person orders it now: an action that was ignored since it was stored does not run.
    pub(super) is_unasked: bool,
}

impl Draft {
    /// Creates a draft of some actions: the first `most` by nominal time.
    ///
    /// # Errors
    /// H0110, H0113 when the name of the user cannot be read, or the machine gives no random word.
    pub(super) fn new(manner: &Manner, mut steps: Vec<RepairStep>, most: Option<u32>, now: Timestamp) -> Result<Self> {
        steps.sort_by_key(|step| step.nominal_at);
        if manner.newest_first {
            steps.reverse();
        }
        let found = steps.len();
        steps.truncate(most.map_or(usize::MAX, |most| most as usize));
        let plan = environment::random_token()?;
        for (number, step) in (1..).zip(&mut steps) {
            step.step = number;
            step.plan.clone_from(&plan);
        }
        let left = found - steps.len();
        let notes = (left > 0).then(|| format!("{left} more match; --max leaves them out"));
        Ok(Self {
            repair: Repair {
                plan,
                created_at: now,
                actor: environment::user_name()?,
                refresh: manner.refresh,
                failed: manner.failed,
                nocleanup: manner.nocleanup,
                newest_first: manner.newest_first,
                properties: properties_text(&manner.properties.values),
                cleaned: false,
                unattended: false,
                reason: None,
                bundle_job: None,
            },
            steps,
            is_stored: false,
            notes: notes.into_iter().collect(),
            refused: Vec::new(),
            is_of_one: false,
            is_unasked: false,
        })
    }

    /// Returns the draft of a rerun that no person at a terminal began: the next tick continues it. `reason` is that of
    /// the failure policy.
    #[must_use]
    pub(crate) fn unattended(mut self, reason: Option<String>) -> Self {
        (self.repair.unattended, self.repair.reason) = (true, reason);
        self
    }

    /// Returns the command that resets the actions: of the failure policy, or of the user who began the rerun.
    pub(super) fn invocation(&self, when: (Effect, Timestamp)) -> Invocation {
        match &self.repair.reason {
            Some(reason) => Invocation::of_policy(Origin::Rerun, reason.clone(), when),
            None => Invocation::of_user(Origin::Rerun, self.repair.actor.clone(), when),
        }
    }

    /// Returns the bundle that is opened again; `None` when there is none, or it was deleted.
    ///
    /// # Errors
    /// A failure of the database.
    pub(super) fn bundle(&self, snapshot: &Snapshot) -> Result<Option<BundleJob>> {
        self.repair.bundle_job.map_or(Ok(None), |bundle| snapshot.bundle_job_at(bundle))
    }

    /// Returns how actions run again.
    ///
    /// # Errors
    /// H0107 when the stored properties cannot be read.
    pub(super) fn manner(&self) -> Result<Manner> {
        let Repair { refresh, failed, nocleanup, newest_first, .. } = self.repair;
        let mut properties = ParsedProperties::default();
        properties.values = read_properties(&self.repair.properties)?;
        // The outputs are deleted once, before the first action waits again.
        Ok(Manner { refresh, failed, nocleanup: nocleanup || self.repair.cleaned, newest_first, properties })
    }

    /// Refuses to do what an interrupted rerun has left when that is no longer stored as it was read.
    ///
    /// # Errors
    /// E1018 when another command has forgotten it, done some of it or stored another plan, or a failure of the
    /// database.
    pub(super) fn check_current(&self, snapshot: &Snapshot) -> Result<()> {
        let plan = &self.repair.plan;
        let is_same =
            snapshot.repair(plan)?.as_ref() == Some(&self.repair) && snapshot.open_repair_steps(plan)? == self.steps;
        if is_same || !self.is_stored { Ok(()) } else { Err(replaced()) }
    }

    /// Refuses a new rerun of many actions while another one that a person began is not finished.
    ///
    /// # Errors
    /// H0180, or a failure of the database.
    pub(super) fn check_alone(&self, snapshot: &Snapshot) -> Result<()> {
        let mut open = Vec::new();
        if !self.is_stored && !self.is_of_one {
            for repair in snapshot.repairs()?.iter().filter(|repair| !repair.unattended) {
                open.extend(snapshot.open_repair_steps(&repair.plan)?);
            }
        }
        if open.is_empty() {
            return Ok(());
        }
        let help = "`howdah rerun --continue` does the rest, `howdah rerun --abandon` forgets it";
        Err(Error::with(ErrorCode::H0180, &[&steps_in_words(&open)]).help(help))
    }

    /// Sorts the steps by a key, before the draft is stored.
    pub(super) fn sort<K: Ord>(&mut self, key: impl FnMut(&RepairStep) -> K) {
        self.steps.sort_by_key(key);
        for (number, step) in (1..).zip(&mut self.steps) {
            step.step = number;
        }
    }

    /// Returns the refusal of the job that was named, if one was.
    ///
    /// # Errors
    /// That refusal.
    pub(super) fn check_one(&self, outcomes: &[Outcome]) -> Result<()> {
        match outcomes {
            [Outcome { refused: Some(error), .. }] if self.is_of_one => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Returns the jobs with outputs that are deleted: their data is lost unless the actions run again.
    pub(super) fn jobs_with_loss(&self) -> BTreeSet<CoordinatorKey> {
        let lost = self.steps.iter().filter(|step| step.cleaned && step.outputs > 0);
        lost.filter_map(|step| step.coordinator_job).collect()
    }

    /// Stores the draft before any of it is done.
    ///
    /// # Errors
    /// H0180 when another rerun was interrupted, or a failure of the database.
    pub(super) fn store(&self, engine: &mut Engine) -> Result<()> {
        fault_point("before-plan-commit");
        engine.store.transact(|transaction| {
            self.check_alone(transaction)?;
            transaction.store_repair(&self.repair, &self.steps)
        })?;
        fault_point("after-plan-commit");
        Ok(())
    }
}

/// What was done so far.
#[derive(Clone, Copy)]
pub(super) struct Situation {
    /// Whether an interrupted rerun has deleted the outputs.
    pub(super) cleaned: bool,
    /// When the plan of an interrupted rerun was stored.
    pub(super) stored_at: Option<Timestamp>,
    /// As of [`Draft`].
    is_unasked: bool,
    pub(super) now: Timestamp,
}

impl Situation {
    /// Returns what was done of a draft.
    pub(super) fn of(draft: &Draft, now: Timestamp) -> Self {
        let stored_at = draft.is_stored.then_some(draft.repair.created_at);
        Self { cleaned: draft.repair.cleaned, stored_at, is_unasked: draft.is_unasked, now }
    }

    /// Returns whether an action was ignored since the plan was stored, and no person has ordered its rerun after that.
    pub(super) fn is_ignored_since(&self, action: &CoordinatorAction) -> bool {
        let is_since = self.stored_at.is_some_and(|at| action.modified_at >= at);
        self.is_unasked && is_since && action.status == ActionStatus::Ignored
    }
}

/// Returns the step of an action.
pub(super) fn step_of(action: &CoordinatorAction) -> RepairStep {
    RepairStep {
        plan: String::new(),
        step: 0,
        coordinator_job: Some(action.job),
        action_number: Some(action.number),
        workflow_job: None,
        nominal_at: action.nominal_at,
        run: action.run,
        outputs: 0,
        cleaned: false,
        done: false,
    }
}

/// Returns the step of a workflow job.
pub(super) fn step_of_workflow(job: &WorkflowJob) -> RepairStep {
    RepairStep {
        plan: String::new(),
        step: 0,
        coordinator_job: None,
        action_number: None,
        workflow_job: Some(job.job),
        nominal_at: job.created_at,
        run: job.run,
        outputs: 0,
        cleaned: false,
        done: false,
    }
}

/// Returns the order to rerun actions of one job.
pub(super) fn order(job: &JobId, manner: &Manner, numbers: &[u32]) -> RerunOrder {
    let Manner { refresh, failed, nocleanup, ref properties, .. } = *manner;
    let actions = Scope::Numbers(ActionNumbers::of(numbers));
    RerunOrder { job: job.clone(), actions, refresh, failed, nocleanup, properties: properties.clone() }
}

/// Marks steps of a plan as done, in the transaction that does them.
///
/// # Errors
/// E1018 when another process has done one of them, or a failure of the database.
pub(super) fn finish(transaction: &Transaction<'_>, plan: &str, steps: &[u32]) -> Result<()> {
    for step in steps {
        if !transaction.finish_repair_step(plan, *step)? {
            let error = Error::new(ErrorCode::E1018, format!("another command did step {step} of this rerun"));
            return Err(error.help("nothing was done twice: check what is left with `howdah rerun --continue`"));
        }
    }
    Ok(())
}

/// Checks that a change met the plan that it means.
///
/// # Errors
/// E1018 when it did not.
pub(super) fn check_met(is_met: bool) -> Result<()> {
    if is_met { Ok(()) } else { Err(replaced()) }
}

fn replaced() -> Error {
    let error = Error::new(ErrorCode::E1018, "another command changed what the interrupted rerun has left");
    error.help("nothing was done: `howdah rerun --continue --dry-run` shows what is left now")
}

/// Returns what interrupted reruns have left, the oldest first.
///
/// # Errors
/// A failure of the database.
pub fn unfinished(engine: &Engine) -> Result<Vec<Draft>> {
    engine.store.read(|snapshot| {
        let drafts = snapshot.repairs()?.into_iter().filter_map(|repair| stored(snapshot, repair).transpose());
        drafts.collect()
    })
}

/// Returns what one interrupted rerun has left by now; `None` when nothing is left.
///
/// # Errors
/// A failure of the database.
pub fn left_of(engine: &Engine, plan: &str) -> Result<Option<Draft>> {
    engine.store.read(|snapshot| match snapshot.repair(plan)? {
        Some(repair) => stored(snapshot, repair),
        None => Ok(None),
    })
}

/// Returns a stored plan with its open steps; `None` when it has none, because all its jobs were deleted.
fn stored(snapshot: &Snapshot, repair: Repair) -> Result<Option<Draft>> {
    let steps = snapshot.open_repair_steps(&repair.plan)?;
    let (notes, refused) = (Vec::new(), Vec::new());
    let draft = Draft { repair, steps, is_stored: true, notes, refused, is_of_one: false, is_unasked: false };
    Ok(Some(draft).filter(|draft| !draft.steps.is_empty()))
}

/// Forgets what an interrupted rerun has left.
///
/// # Errors
/// E1018 when that is no longer stored as it was read, H0108 while a rerun is running, or a failure of the database.
pub fn abandon(engine: &mut Engine, draft: &Draft) -> Result<()> {
    let lock = lock(engine)?;
    abandon_under(&lock, engine, draft)
}

/// As [`abandon`], for a process that holds the lock of reruns.
///
/// # Errors
/// As [`abandon`].
pub(crate) fn abandon_under(_lock: &Lock, engine: &mut Engine, draft: &Draft) -> Result<()> {
    engine.store.transact(|transaction| {
        draft.check_current(transaction)?;
        check_met(transaction.end_repair(&draft.repair.plan, &BTreeSet::new())?)
    })
}
