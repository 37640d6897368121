//! `howdah suspend`, `howdah resume`, `howdah kill`: on bundles, coordinator jobs, their actions, and workflow jobs.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs, JobScope, ScopeArgs, job_kind, whole_job};
use crate::cli::exit::{Failure, Status};
use crate::cli::{jobs, runner, session};
use crate::engine::command::Effect;
use crate::engine::command::control::{self, Verb};
use crate::engine::command::many;
use crate::engine::command::outcome::{Outcome, for_each};
use crate::error::{Error, ErrorCode};
use crate::model::id::JobKind;
use crate::output::form::Form;
use crate::output::{outcome, text};

/// Suspend or resume jobs
#[derive(Args, Debug)]
pub(crate) struct ControlArgs {
    /// Ids of bundles, coordinator jobs or workflow jobs
    #[arg(required_unless_present = "filter", value_name = "JOB")]
    jobs: Vec<String>,
    #[command(flatten)]
    many: ManyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Kill jobs or actions
#[derive(Args, Debug)]
pub(crate) struct KillArgs {
    /// Ids of bundles, coordinator jobs, their actions (JOB@3) or workflow jobs
    #[arg(required_unless_present = "filter", value_name = "JOB[@ACTION]")]
    jobs: Vec<String>,
    #[command(flatten)]
    many: ManyArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Many jobs at once.
#[derive(Args, Debug)]
pub(crate) struct ManyArgs {
    /// Instead of ids: every job that matches, written as for `jobs`; those whose status does not allow it stay as they
    /// are
    #[arg(long, value_name = "FILTER", conflicts_with = "jobs")]
    filter: Option<String>,
    /// Which jobs the filter means: coordinator, wf or bundle
    #[arg(long, value_parser = job_kind, default_value = "coordinator", value_name = "TYPE", requires = "filter")]
    jobtype: JobKind,
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
    if let Some(filter) = &arguments.many.filter {
        if arguments.scope.action.is_some() || arguments.scope.date.is_some() {
            let error = Error::new(ErrorCode::H0002, "--action and --date choose actions of one job");
            return Err(error.help("name the job instead of --filter").into());
        }
        return many(global, (filter, arguments.many.jobtype), Verb::Kill, arguments.dry_run.effect());
    }
    let processing = session::settings(global)?.submit.processing;
    let targets = arguments.scope.of_each(&arguments.jobs, processing)?;
    control(global, &targets, Verb::Kill, arguments.dry_run.effect())
}

fn whole(global: &GlobalArgs, arguments: &ControlArgs, verb: Verb) -> Result<Status, Failure> {
    if let Some(filter) = &arguments.many.filter {
        return many(global, (filter, arguments.many.jobtype), verb, arguments.dry_run.effect());
    }
    let whole = |text: &String| Ok(JobScope { job: whole_job(text)?, actions: None });
    let targets = arguments.jobs.iter().map(whole).collect::<Result<Vec<_>, Failure>>()?;
    control(global, &targets, verb, arguments.dry_run.effect())
}

/// Does the verb to every job that matches, and shows those that changed.
fn many(global: &GlobalArgs, which: (&str, JobKind), verb: Verb, effect: Effect) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let filter = jobs::read_filter(global, which.0, which.1, clock.now())?;
    let mut engine = session::existing_engine(global)?;
    let ids = many::matching(&engine, which.1, &filter)?;
    let mut outcomes = for_each(&ids, |id| id, |id| control::control(&mut engine, id, verb, (effect, clock.now())))?;
    outcomes.retain(Outcome::is_news);
    if outcomes.is_empty() && global.form() == Form::Text {
        text::aside("No job was changed: none that matches is in a status that allows it.");
    }
    outcome::show(&outcomes, effect, global.form())?;
    if effect == Effect::Stored {
        runner::ensure(&engine, global)?;
    }
    Ok(Status::of(&outcomes))
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
