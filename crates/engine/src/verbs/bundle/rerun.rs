//! `rerun` of a bundle: ended actions of its coordinators wait and start again (decision W34).
//!
//! `rerun` decides for each coordinator which actions can run; a coordinator that cannot be rerun does not stop the
//! others. All outputs are deleted first. Then one transaction opens the bundle and resets the actions of all
//! coordinators, so after a crash in between the rerun can be repeated.

use std::collections::BTreeSet;

use super::on_bundle;
use crate::Engine;
use crate::apply::invocation::Invocation;
use crate::apply::outcome::{Outcome, for_each};
use crate::lookup::unknown;
use crate::transition::bundle::settle_bundle;
use crate::verbs::rerun::lock;
use crate::verbs::rerun::{self, Output, RerunOrder, RerunPlan};
use howdah_oozie::bundle::job_state::{JobEvent, transition};
use howdah_oozie::configuration::ParsedProperties;
use howdah_oozie::coordinator::operation::scope::{Dates, Scope};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::JobId;
use howdah_words::model::origin::Origin;
use howdah_words::model::row::{BundleJob, CoordinatorJob};
use howdah_words::model::time::Timestamp;

/// The order of an operator.
#[derive(Clone, Debug)]
pub struct BundleOrder {
    pub bundle: JobId,
    /// The names of the coordinators; empty: all of them.
    pub coordinators: Vec<String>,
    /// `None`: the whole period of each coordinator.
    pub dates: Option<Scope>,
    /// As of [`RerunOrder`].
    pub refresh: bool,
    /// As of [`RerunOrder`].
    pub nocleanup: bool,
}

/// What a rerun would do; [`carry_out`] does it.
#[derive(Clone, Debug)]
pub struct BundlePlan {
    order: BundleOrder,
    /// The outcome of the bundle, with those of the selected coordinators.
    pub outcome: Outcome,
    /// The outputs of all coordinators, each once.
    pub outputs: Vec<Output>,
    /// The coordinators that can be rerun.
    plans: Vec<RerunPlan>,
}

/// The coordinators of an order.
struct Chosen {
    /// In document order.
    jobs: Vec<CoordinatorJob>,
    /// One sentence for each name that no coordinator of the bundle has.
    notes: Vec<String>,
}

/// Finds out what a rerun would do, and changes nothing.
///
/// # Errors
/// E0604 when there is no such job, E1100 when its status allows no rerun, E1018 when it has none of the coordinators,
/// or a failure of the database. A refusal of one coordinator is in its outcome and in that of the bundle.
pub fn plan(engine: &mut Engine, order: BundleOrder, now: Timestamp) -> Result<BundlePlan> {
    let Chosen { jobs, notes } = choose(engine, &order)?;
    let mut plans = Vec::new();
    let mut outputs = Vec::new();
    let mut known = BTreeSet::new();
    let coordinators = for_each(
        &jobs,
        |job| &job.id,
        |job| {
            let plan = rerun::plan(engine, order.of(job), now)?;
            let new = plan.outputs.iter().filter(|output| known.insert(output.uri.clone()));
            outputs.extend(new.map(|output| Output { coordinator: Some(job.name.clone()), ..output.clone() }));
            let outcome = plan.outcome.clone();
            plans.push(plan);
            Ok(outcome)
        },
    )?;
    let mut outcome = reset_actions(engine, &order.bundle, &plans, (Effect::DryRun, now))?;
    outcome.refused = refused(&order.bundle, &jobs, &coordinators);
    outcome.coordinators = coordinators;
    outcome.notes = notes;
    Ok(BundlePlan { order, outcome, outputs, plans })
}

/// Deletes the outputs of a plan, opens the bundle and resets the actions of its coordinators; does nothing when they
/// have changed.
///
/// # Errors
/// As [`plan`]; E0907 when an output cannot be deleted, E1018 when another command changed them meanwhile, H0108 while
/// another rerun is running.
pub fn carry_out(engine: &mut Engine, plan: &BundlePlan, now: Timestamp) -> Result<Outcome> {
    let _lock = lock::lock(engine)?;
    let BundlePlan { order, outputs, plans, .. } = plan;
    let again = self::plan(engine, order.clone(), now)?;
    let unchanged = |(before, now): (&RerunPlan, &RerunPlan)| before.is_still(now);
    if plans.len() != again.plans.len() || !plans.iter().zip(&again.plans).all(unchanged) {
        return Err(rerun::changed_meanwhile(&order.bundle).help("check what the rerun would do now"));
    }
    rerun::delete_then(engine, outputs, |engine| reset_actions(engine, &order.bundle, plans, (Effect::Stored, now)))?;
    Ok(again.outcome)
}

