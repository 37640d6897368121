//! `howdah dryrun`: shows what a job would do; needs no database.

use clap::Args;

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::engine::dryrun::{self, Extent};
use crate::engine::submit::{self, Prepared, PreparedCoordinator};
use crate::engine::workflow::create::PreparedWorkflow;
use crate::error::Error;
use crate::host::mounts::Mounts;
use crate::output::dryrun as show;

/// Show what a job would do, and store nothing
///
/// For a coordinator: every action with its input instances and whether they are there now, its output instances and
/// its configuration. For a workflow: OK when it could be started. The exit status is 1 when the job would be refused.
#[derive(Args, Debug)]
pub(crate) struct DryrunArgs {
    #[command(flatten)]
    properties: PropertyArgs,
    /// Actions to show: a number, or all [default: the job's throttle]
    #[arg(long, value_name = "N|all", value_parser = extent)]
    actions: Option<Extent>,
}

fn extent(text: &str) -> Result<Extent, String> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(Extent::All);
    }
    text.parse().map(Extent::First).map_err(|_| "it must be a number of actions, or all".to_owned())
}

/// Shows the dry run of one job.
pub(crate) fn dryrun(global: &GlobalArgs, arguments: &DryrunArgs) -> Result<Status, Failure> {
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    let properties = &arguments.properties;
    let values = session::job_properties(properties.config.as_deref(), &properties.definitions)?;
    let (prepared, problems) = submit::prepare(&mounts, &settings, &values);
    match prepared {
        Some(Prepared::Coordinator(job)) => {
            let extent = arguments.actions.unwrap_or(Extent::Throttle);
            coordinator(global, &job, &mounts, extent, problems)
        }
        Some(Prepared::Workflow(job)) => workflow(global, &job, &problems),
        None => Err(problems.into()),
    }
}

fn coordinator(
    global: &GlobalArgs,
    job: &PreparedCoordinator,
    mounts: &Mounts,
    extent: Extent,
    mut problems: Vec<Error>,
) -> Result<Status, Failure> {
    let now = session::clock(global)?.now();
    let coordinator = &job.application.coordinator;
    problems.extend(job.notes(now));
    let row = dryrun::job(job, now);
    let mut writer = show::DryRunWriter::begin(&row, &coordinator.app_path, global.form());
    let mut written = Ok(());
    let outcome = dryrun::actions(job, mounts, now, extent, &mut |action| {
        writer.action(action).inspect_err(|error| written = Err(error.clone()))
    });
    // What cannot be written is no problem of the job.
    written?;
    let status = if outcome.is_ok() { Status::Done } else { Status::Unsuccessful };
    problems.extend(outcome.err());
    writer.end(&problems)?;
    Ok(status)
}

fn workflow(global: &GlobalArgs, job: &PreparedWorkflow, problems: &[Error]) -> Result<Status, Failure> {
    show::workflow(job, problems, global.form())?;
    Ok(Status::Done)
}
