//! `howdah suspend`, `howdah resume`, `howdah kill`: for bundles, coordinator jobs, their actions, workflow jobs and
//! their nodes.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs, job_kind};
use crate::cli::exit::{Failure, Status};
use crate::cli::scope::{JobScope, ScopeArgs};
use crate::cli::targets::Targets;
use crate::cli::{runner, session, verb};
use crate::output::form::Form;
use crate::output::{site_pause, text};
use howdah_answers::query::filter::JobsFilter;
use howdah_engine::Engine;
use howdah_engine::apply::control::Verb;
use howdah_engine::apply::outcome::{Outcome, for_each};
use howdah_engine::verbs::{control, many, node, pause_all};
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind, Target};

/// Suspend jobs
#[derive(Args, Debug)]
pub(crate) struct ControlArgs {
    /// Names or ids of bundles, coordinator jobs or workflow jobs
    #[arg(required_unless_present = "filter", value_name = "JOB")]
    jobs: Vec<String>,
    #[command(flatten)]
    many: ManyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Pause all jobs at once: nothing new starts until `resume --all`
///
/// No action is created or started and no node of a workflow job starts, neither by a tick nor by a runner that is
/// running. What runs continues to its end and is recorded. No job changes its status: a job that was suspended before
/// stays suspended after `resume --all`. `status`, `explain` and a `tick` on a terminal say that all jobs are paused,
/// since when and by whom.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah pause --all\n\
\x20 howdah resume --all")]
pub(crate) struct PauseArgs {
    /// Pause every job of the database
    #[arg(long, required = true)]
    all: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Resume jobs
#[derive(Args, Debug)]
pub(crate) struct ResumeArgs {
    /// End the pause of all jobs (`pause --all`); suspended jobs stay suspended
    #[arg(long, conflicts_with_all = ["jobs", "filter"])]
    all: bool,
    /// Names or ids of bundles, coordinator jobs or workflow jobs
    #[arg(required_unless_present_any = ["filter", "all"], value_name = "JOB")]
    jobs: Vec<String>,
    #[command(flatten)]
    many: ManyArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Kill jobs, actions or nodes
#[derive(Args, Debug)]
pub(crate) struct KillArgs {
    /// Names or ids of bundles, coordinator jobs, their actions (JOB@3), workflow jobs or nodes of them (WF@node)
    #[arg(required_unless_present = "filter", value_name = "JOB[@PART]")]
    jobs: Vec<String>,
    #[command(flatten)]
    many: ManyArgs,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// The selection of many jobs at once.
#[derive(Args, Debug)]
pub(crate) struct ManyArgs {
    /// Instead of ids: every job that matches, written as for `jobs`; jobs whose status does not allow the verb do not
    /// change
    #[arg(long, value_name = "FILTER", conflicts_with = "jobs")]
    filter: Option<String>,
    /// The type of the jobs in the filter: coordinator, wf or bundle
    #[arg(long, value_parser = job_kind, default_value = "coordinator", value_name = "TYPE", requires = "filter")]
    jobtype: JobKind,
}

/// Suspends jobs.
pub(crate) fn suspend(global: &GlobalArgs, arguments: &ControlArgs) -> Result<Status, Failure> {
    let ControlArgs { jobs, many, dry_run } = arguments;
    whole(global, (jobs, many, *dry_run), Verb::Suspend)
}

/// Resumes jobs, or ends the pause of all jobs.
pub(crate) fn resume(global: &GlobalArgs, arguments: &ResumeArgs) -> Result<Status, Failure> {
    let ResumeArgs { all, jobs, many, dry_run } = arguments;
    if !all {
        return whole(global, (jobs, many, *dry_run), Verb::Resume);
    }
    let when = (dry_run.effect(), session::clock(global)?.now());
    let mut engine = session::existing_engine(global)?;
    runner::compare(&engine, global);
    let outcome = pause_all::resume(&mut engine, when)?;
    site_pause::show(&outcome, when.0, global.form())?;
    verb::start_processes(&engine, global, when.0)?;
    Ok(Status::Done)
}

/// Pauses all jobs.
pub(crate) fn pause(global: &GlobalArgs, arguments: &PauseArgs) -> Result<Status, Failure> {
    let PauseArgs { all: _, dry_run } = arguments;
    let when = (dry_run.effect(), session::clock(global)?.now());
    let mut engine = session::existing_engine(global)?;
    let outcome = pause_all::pause(&mut engine, when)?;
    site_pause::show(&outcome, when.0, global.form())?;
    Ok(Status::Done)
}

/// The target to kill, or to suspend or resume as a whole.
enum ControlTarget {
    Scope(JobScope),
    /// A node of a workflow job.
    Node(JobId, String),
}

impl ControlTarget {
    /// Returns the job itself, or the job of the action or node.
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
    let moments = session::moments(global, session::clock(global)?.now())?;
    arguments.scope.check_number(&arguments.jobs)?;
    let mut named = Targets::new(global);
    let control_target = |text: &String| match named.target(text)? {
        Target::Node(job, node) if arguments.scope.is_empty() => Ok(ControlTarget::Node(job, node)),
        Target::Node(..) => {
            let error = Error::new(ErrorCode::H0002, "--action and --date choose actions of a coordinator job");
            Err(error.help(format!("leave them out: `howdah kill {text}`")).into())
        }
        Target::Job(_) | Target::CoordinatorAction(..) => {
            arguments.scope.of(&mut named, text, &moments).map(ControlTarget::Scope)
        }
    };
    let targets = arguments.jobs.iter().map(control_target).collect::<Result<Vec<_>, Failure>>()?;
    control(global, &targets, Verb::Kill, arguments.dry_run.effect())
}

fn whole(
    global: &GlobalArgs,
    (jobs, chosen, dry_run): (&[String], &ManyArgs, DryRunArgs),
    verb: Verb,
) -> Result<Status, Failure> {
    if let Some(filter) = &chosen.filter {
        return many(global, (filter, chosen.jobtype), verb, dry_run.effect());
    }
    let mut named = Targets::new(global);
    let whole = |text: &String| Ok(ControlTarget::Scope(JobScope { job: named.whole_job(text)?, actions: None }));
    let targets = jobs.iter().map(whole).collect::<Result<Vec<_>, Failure>>()?;
    control(global, &targets, verb, dry_run.effect())
}

/// Returns the engine for a verb: resumed jobs need a runner.
fn engine(global: &GlobalArgs, verb: Verb) -> Result<Engine, Failure> {
    match verb {
        Verb::Resume => runner::engine_for_work(global),
        Verb::Suspend | Verb::Kill => session::existing_engine(global),
    }
}

/// Applies the verb to every job that matches, and shows the changed ones.
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
        text::aside("No job was changed: no matching job has a status that allows it.");
    }
    verb::finish(&engine, global, &outcomes, effect)
}

/// Applies the verb to every target; a status that does not allow it is reported on standard error and is not a
/// failure, as in Oozie.
fn control(global: &GlobalArgs, targets: &[ControlTarget], verb: Verb, effect: Effect) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = engine(global, verb)?;
    let outcomes = for_each(targets, ControlTarget::job, |target| {
        let when = (effect, clock.now());
        match target {
            ControlTarget::Scope(JobScope { job, actions: Some(scope) }) => {
                control::kill_actions(&mut engine, job, scope, when)
            }
            ControlTarget::Scope(JobScope { job, actions: None }) => control::control(&mut engine, job, verb, when),
            ControlTarget::Node(job, name) => node::kill(&mut engine, job, name, when),
        }
    })?;
    verb::finish(&engine, global, &outcomes, effect)
}
