//! `howdah submit`: checks a job and stores it; `howdah tick` does the rest.

use clap::Args;

use crate::cli::args::{GlobalArgs, PropertyArgs};
use crate::cli::exit::{Failure, Status};
use crate::cli::{runner, session};
use crate::output::{diagnostic, text};
use howdah_answers::check::validate::Quotable;
use howdah_answers::query;
use howdah_engine::settings::Settings;
use howdah_engine::submit::submission::{self, Begin, Prepared};
use howdah_engine::tick::kick_off::{self, Start};
use howdah_engine::{Engine, catch_up};
use howdah_host::mounts::Mounts;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::time::Timestamp;

/// Submit a coordinator, a workflow or a bundle
///
/// Prints `job: <id>`. A coordinator's actions are created and started by `howdah tick`; a workflow starts at once. A
/// bundle's coordinators are submitted at its kick-off time by `howdah tick`; without one, at once.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:\n\
\x20 howdah submit -c job.properties\n\
\x20 howdah submit -c job.properties -D start=2026-03-01T05:00Z --mount hdfs://namenode:8020=/data")]
pub(crate) struct SubmitArgs {
    #[command(flatten)]
    properties: PropertyArgs,
}

/// Submits one job.
pub(crate) fn submit(global: &GlobalArgs, arguments: &SubmitArgs) -> Result<Status, Failure> {
    submit_properties(global, &arguments.properties, Begin::AtOnce)
}

/// Submits the job of these properties, and prints its id; a workflow job may wait until it is started.
pub(crate) fn submit_properties(
    global: &GlobalArgs,
    properties: &PropertyArgs,
    begin: Begin,
) -> Result<Status, Failure> {
    let settings = session::settings(global)?;
    let mounts = session::mounts(global, &settings)?;
    session::warn_of_site(global, &settings, &mounts);
    let prepared = prepare(global, properties, &mounts, &settings)?;
    submit_prepared(global, &prepared, begin)
}

/// Submits a job that was read and checked, and prints its id.
pub(crate) fn submit_prepared(global: &GlobalArgs, prepared: &Prepared, begin: Begin) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::engine(global, clock.as_ref())?;
    let (id, status) = match (begin, prepared) {
        (Begin::WhenStarted, Prepared::Workflow(_)) => {
            (submission::submit_to(&mut engine, prepared, begin, clock.now())?, Status::Done)
        }
        _ => store(&mut engine, prepared, Start::WhenDue, clock.now())?,
    };
    let printed = print_id(&id, global.is_json());
    print_remarks(global, &mut engine, &id, clock.now())?;
    if id.kind() == JobKind::Workflow {
        runner::compare(&engine, global);
        runner::warn_of_pause(global, &engine);
        runner::ensure(&engine, global)?;
    }
    printed?;
    Ok(status)
}

/// Prints the id of a stored job; on standard error if standard output fails, because the job is stored.
///
/// # Errors
/// H0111 when standard output cannot be written.
pub(crate) fn print_id(id: &JobId, as_json: bool) -> Result<(), howdah_words::error::Error> {
    text::job(id, as_json).inspect_err(|_| text::aside(&format!("the job was stored, and its id is {id}")))
}

/// Stores a prepared job and starts it when it is a bundle whose kick-off time is reached; shows why that failed, and
/// returns the status of the command.
pub(crate) fn store(
    engine: &mut Engine,
    prepared: &Prepared,
    start: Start,
    now: Timestamp,
) -> Result<(JobId, Status), Failure> {
    let id = submission::submit(engine, prepared, now)?;
    let faults = match prepared {
        Prepared::Bundle(_) => kick_off::start(engine, &id, start, now)?,
        Prepared::Coordinator(_) | Prepared::Workflow(_) => Vec::new(),
    };
    for fault in &faults {
        diagnostic::fault(id.as_str(), fault);
    }
    Ok((id, if faults.is_empty() { Status::Done } else { Status::Unsuccessful }))
}

/// Reads and checks a job before any database is opened; shows warnings.
pub(crate) fn prepare(
    global: &GlobalArgs,
    properties: &PropertyArgs,
    mounts: &Mounts,
    settings: &Settings,
) -> Result<Prepared, Failure> {
    let values = session::job_properties(properties.config.as_deref(), &properties.definitions)?;
    let (prepared, problems) = submission::prepare(mounts, settings, &values);
    Quotable::named(properties.named_files()).allow(&problems);
    match prepared {
        Some(prepared) => {
            if !global.quiet {
                diagnostic::explain(&problems);
            }
            Ok(prepared)
        }
        None => Err(problems.into()),
    }
}

/// Prints warnings about a new job on standard error: that it, or a coordinator of a bundle, has more past actions to
/// create than one tick creates, and that another job writes the same outputs.
///
/// # Errors
/// A failure of the database.
pub(crate) fn print_remarks(
    global: &GlobalArgs,
    engine: &mut Engine,
    job: &JobId,
    now: Timestamp,
) -> Result<(), Failure> {
    if global.quiet {
        return Ok(());
    }
    for backlog in catch_up::backlogs(engine, job, now)? {
        text::aside(&backlog.to_string());
    }
    if job.kind() == JobKind::Coordinator {
        diagnostic::explain(&query::run(engine, now, |query| query.done_twice(job))?);
    }
    Ok(())
}
