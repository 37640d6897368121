//! `howdah attempt DIR` (hidden): the shim that does the work of one attempt.

use std::path::PathBuf;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::executor;

/// Do the work of an attempt
#[derive(Args, Debug)]
pub(crate) struct AttemptArgs {
    /// The folder of the attempt
    directory: PathBuf,
}

/// Runs the shim.
pub(crate) fn attempt(global: &GlobalArgs, arguments: &AttemptArgs) -> Result<Status, Failure> {
    let find_postbox = || match session::settings(global) {
        Ok(settings) => settings.delivery.postbox(),
        Err(failure) => Err(failure.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
    };
    executor::run_attempt(&arguments.directory, &find_postbox)?;
    Ok(Status::Done)
}
