//! `howdah rerun`: runs actions of a coordinator job or of the coordinators of a bundle, or a workflow job, again.

use clap::Args;

use crate::cli::args::{DryRunArgs, GlobalArgs, PropertyArgs, job_kind};
use crate::cli::exit::{Failure, Status};
use crate::cli::repair::ManyActions;
use crate::cli::scope::{JobScope, ScopeArgs};
use crate::cli::targets::Targets;
use crate::cli::{repair, runner, session};
use howdah_engine::verbs::repair::Manner;
use howdah_engine::verbs::repair::select::named;
use howdah_oozie::configuration::ParsedProperties;
use howdah_words::error::{Error, ErrorCode};
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};

/// Rerun actions of a coordinator job or of a bundle's coordinators, or a workflow job
///
/// Actions that have ended wait again; the next `howdah tick` starts them in their order. Decisions about their inputs
/// stay: an action that was ready does not search for them again, and latest and future keep their results. With
/// --refresh the action is created again from the job's present definition.
///
/// The outputs of the actions are deleted first, unless a data-out has nocleanup="true". They are listed, and you are
/// asked; without a terminal, and with --json, nothing is done unless --yes is given.
///
/// For a bundle, the actions of the coordinators in --coordinator are rerun, or of all coordinators when only --date is
/// given; without --date all their actions that have ended. A coordinator that cannot be rerun is named, and the exit
/// status is 1; the others are rerun nevertheless.
///
/// Several jobs, --filter, --status, --since, --max, or --failed without a choice of actions, choose the actions of
/// many jobs. Each rerun is one plan, with one list of outputs and one question. The plan is stored before anything is
/// done, and `status` says when it was interrupted: --continue does the rest, and no action runs twice for it. When a
/// job refuses after its outputs are deleted, its actions stay in the plan. Workflow jobs and bundles take part too: of
/// a workflow job the status is its own, of a bundle the actions of its coordinators are chosen.
///
/// A workflow job runs again from its start, except for the nodes in oozie.wf.rerun.skip.nodes, or with
/// oozie.wf.rerun.failnodes=true except for all nodes that ended OK; nothing is deleted.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah rerun 0000000-261120093000123-oozie-oozi-C --action 3-4 --dry-run\n\
\x20 howdah rerun 0000000-261120093000123-oozie-oozi-C@3 --refresh --yes\n\
\x20 howdah rerun 0000000-261120093000123-oozie-oozi-C --date 2026-03-01T00:00Z::2026-03-02T00:00Z --failed\n\
\x20 howdah rerun --filter 'status=DONEWITHERROR;status=RUNNINGWITHERROR' --status failed --since 24h --dry-run\n\
\x20 howdah rerun feed-a feed-b --failed --max 20\n\
\x20 howdah rerun --filter name=load --jobtype wf --since 24h --failed\n\
\x20 howdah rerun --continue\n\
\x20 howdah rerun 0000009-261120093000123-oozie-oozi-B --coordinator load,report \
--date 2026-03-01T00:00Z::2026-03-02T00:00Z\n\
\x20 howdah rerun 0000007-261120093000123-oozie-oozi-W -D oozie.wf.rerun.failnodes=true")]
pub(crate) struct RerunArgs {
    /// Names or ids of coordinator jobs or bundles, with a choice of actions; of actions (JOB@3); or of workflow jobs
    #[arg(required_unless_present_any = ["filter", "continue", "abandon"], value_name = "JOB[@ACTION]")]
    jobs: Vec<String>,
    /// Instead of ids: every job that matches, written as for `jobs`; of workflow jobs, without --status, those that
    /// FAILED or were KILLED
    #[arg(long, value_name = "FILTER", conflicts_with = "jobs")]
    filter: Option<String>,
    /// The type of the jobs in the filter: coordinator, wf or bundle
    #[arg(long, value_parser = job_kind, default_value = "coordinator", value_name = "TYPE", requires = "filter")]
    jobtype: JobKind,
    #[command(flatten)]
    scope: ScopeArgs,
    /// Only actions and workflow jobs that ended in these statuses, with commas between them; `failed` means FAILED,
    /// KILLED and TIMEDOUT
    #[arg(long, value_name = "STATUSES", value_delimiter = ',')]
    status: Vec<String>,
    /// Only actions and workflow jobs that changed at this time or later: a time, a date, today, yesterday, or how long
    /// ago, such as 24h; without --status, those that failed
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,
    /// Rerun at most so many, those with the earliest nominal times; of workflow jobs the earliest
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    max: Option<u32>,
    /// Do what interrupted reruns have left
    #[arg(long = "continue", id = "continue", conflicts_with_all = CHOICE)]
    continues: bool,
    /// Forget what interrupted reruns have left; asks first when outputs are deleted already
    #[arg(long, conflicts_with_all = CHOICE, conflicts_with = "continue")]
    abandon: bool,
    /// For bundles: only the coordinators with these names, separated by commas
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    coordinator: Vec<String>,
    /// Create the actions again from the job's present definition; their inputs are searched for again
    #[arg(long)]
    refresh: bool,
    /// Do not delete the outputs of the actions
    #[arg(long)]
    nocleanup: bool,
    /// Run the workflow jobs of the actions again instead of new ones, except for nodes that ended OK; no output is
    /// deleted. Without a choice of actions: those that are FAILED, KILLED or TIMEDOUT
    #[arg(long)]
    failed: bool,
    #[command(flatten)]
    properties: PropertyArgs,
    /// Run the actions and delete their outputs, or with --abandon give up those that are deleted, without asking
    #[arg(long, short)]
    yes: bool,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// The options that choose what is rerun and how: an interrupted rerun has both in its plan.
const CHOICE: [&str; 13] = [
    "jobs",
    "filter",
    "action",
    "date",
    "status",
    "since",
    "max",
    "coordinator",
    "refresh",
    "nocleanup",
    "failed",
    "config",
    "definitions",
];

impl RerunArgs {
    /// Returns whether the rerun is stored.
    fn effect(&self) -> Effect {
        self.dry_run.effect()
    }

