//! `howdah attempt DIR` (hidden): the shim that does the work of one attempt.

use std::path::PathBuf;

use clap::Args;

use crate::cli::exit::{Failure, Status};
use crate::executor;

/// Do the work of an attempt
#[derive(Args, Debug)]
pub(crate) struct AttemptArgs {
    /// The folder of the attempt
    directory: PathBuf,
}

/// Runs the shim.
pub(crate) fn attempt(arguments: &AttemptArgs) -> Result<Status, Failure> {
    executor::run_attempt(&arguments.directory)?;
    Ok(Status::Done)
}
