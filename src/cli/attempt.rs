//! `howdah attempt DIR` (hidden): the shim that does the work of one attempt.

use std::ffi::OsString;
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

impl AttemptArgs {
    /// The arguments of a command line as howdah itself writes it: `attempt DIR`, with `--site FILE` or without.
    pub(crate) fn at_once(line: &[OsString]) -> Option<(GlobalArgs, Self)> {
        let (folder, site) = match line {
            [_, verb, folder] if verb == "attempt" => (folder, None),
            [_, verb, folder, option, site] if verb == "attempt" && option == "--site" => (folder, Some(site.into())),
            _ => return None,
        };
        let arguments = Self { directory: folder.into() };
        arguments.directory.is_absolute().then(|| (GlobalArgs { site, ..GlobalArgs::default() }, arguments))
    }
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
