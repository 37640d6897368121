//! `howdah suspend`, `howdah resume`, `howdah kill`: on coordinator jobs, their actions, and workflow jobs.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs, JobScope, ScopeArgs, whole_job};
use crate::cli::exit::{Failure, Status};
use crate::cli::{runner, session};
use crate::engine::command::Effect;
use crate::engine::command::control::{self, Verb};
use crate::engine::command::outcome::for_each;
use crate::output::outcome;

/// Suspend or resume jobs
#[derive(Args, Debug)]
pub(crate) struct ControlArgs {
    /// Ids of coordinator jobs or workflow jobs
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<String>,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Kill jobs or actions
#[derive(Args, Debug)]
pub(crate) struct KillArgs {
    /// Ids of coordinator jobs, their actions (JOB@3) or workflow jobs
    #[arg(required = true, value_name = "JOB[@ACTION]")]
    jobs: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Suspends jobs.
pub(crate) fn suspend(global: &GlobalArgs, arguments: &ControlArgs) -> Result<Status, Failure> {
    whole(global, arguments, Verb::Suspend)
}

/// Resumes jobs.
pub(crate) fn resume(global: &GlobalArgs, arguments: &ControlArgs) -> Result<Status, Failure> {
    whole(global, arguments, Verb::Resume)
}

/// Kills jobs or actions.
pub(crate) fn kill(global: &GlobalArgs, arguments: &KillArgs) -> Result<Status, Failure> {
    let processing = session::settings(global)?.submit.processing;
    let targets = arguments.scope.of_each(&arguments.jobs, processing)?;
    control(global, &targets, Verb::Kill, arguments.dry_run.effect())
}

fn whole(global: &GlobalArgs, arguments: &ControlArgs, verb: Verb) -> Result<Status, Failure> {
    let whole = |text: &String| Ok(JobScope { job: whole_job(text)?, actions: None });
    let targets = arguments.jobs.iter().map(whole).collect::<Result<Vec<_>, Failure>>()?;
    control(global, &targets, verb, arguments.dry_run.effect())
}

/// Does the verb to every target; what a status does not allow is said on standard error and is no failure, as in
/// Oozie.
fn control(global: &GlobalArgs, targets: &[JobScope], verb: Verb, effect: Effect) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::existing_engine(global)?;
    let outcomes = for_each(
        targets,
        |target| &target.job,
        |target| {
            let when = (effect, clock.now());
            match &target.actions {
                Some(scope) => control::kill_actions(&mut engine, &target.job, scope, when),
                None => control::control(&mut engine, &target.job, verb, when),
            }
        },
    )?;
    outcome::show(&outcomes, effect, global.form())?;
    if effect == Effect::Stored {
        runner::ensure(&engine, global)?;
    }
    Ok(Status::of(&outcomes))
}
