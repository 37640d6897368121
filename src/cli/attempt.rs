//! `howdah attempt DIR` (hidden): the shim that does the work of one attempt.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::cli::exit::{Failure, Status};
use crate::executor;

/// Do the work of an attempt
#[derive(Args, Debug)]
pub(crate) struct AttemptArgs {
    /// The folder of the attempt
    directory: PathBuf,
}

impl AttemptArgs {
    /// The arguments of a command line that is `attempt DIR` and nothing else.
    pub(crate) fn at_once(line: &[OsString]) -> Option<Self> {
        match line {
            [_, verb, folder] if verb == "attempt" && Path::new(folder).is_absolute() => {
                Some(Self { directory: folder.into() })
            }
            _ => None,
        }
    }
}

/// Runs the shim.
pub(crate) fn attempt(arguments: &AttemptArgs) -> Result<Status, Failure> {
    executor::run_attempt(&arguments.directory)?;
    Ok(Status::Done)
}