impl BundleOrder {
    /// Returns the order for one coordinator.
    fn of(&self, job: &CoordinatorJob) -> RerunOrder {
        let whole = || Scope::Dates(vec![Dates::Between(job.start_at, job.end_at)]);
        RerunOrder {
            job: job.id.clone(),
            actions: self.dates.clone().unwrap_or_else(whole),
            refresh: self.refresh,
            failed: false,
            nocleanup: self.nocleanup,
            properties: ParsedProperties::default(),
        }
    }
}

fn choose(engine: &Engine, order: &BundleOrder) -> Result<Chosen> {
    let (id, names) = (&order.bundle, &order.coordinators);
    let mut jobs = engine.store.read(|snapshot| {
        let bundle = snapshot.bundle_job(id)?.ok_or_else(|| unknown(id))?;
        check(&bundle)?;
        snapshot.coordinator_jobs_of_bundle(bundle.job)
    })?;
    let all: Vec<String> = jobs.iter().map(|job| job.name.clone()).collect();
    let missing: Vec<&String> = names.iter().filter(|name| !all.contains(name)).collect();
    jobs.retain(|job| names.is_empty() || names.contains(&job.name));
    if jobs.is_empty() {
        let error = Error::new(ErrorCode::E1018, format!("{id} has no coordinator [{}]", names.join(", ")));
        return Err(error.help(format!("its coordinators are {}", all.join(", "))));
    }
    let notes = missing.iter().map(|name| format!("{id} has no coordinator [{name}]; it is ignored")).collect();
    Ok(Chosen { jobs, notes })
}

/// Opens the bundle and resets the actions, in one transaction. A suspension ends; the status follows the coordinators.
/// Without a coordinator that can be rerun nothing is done.
fn reset_actions(engine: &mut Engine, id: &JobId, plans: &[RerunPlan], when: (Effect, Timestamp)) -> Result<Outcome> {
    on_bundle(engine, id, &Invocation::new(Origin::Rerun, when)?, |transaction, bundle, context| {
        check(bundle)?;
        if !plans.is_empty() {
            let mut job = BundleJob { suspended_at: None, ..bundle.clone() };
            settle_bundle(transaction, &mut job, context.cause)?;
        }
        plans.iter().try_for_each(|plan| plan.reset_actions(transaction, context))?;
        super::outcome(transaction, bundle, Vec::new())
    })
}

/// Returns the error for the coordinators that cannot be rerun.
fn refused(id: &JobId, jobs: &[CoordinatorJob], outcomes: &[Outcome]) -> Option<Error> {
    let refused = jobs.iter().zip(outcomes).filter(|(_, outcome)| outcome.refused.is_some());
    let names: Vec<&str> = refused.map(|(job, _)| job.name.as_str()).collect();
    if names.is_empty() {
        return None;
    }
    let what = format!("coordinators of {id} that cannot be rerun: {}", names.join(", "));
    Some(Error::new(ErrorCode::E1018, what).help(if names.len() == jobs.len() {
        "nothing is rerun and nothing deleted; the reason follows for each"
    } else {
        "the others are; the reason follows for each that is not"
    }))
}

fn check(bundle: &BundleJob) -> Result<()> {
    if transition(bundle.status, JobEvent::Rerun).is_some() {
        return Ok(());
    }
    let BundleJob { id, status, .. } = bundle;
    let error = Error::new(ErrorCode::E1100, format!("{id} is {status}: its coordinators cannot be rerun"));
    Err(error.help(if status.is_before_start() {
        "its coordinators are submitted at its kick-off time; there is nothing to rerun before"
    } else {
        "submit the bundle again, or rerun actions of single coordinators"
    }))
}
