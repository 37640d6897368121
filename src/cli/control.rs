//! `howdah suspend`, `howdah resume`, `howdah kill`: on coordinator jobs and on workflow jobs.

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::{runner, session};
use crate::engine::command::control::{self, Verb};
use crate::error::{Error, ErrorCode};
use crate::model::id::{JobId, Target};
use crate::output::diagnostic;

/// Suspend, resume or kill jobs
#[derive(Args, Debug)]
pub(crate) struct ControlArgs {
    /// Ids of coordinator jobs or workflow jobs
    #[arg(required = true, value_name = "JOB")]
    jobs: Vec<String>,
}

/// Suspends jobs.
pub(crate) fn suspend(global: &GlobalArgs, arguments: &ControlArgs) -> Result<Status, Failure> {
    control(global, arguments, Verb::Suspend)
}

/// Resumes jobs.
pub(crate) fn resume(global: &GlobalArgs, arguments: &ControlArgs) -> Result<Status, Failure> {
    control(global, arguments, Verb::Resume)
}

/// Kills jobs.
pub(crate) fn kill(global: &GlobalArgs, arguments: &ControlArgs) -> Result<Status, Failure> {
    control(global, arguments, Verb::Kill)
}

/// Does the verb on every job; what a job's status does not allow is said on standard error and is no failure, as in
/// Oozie.
fn control(global: &GlobalArgs, arguments: &ControlArgs, verb: Verb) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let jobs = arguments.jobs.iter().map(|text| parse(text)).collect::<Result<Vec<JobId>, Error>>()?;
    let mut engine = session::existing_engine(global)?;
    let mut refused = Vec::new();
    for job in &jobs {
        match control::control(&mut engine, job, verb, clock.now()) {
            Ok(Some(not_done)) if !global.quiet => diagnostic::note(&not_done),
            Ok(_) => {}
            Err(error) => refused.push(error),
        }
    }
    runner::ensure(&engine, global)?;
    if refused.is_empty() { Ok(Status::Done) } else { Err(refused.into()) }
}

fn parse(text: &str) -> Result<JobId, Error> {
    match Target::parse(text) {
        Some(Target::Job(job)) => Ok(job),
        Some(Target::CoordinatorAction(..) | Target::Node(..)) => {
            Err(Error::new(ErrorCode::E0302, text).help("name a whole job, without @"))
        }
        None => Err(Error::new(ErrorCode::E0604, text).help("`howdah jobs` lists the ids")),
    }
}
