//! `howdah jobs`: lists jobs, or with `--bulk` the actions of bundles.

use clap::{Args, ValueEnum};

use crate::cli::args::{GlobalArgs, PageArgs, ZoneArgs, job_kind};
use crate::cli::exit::{Failure, Status};
use crate::cli::watch::WatchArgs;
use crate::cli::{oozie_json, session};
use crate::output::changes::{self, State};
use crate::output::form::Form;
use crate::output::oozie_json::{self as written, WebStyle};
use crate::output::screen::{Layout, Screen};
use crate::output::table_zone::TableZone;
use crate::output::{jobs, json, text};
use howdah_answers::query::bundle::BundleJobsView;
use howdah_answers::query::coordinator::{CoordinatorJobsView, Extent};
use howdah_answers::query::filter::{BulkFilter, JobsFilter};
use howdah_answers::query::workflow::WorkflowJobsView;
use howdah_answers::query::{self, Query};
use howdah_store::{JobFilter, JobOrder, Page};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::id::JobKind;
use howdah_words::model::time::Timestamp;

/// List coordinator jobs, workflow jobs or bundles, newest first
///
/// Prints a table: id, name, status, the number of succeeded actions and of all, how many ended without success, how
/// late the job is, how many actions wait for their inputs or their turn, the next nominal time, the last success. A
/// narrow terminal shows fewer columns; a pipe gets all. With --quiet: only the ids, one per line.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah jobs --filter 'status=RUNNING;name=hourlyRevenue'\n\
\x20 howdah jobs --filter 'startcreatedtime=-2d;text=revenue;sortby=lastModifiedTime'\n\
\x20 howdah jobs --sort attention --len 20\n\
\x20 howdah jobs --jobtype wf --filter status=KILLED --len 10\n\
\x20 howdah jobs --bulk 'bundle=nightly;actionstatus=FAILED,TIMEDOUT;startscheduledtime=2026-03-01T00:00Z'\n\
\x20 howdah jobs --json | jq -r '.coordinatorjobs[].coordJobId'")]
pub(crate) struct JobsArgs {
    /// The type of the jobs: coordinator, wf or bundle
    #[arg(long, value_parser = job_kind, default_value = "coordinator", value_name = "TYPE")]
    jobtype: JobKind,
    /// Only the jobs that match: NAME=VALUE pairs separated by `;`. Values of one name are alternatives, different
    /// names must all match. Names: status, name, user, id; text (a part of the name or of the user, or an id);
    /// startcreatedtime and endcreatedtime (a time, or -2d, -3h, -10m before now); sortby (createdTime or
    /// lastModifiedTime, the latest first); of coordinator jobs also frequency, with unit (minutes, hours, days,
    /// months); of coordinator jobs and bundles externalid (the id in the Oozie from which it was taken over); group
    /// has no effect, as in Oozie
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    filter: String,
    /// Instead of jobs the actions of a bundle's coordinators: NAME=VALUE pairs separated by `;` that must all match; a
    /// value is a list with commas. Names: bundle (names or ids, required); coordinators (names or ids); actionstatus
    /// (default KILLED and FAILED); startcreatedtime, endcreatedtime, startscheduledtime, endscheduledtime (scheduled
    /// is the nominal time)
    #[arg(long, value_name = "FILTER", conflicts_with_all = ["filter", "jobtype", "watch"])]
    bulk: Option<String>,
    /// The order; attention lists the coordinator jobs first that need a person: late ones, then those that failed in
    /// the last 24 hours, suspended ones, and those with older failures
    #[arg(long, value_enum, value_name = "ORDER", conflicts_with = "bulk")]
    sort: Option<Sort>,
    #[command(flatten)]
    page: PageArgs,
    #[command(flatten)]
    zone: ZoneArgs,
    #[command(flatten)]
    watch: WatchArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Sort {
    /// The latest created job first
    Created,
    /// The latest changed job first
    Modified,
    /// What needs a person first
    Attention,
}

/// Lists jobs.
pub(crate) fn jobs(global: &GlobalArgs, arguments: &JobsArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let zone = arguments.zone.zone()?;
    if let Some(filter) = &arguments.bulk {
        return bulk(global, &BulkFilter::parse(filter)?, (arguments.page.page(), &zone), now);
    }
    let filter = read_filter(global, arguments, now)?;
    if global.is_oozie_json() {
        let (kind, page, style) = (arguments.jobtype, arguments.page.page(), WebStyle::default());
        let mut engine = session::query_engine(global)?;
        let list = query::run(&mut engine, now, |query| oozie_json::list(query, kind, (&filter, page), &style))?;
        json::print(&mut Screen::open(), &list)?;
        return Ok(Status::Done);
    }
    let (kind, form, page) = (arguments.jobtype, global.form(), arguments.page.page());
    let mut others = Vec::new();
    let status = arguments.watch.show(global, |engine, now, wanted| {
        query::run(engine, now, |query| {
            let list = Listed::read(query, arguments, (&filter, page))?;
            let is_asked = list.total() == 0 && form == Form::Text && !arguments.watch.is_on();
            others = if is_asked { query.jobs_of_other_kinds(kind, &arguments.filter)? } else { Vec::new() };
            Ok(wanted.shown(|layout| list.text(form, &zone, layout), || list.states(), false))
        })
    })?;
    let options = session::repeated_options(global);
    for (kind, number) in others {
        text::aside(&jobs::others(kind, number, &arguments.filter, &options));
    }
    Ok(status)
}

/// A page of the jobs of one kind.
enum Listed {
    Coordinators(CoordinatorJobsView),
    Workflows(WorkflowJobsView),
    Bundles(BundleJobsView),
}

impl Listed {
    fn read(query: &mut Query<'_>, arguments: &JobsArgs, (filter, page): (&JobFilter, Page)) -> Result<Self> {
        Ok(match (arguments.jobtype, arguments.sort) {
            (JobKind::Workflow, _) => Self::Workflows(query.workflow_jobs(filter, page)?),
            (JobKind::Bundle, _) => Self::Bundles(query.bundle_jobs(filter, page)?),
            (JobKind::Coordinator, Some(Sort::Attention)) => {
                Self::Coordinators(query.coordinator_jobs_by_attention(filter, page)?)
            }
            (JobKind::Coordinator, _) => Self::Coordinators(query.coordinator_jobs(filter, page, Extent::Whole)?),
        })
    }

