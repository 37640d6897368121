//! `howdah suspend`, `howdah resume`, `howdah kill`: on bundles, coordinator jobs, their actions, workflow jobs and
//! their nodes.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs, JobScope, ScopeArgs, job_kind, target, whole_job};
use crate::cli::exit::{Failure, Status};
use crate::cli::{runner, session, verb};
use crate::engine::Engine;
use crate::engine::apply::control::Verb;
use crate::engine::apply::outcome::{Outcome, for_each};
use crate::engine::verbs::{control, many, node};
use crate::error::{Error, ErrorCode};
use crate::model::id::{JobId, JobKind, Target};
use crate::output::form::Form;
use crate::output::text;
use crate::query::filter::JobsFilter;
use crate::store::Effect;

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

/// Kill jobs, actions or nodes
#[derive(Args, Debug)]
pub(crate) struct KillArgs {
    /// Ids of bundles, coordinator jobs, their actions (JOB@3), workflow jobs or nodes of them (WF@node)
    #[arg(required_unless_present = "filter", value_name = "JOB[@PART]")]
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

/// What is to be killed, or suspended or resumed as a whole.
enum Whom {
    Scope(JobScope),
    /// A node of a workflow job.
    Node(JobId, String),
}

impl Whom {
    /// The job that it is, or is a part of.
    fn job(&self) -> &JobId {
        match self {
            Self::Scope(scope) => &scope.job,
            Self::Node(job, _) => job,
        }
    }
}

/// Kills jobs, actions or nodes.
pub(crate) fn kill(global: &GlobalArgs, arguments: &KillArgs) -> Result<Status, Failure> {
    if let Some(filter) = &arguments.many.filter {
        if !arguments.scope.is_empty() {
            let error = Error::new(ErrorCode::H0002, "--action and --date choose actions of one job");
            return Err(error.help("name the job instead of --filter").into());
        }
        return many(global, (filter, arguments.many.jobtype), Verb::Kill, arguments.dry_run.effect());
    }
    let processing = session::settings(global)?.submit.processing;
    arguments.scope.check_number(&arguments.jobs)?;
    let whom = |text: &String| match target(text)? {
        Target::Node(job, node) if arguments.scope.is_empty() => Ok(Whom::Node(job, node)),
        Target::Node(..) => {
            let error = Error::new(ErrorCode::H0002, "--action and --date choose actions of a coordinator job");
            Err(error.help(format!("leave them out: `howdah kill {text}`")))
        }
        Target::Job(_) | Target::CoordinatorAction(..) => arguments.scope.of(text, processing).map(Whom::Scope),
    };
    let targets = arguments.jobs.iter().map(whom).collect::<Result<Vec<_>, Error>>()?;
    control(global, &targets, Verb::Kill, arguments.dry_run.effect())
}

fn whole(global: &GlobalArgs, arguments: &ControlArgs, verb: Verb) -> Result<Status, Failure> {
    if let Some(filter) = &arguments.many.filter {
        return many(global, (filter, arguments.many.jobtype), verb, arguments.dry_run.effect());
    }
    let whole = |text: &String| Ok(Whom::Scope(JobScope { job: whole_job(text)?, actions: None }));
    let targets = arguments.jobs.iter().map(whole).collect::<Result<Vec<_>, Failure>>()?;
    control(global, &targets, verb, arguments.dry_run.effect())
}

/// The engine for a verb: resumed jobs are work for a runner.
fn engine(global: &GlobalArgs, verb: Verb) -> Result<Engine, Failure> {
    match verb {
        Verb::Resume => runner::engine_for_work(global),
        Verb::Suspend | Verb::Kill => session::existing_engine(global),
    }
}

/// Does the verb to every job that matches, and shows those that changed.
fn many(global: &GlobalArgs, which: (&str, JobKind), verb: Verb, effect: Effect) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let filter = JobsFilter::parse(which.0, which.1)?;
    filter.check_narrow()?;
    let filter = filter.matching(clock.now())?;
    let mut engine = engine(global, verb)?;
    let ids = many::matching(&engine, which.1, &filter)?;
    let mut outcomes = for_each(&ids, |id| id, |id| control::control(&mut engine, id, verb, (effect, clock.now())))?;
    outcomes.retain(Outcome::is_news);
    if outcomes.is_empty() && global.form() == Form::Text {
        text::aside("No job was changed: none that matches is in a status that allows it.");
    }
    verb::finish(&engine, global, &outcomes, effect)
}

/// Does the verb to every target; what a status does not allow is said on standard error and is no failure, as in
/// Oozie.
fn control(global: &GlobalArgs, targets: &[Whom], verb: Verb, effect: Effect) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = engine(global, verb)?;
    let outcomes = for_each(targets, Whom::job, |target| {
        let when = (effect, clock.now());
        match target {
            Whom::Scope(JobScope { job, actions: Some(scope) }) => control::kill_actions(&mut engine, job, scope, when),
            Whom::Scope(JobScope { job, actions: None }) => control::control(&mut engine, job, verb, when),
            Whom::Node(job, name) => node::kill(&mut engine, job, name, when),
        }
    })?;
    verb::finish(&engine, global, &outcomes, effect)
}
