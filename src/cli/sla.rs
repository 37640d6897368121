//! `howdah sla`: the promises about actions, and the alerts when they are late.

use clap::{Args, Subcommand};

use crate::cli::args::{DryRunArgs, GlobalArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::moment::Moments;
use crate::cli::scope::{JobScope, ScopeArgs};
use crate::cli::targets::Targets;
use crate::cli::{session, verb};
use crate::output::screen::Screen;
use crate::output::{json, sla as table};
use howdah_answers::query;
use howdah_answers::query::sla::filter;
use howdah_engine::apply::outcome::for_each;
use howdah_engine::verbs::sla::{self, Alerts};
use howdah_store::Page;

/// List the promises about actions, and set the alerts when they are late
///
/// An SLA element in a coordinator promises when each action starts and ends and how long it takes; in a workflow it
/// promises this for the job, or for the action that contains it. `howdah tick` records the results: START_MET or
/// START_MISS, DURATION_MET or DURATION_MISS, END_MET or END_MISS, each once.
#[derive(Args, Debug)]
// The comments are the help that a terminal shows, where back quotes would only be noise.
#[allow(clippy::doc_markdown)]
pub(crate) struct SlaArgs {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(ListArgs),
    /// Send alerts about late actions from now on
    ///
    /// Without --action or --date: for all actions of the job, also for those that are created later.
    #[command(after_help = "\
Examples:\n\
\x20 howdah sla enable 0000000-261120093000123-oozie-oozi-C")]
    Enable(AlertArgs),
    /// Send no alerts about late actions; the results are still recorded
    ///
    /// Without --action or --date: for all actions of the job, also for those that are created later.
    #[command(after_help = "\
Examples:\n\
\x20 howdah sla disable 0000000-261120093000123-oozie-oozi-C --action 1-40\n\
\x20 howdah sla disable 0000000-261120093000123-oozie-oozi-C@3")]
    Disable(AlertArgs),
    Change(ChangeArgs),
}

/// List the promises, by nominal time
///
/// Events and statuses are those that the latest tick recorded.
#[derive(Args, Debug)]
#[command(after_help = "\
Names of the filter:\n\
\x20 id, parent_id        of the action, of its job (an id of a job means its actions too)\n\
\x20 app_name, user_name, app_type, job_status    % stands for any text, _ for one character\n\
\x20 sla_status           NOT_STARTED, IN_PROCESS, MET, MISS; several with commas\n\
\x20 event_status         START_MET, START_MISS, DURATION_MET, ... ; several with commas\n\
\x20 nominal_after, nominal_before; the same with created, expectedstart, expectedend, actualstart, actualend\n\
\x20 expected_duration_min, expected_duration_max, actual_duration_min, actual_duration_max    in milliseconds\n\
\n\
Examples:\n\
\x20 howdah sla list --filter 'sla_status=MISS;nominal_after=2026-03-01T00:00Z'\n\
\x20 howdah sla list --filter id=0000000-261120093000123-oozie-oozi-C\n\
\x20 howdah sla list --json | jq -r '.slaSummaryList[] | select(.endDelay > 60) | .id'")]
pub(crate) struct ListArgs {
    /// Only matching promises: NAME=VALUE pairs separated by `;`, all of which must match
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    filter: String,
    /// The first to list, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    offset: u32,
    /// How many to list
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..))]
    len: u32,
}

/// Enable or disable alerts
#[derive(Args, Debug)]
pub(crate) struct AlertArgs {
    /// Names or ids of coordinator jobs, or of actions (JOB@3)
    #[arg(required = true, value_name = "JOB[@ACTION]")]
    jobs: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Change the promises of actions that have not ended
///
/// Without --action or --date: of all of them, and of those that are created later; these need the element in the
/// definition. Recorded results do not change.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah sla change 0000000-261120093000123-oozie-oozi-C --value 'sla-should-end=${2 * HOURS}' --dry-run\n\
\x20 howdah sla change 0000000-261120093000123-oozie-oozi-C@3 --value 'sla-should-start=30;sla-max-duration=45'")]
pub(crate) struct ChangeArgs {
    /// Names or ids of coordinator jobs, or of actions (JOB@3)
    #[arg(required = true, value_name = "JOB[@ACTION]")]
    jobs: Vec<String>,
    #[command(flatten)]
    scope: ScopeArgs,
    /// NAME=VALUE pairs separated by `;`, with the names sla-nominal-time, sla-should-start, sla-should-end and
    /// sla-max-duration; the values are minutes or expressions, as in the SLA element
    #[arg(long, value_name = "VALUE")]
    value: String,
    #[command(flatten)]
    dry_run: DryRunArgs,
}

/// Lists or changes promises.
pub(crate) fn sla(global: &GlobalArgs, arguments: &SlaArgs) -> Result<Status, Failure> {
    match &arguments.verb {
        Verb::List(arguments) => list(global, arguments),
        Verb::Enable(arguments) => set_alerts(global, arguments, Alerts::Enabled),
        Verb::Disable(arguments) => set_alerts(global, arguments, Alerts::Disabled),
        Verb::Change(arguments) => change(global, arguments),
    }
}

fn list(global: &GlobalArgs, arguments: &ListArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let filter = filter::read(&arguments.filter, session::settings(global)?.submit.processing)?;
    let page = Page { offset: arguments.offset - 1, len: arguments.len };
    let mut engine = session::query_engine(global)?;
    let mut screen = Screen::open();
    let view = query::run(&mut engine, now, |query| query.sla_list(&filter, page))?;
    let layout = screen.layout();
    screen.write(if global.is_json() { json::text(&view) } else { table::list(&view, layout) })?;
    Ok(Status::Done)
}

fn set_alerts(global: &GlobalArgs, arguments: &AlertArgs, alerts: Alerts) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::existing_engine(global)?;
    let moments = Moments::new(clock.now(), engine.settings.submit.processing);
    let targets = arguments.scope.of_each(&mut Targets::new(global), &arguments.jobs, &moments)?;
    let effect = arguments.dry_run.effect();
    let outcomes = for_each(
        &targets,
        |target| &target.job,
        |target| sla::set_alerts(&mut engine, &target.job, (target.actions.as_ref(), alerts), (effect, clock.now())),
    )?;
    verb::finish(&engine, global, &outcomes, effect)
}

fn change(global: &GlobalArgs, arguments: &ChangeArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::existing_engine(global)?;
    let moments = Moments::new(clock.now(), engine.settings.submit.processing);
    let targets = arguments.scope.of_each(&mut Targets::new(global), &arguments.jobs, &moments)?;
    let effect = arguments.dry_run.effect();
    let when = (effect, clock.now());
    let give = |target: &JobScope| {
        sla::change(&mut engine, &target.job, (target.actions.as_ref(), arguments.value.as_str()), when)
    };
    let outcomes = for_each(&targets, |target| &target.job, give)?;
    verb::finish(&engine, global, &outcomes, effect)
}