    /// Returns the choice of actions of many jobs.
    ///
    /// # Errors
    /// As [`session::storable`].
    fn many(&self) -> Result<ManyActions<'_>, Failure> {
        let properties = session::storable(self.properties.config.as_deref(), &self.properties.definitions)?;
        let Self { refresh, failed, nocleanup, .. } = *self;
        Ok(ManyActions {
            jobs: &self.jobs,
            filter: self.filter.as_deref().map(|filter| (filter, self.jobtype)),
            coordinators: &self.coordinator,
            scope: &self.scope,
            statuses: &self.status,
            since: self.since.as_deref(),
            most: self.max,
            manner: Manner { refresh, failed, nocleanup, newest_first: false, properties },
        })
    }
}

/// Reruns actions of coordinators, or a workflow job.
pub(crate) fn rerun(global: &GlobalArgs, arguments: &RerunArgs) -> Result<Status, Failure> {
    if arguments.continues {
        return repair::finish_interrupted(global, (arguments.effect(), arguments.yes));
    }
    if arguments.abandon {
        return repair::forget(global, (arguments.effect(), arguments.yes));
    }
    let is_choice = !arguments.status.is_empty() || arguments.since.is_some() || arguments.max.is_some();
    let [job] = &arguments.jobs[..] else {
        return repair::rerun_many(global, &arguments.many()?, (arguments.effect(), arguments.yes));
    };
    let clock = session::clock(global)?;
    let moments = session::moments(global, clock.now())?;
    let JobScope { job, actions } = arguments.scope.of(&mut Targets::new(global), job, &moments)?;
    let is_of_actions = job.kind() == JobKind::Coordinator && actions.is_some();
    if is_choice || (arguments.failed && !is_of_actions && job.kind() != JobKind::Workflow) {
        return repair::rerun_many(global, &arguments.many()?, (arguments.effect(), arguments.yes));
    }
    let many = arguments.many()?;
    check(arguments, (&job, actions.is_some()), &many.manner.properties)?;
    let mut engine = runner::engine_for_work(global)?;
    repair::remind(global, &engine)?;
    let coordinators = many.names();
    let draft = named(&mut engine, (&job, actions.as_ref()), coordinators, &many.manner, clock.now())?;
    repair::carry_out_draft(global, &mut engine, draft, (arguments.effect(), arguments.yes, clock.now()))
}

/// Refuses options that have no meaning for a job, and a coordinator job of which no actions are chosen.
///
/// # Errors
/// H0002.
fn check(
    arguments: &RerunArgs,
    (job, has_actions): (&JobId, bool),
    properties: &ParsedProperties,
) -> Result<(), Error> {
    if job.kind() == JobKind::Bundle {
        return check_bundle(arguments, properties);
    }
    let refuse = |why: String, help: String| Err(Error::new(ErrorCode::H0002, why).help(help));
    if !arguments.coordinator.is_empty() {
        let help = "leave it out; `howdah jobs --jobtype bundle` lists the bundles";
        return refuse(format!("--coordinator is for bundles, and {job} is not a bundle"), help.to_owned());
    }
    if job.kind() == JobKind::Workflow {
        if has_actions || arguments.refresh || arguments.nocleanup {
            let help = "--action, --date, --refresh and --nocleanup are for coordinator jobs";
            return refuse(format!("{job} is a workflow job, which has no actions"), help.to_owned());
        }
    } else if !has_actions {
        let help = format!("name them with --action 1,3-4 or --date A::B, or write {job}@3");
        return refuse("a rerun needs the actions of the coordinator job".to_owned(), help);
    }
    Ok(())
}

/// Refuses options that have no meaning for a bundle, and a rerun without a selection.
///
/// # Errors
/// H0002.
fn check_bundle(arguments: &RerunArgs, properties: &ParsedProperties) -> Result<(), Error> {
    let refuse = |why: &str, help: &str| Err(Error::new(ErrorCode::H0002, why).help(help.to_owned()));
    if arguments.scope.action.is_some() {
        return refuse("--action counts the actions of one coordinator job", "use --coordinator NAMES and --date A::B");
    }
    if !properties.values.is_empty() {
        let help = "choose the actions with --status or --failed, or name the coordinators as jobs";
        return refuse("without a choice of actions a bundle takes no properties", help);
    }
    if arguments.coordinator.iter().any(|name| name.trim().is_empty()) {
        return refuse("--coordinator has an empty name in it", "separate names by commas: load,report");
    }
    if arguments.coordinator.is_empty() && arguments.scope.date.is_none() {
        let help = "name them with --coordinator load,report, or give --date A::B for all of them";
        return refuse("a rerun needs the coordinators of the bundle, or dates", help);
    }
    Ok(())
}
