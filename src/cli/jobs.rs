//! `howdah jobs`: lists jobs.

use clap::{Args, ValueEnum};

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::engine::view::filter::JobsFilter;
use crate::engine::view;
use crate::model::id::JobKind;
use crate::output::screen::Screen;
use crate::output::{jobs, json};
use crate::store::Page;

/// List coordinator jobs, or workflow jobs, newest first
///
/// Prints a table: id, name, status, how many actions have succeeded of how many in all, how many have not, the next
/// nominal time. On a narrow terminal the less important columns are left out; in a pipe none is.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah jobs --filter 'status=RUNNING;name=hourlyRevenue'\n\
\x20 howdah jobs --jobtype wf --filter status=KILLED --len 10\n\
\x20 howdah jobs --json | jq -r '.coordinatorjobs[].coordJobId'")]
pub(crate) struct JobsArgs {
    /// Which jobs
    #[arg(long, value_enum, default_value = "coordinator", value_name = "TYPE")]
    jobtype: JobType,
    /// Only the jobs that match: NAME=VALUE pairs separated by `;`, with the names status, name, user and id. Values
    /// of one name are alternatives, different names must all match
    #[arg(long, value_name = "FILTER", default_value = "", hide_default_value = true)]
    filter: String,
    /// The first job to list, counted from 1
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    offset: u32,
    /// How many jobs to list
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    len: u32,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum JobType {
    #[value(alias = "coord")]
    Coordinator,
    #[value(name = "wf", alias = "workflow")]
    Workflow,
}

/// Lists jobs.
pub(crate) fn jobs(global: &GlobalArgs, arguments: &JobsArgs) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let page = Page { offset: arguments.offset - 1, len: arguments.len };
    let mut screen = Screen::open();
    match arguments.jobtype {
        JobType::Coordinator => {
            let filter = JobsFilter::parse(&arguments.filter, JobKind::Coordinator)?.matching(now)?;
            let mut engine = session::existing_engine(global)?;
            let view = view::look(&mut engine, now, |look| look.coordinator_jobs(&filter, page))?;
            let layout = screen.layout();
            screen.write(if global.json { json::text(&view) } else { jobs::coordinators(&view, layout) })?;
        }
        JobType::Workflow => {
            let filter = JobsFilter::parse(&arguments.filter, JobKind::Workflow)?.matching(now)?;
            let mut engine = session::existing_engine(global)?;
            let view = view::look(&mut engine, now, |look| look.workflow_jobs(&filter, page))?;
            let layout = screen.layout();
            screen.write(if global.json { json::text(&view) } else { jobs::workflows(&view, layout) })?;
        }
    }
    Ok(Status::Done)
}