    /// Returns how many jobs match in all.
    fn total(&self) -> u32 {
        match self {
            Self::Coordinators(view) => view.total,
            Self::Workflows(view) => view.total,
            Self::Bundles(view) => view.total,
        }
    }

    fn states(&self) -> Vec<State> {
        match self {
            Self::Coordinators(view) => changes::of_coordinators(view),
            Self::Workflows(view) => changes::of_workflows(view),
            Self::Bundles(view) => changes::of_bundles(view),
        }
    }

    fn text(&self, form: Form, zone: &TableZone, layout: Layout) -> String {
        match (self, form) {
            (Self::Coordinators(view), Form::Json) => json::text(view),
            (Self::Coordinators(view), Form::Quiet) => lines(view.coordinatorjobs.iter().map(|job| &job.coord_job_id)),
            (Self::Coordinators(view), Form::Text) => jobs::coordinators(view, zone, layout),
            (Self::Workflows(view), Form::Json) => json::text(view),
            (Self::Workflows(view), Form::Quiet) => lines(view.workflows.iter().map(|job| &job.id)),
            (Self::Workflows(view), Form::Text) => jobs::workflows(view, zone, layout),
            (Self::Bundles(view), Form::Json) => json::text(view),
            (Self::Bundles(view), Form::Quiet) => lines(view.bundlejobs.iter().map(|job| &job.bundle_job_id)),
            (Self::Bundles(view), Form::Text) => jobs::bundles(view, zone, layout),
        }
    }
}

/// Lists the actions of a bundle's coordinators.
fn bulk(
    global: &GlobalArgs,
    filter: &BulkFilter,
    (page, zone): (Page, &TableZone),
    now: Timestamp,
) -> Result<Status, Failure> {
    let mut engine = session::query_engine(global)?;
    let mut screen = Screen::open();
    let view = query::run(&mut engine, now, |query| query.bulk(&filter.matching(), page))?;
    if global.is_oozie_json() {
        json::print(&mut screen, &written::bulk(&view, &WebStyle::default()))?;
        return Ok(Status::Done);
    }
    if global.is_json() {
        json::print(&mut screen, &view)?;
        return Ok(Status::Done);
    }
    screen.write(jobs::bulk(&view, zone, screen.layout()))?;
    if view.total == 0 && !filter.values().contains_key("actionstatus") && !global.quiet {
        text::aside("note: without actionstatus only KILLED and FAILED actions are listed");
    }
    Ok(Status::Done)
}

/// Returns ids, one per line, for `xargs`.
fn lines<'i>(ids: impl Iterator<Item = &'i String>) -> String {
    ids.flat_map(|id| [id.as_str(), "\n"]).collect()
}

/// Reads the filter and the order of the jobs, and warns about the parts without effect.
///
/// # Errors
/// E0420; H0002 for an order that jobs of this type do not have.
fn read_filter(global: &GlobalArgs, arguments: &JobsArgs, now: Timestamp) -> Result<JobFilter> {
    let filter = JobsFilter::parse(&arguments.filter, arguments.jobtype)?;
    if let Some(name) = filter.ignored().filter(|_| !global.quiet) {
        text::aside(&format!("warning: {name} in a filter has no effect, as in Oozie"));
    }
    let filter = filter.matching(now)?;
    let order = match arguments.sort {
        None => filter.order,
        Some(Sort::Created) => JobOrder::Created,
        Some(Sort::Modified) => JobOrder::Modified,
        Some(Sort::Attention) if arguments.jobtype == JobKind::Coordinator => JobOrder::Created,
        Some(Sort::Attention) => {
            let error = Error::new(ErrorCode::H0002, "--sort attention is an order of coordinator jobs");
            return Err(error.help("leave out --jobtype, or choose --sort modified"));
        }
    };
    Ok(JobFilter { order, ..filter })
}
