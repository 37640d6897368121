//! `howdah jobs`: lists jobs, or with `--bulk` the actions of bundles.

use clap::Args;

use crate::cli::args::{GlobalArgs, ZoneArgs, job_kind};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::error::Result;
use crate::model::id::JobKind;
use crate::model::time::Timestamp;
use crate::output::form::Form;
use crate::output::screen::{Layout, Screen};
use crate::output::table_zone::TableZone;
use crate::output::{jobs, json, text};
use crate::query::filter::{BulkFilter, JobsFilter};
use crate::query::{self, Query};
use crate::store::{JobFilter, Page};

/// List coordinator jobs, workflow jobs or bundles, newest first
///
/// Prints a table: id, name, status, the number of succeeded actions and of all, the number of the others, the next
/// nominal time. A narrow terminal shows fewer columns; a pipe gets all. With --quiet: only the ids, one per line.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah jobs --filter 'status=RUNNING;name=hourlyRevenue'\n\
\x20 howdah jobs --filter 'startcreatedtime=-2d;text=revenue;sortby=lastModifiedTime'\n\
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
    /// months); group has no effect, as in Oozie
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    filter: String,
    /// Instead of jobs the actions of a bundle's coordinators: NAME=VALUE pairs separated by `;` that must all match; a
    /// value is a list with commas. Names: bundle (names or ids, required); coordinators (names or ids); actionstatus
    /// (default KILLED and FAILED); startcreatedtime, endcreatedtime, startscheduledtime, endscheduledtime (scheduled
    /// is the nominal time)
    #[arg(long, value_name = "FILTER", conflicts_with_all = ["filter", "jobtype"])]
    bulk: Option<String>,
    /// The first job to list, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    offset: u32,
    /// How many jobs to list
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    len: u32,
    #[command(flatten)]
    zone: ZoneArgs,
}

/// Lists jobs.
pub(crate) fn jobs(global: &GlobalArgs, arguments: &JobsArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let page = Page { offset: arguments.offset - 1, len: arguments.len };
    let zone = arguments.zone.zone()?;
    if let Some(filter) = &arguments.bulk {
        return bulk(global, &BulkFilter::parse(filter)?, (page, &zone), now);
    }
    let filter = read_filter(global, &arguments.filter, arguments.jobtype, now)?;
    let mut engine = session::query_engine(global)?;
    let mut screen = Screen::open();
    let (kind, form, layout) = (arguments.jobtype, global.form(), screen.layout());
    let (text, others) = query::run(&mut engine, now, |query| {
        let (text, total) = listing(query, kind, (&filter, page, &zone), (form, layout))?;
        let wanted = total == 0 && form == Form::Text;
        let others = if wanted { query.jobs_of_other_kinds(kind, &arguments.filter)? } else { Vec::new() };
        Ok((text, others))
    })?;
    screen.write(text)?;
    let options = session::repeated_options(global);
    for (kind, number) in others {
        text::aside(&jobs::others(kind, number, &arguments.filter, &options));
    }
    Ok(Status::Done)
}

/// Returns a page of the jobs of one kind, and how many match in all.
fn listing(
    query: &mut Query<'_>,
    kind: JobKind,
    (filter, page, zone): (&JobFilter, Page, &TableZone),
    (form, layout): (Form, Layout),
) -> Result<(String, u32)> {
    Ok(match kind {
        JobKind::Workflow => {
            let view = query.workflow_jobs(filter, page)?;
            let text = match form {
                Form::Json => json::text(&view),
                Form::Quiet => lines(view.workflows.iter().map(|job| &job.id)),
                Form::Text => jobs::workflows(&view, zone, layout),
            };
            (text, view.total)
        }
        JobKind::Bundle => {
            let view = query.bundle_jobs(filter, page)?;
            let text = match form {
                Form::Json => json::text(&view),
                Form::Quiet => lines(view.bundlejobs.iter().map(|job| &job.bundle_job_id)),
                Form::Text => jobs::bundles(&view, zone, layout),
            };
            (text, view.total)
        }
        JobKind::Coordinator => {
            let view = query.coordinator_jobs(filter, page)?;
            let text = match form {
                Form::Json => json::text(&view),
                Form::Quiet => lines(view.coordinatorjobs.iter().map(|job| &job.coord_job_id)),
                Form::Text => jobs::coordinators(&view, zone, layout),
            };
            (text, view.total)
        }
    })
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
    if global.json {
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

/// Reads a filter of jobs, and warns about the parts without effect.
///
/// # Errors
/// E0420.
fn read_filter(global: &GlobalArgs, filter: &str, kind: JobKind, now: Timestamp) -> Result<JobFilter> {
    let filter = JobsFilter::parse(filter, kind)?;
    if let Some(name) = filter.ignored().filter(|_| !global.quiet) {
        text::aside(&format!("warning: {name} in a filter has no effect, as in Oozie"));
    }
    filter.matching(now)
}
