//! `howdah attempt DIR` and `howdah attempts` (both hidden): the shim that does the work of one attempt.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use howdah_engine::settings::Settings;
use howdah_executor::perform;
use howdah_host::clock::pause;
use howdah_host::fork_server::{self, Reader, Requested};
use howdah_host::{files, processes};
use howdah_words::error::{Error, ErrorCode};

/// Do the work of an attempt
#[derive(Args, Debug)]
pub(crate) struct AttemptArgs {
    /// The folder of the attempt
    directory: PathBuf,
}

/// Do the work of the attempts whose folders are named on standard input, each in its own process
#[derive(Args, Debug)]
pub(crate) struct AttemptsArgs {}

impl AttemptsArgs {
    /// Returns the arguments of a command line that howdah itself writes: `attempts`, with or without `--site FILE`.
    pub(crate) fn at_once(line: &[OsString]) -> Option<(GlobalArgs, Self)> {
        let site = match line {
            [_, verb] if verb == "attempts" => None,
            [_, verb, option, site] if verb == "attempts" && option == "--site" => Some(site.into()),
            _ => return None,
        };
        Some((GlobalArgs { site, ..GlobalArgs::default() }, Self {}))
    }
}

/// Runs the shim.
pub(crate) fn attempt(global: &GlobalArgs, arguments: &AttemptArgs) -> Result<Status, Failure> {
    let folder = files::absolute(&arguments.directory);
    let folder = folder.map_err(|error| Error::with(ErrorCode::H0110, &[&arguments.directory.display(), &error]))?;
    run(global, &folder, None)
}

/// Runs a shim for every folder that the runner names, until the runner exits.
pub(crate) fn attempts(global: &GlobalArgs, _: &AttemptsArgs) -> Result<Status, Failure> {
    let requested = fork_server::serve(io::stdout(), perform::get_ready);
    let requested = requested.map_err(|error| Error::new(ErrorCode::H0140, error))?;
    let Some(Requested { folder, reader }) = requested else { return Ok(Status::Done) };
    run(global, &folder, Some(&reader))?;
    // The runner waits for the end of this process.
    processes::end_now(Status::Done.number())
}

fn run(global: &GlobalArgs, folder: &Path, reader: Option<&Reader>) -> Result<Status, Failure> {
    let find_mailer = || match settings(global) {
        Ok(settings) => settings.delivery.mailer(),
        Err(failure) => Err(failure.errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
    };
    perform::run_attempt(folder, reader, &find_mailer)?;
    Ok(Status::Done)
}

/// The number of times the site file is read while the machine refuses.
const MOST_TRIES: u32 = 600;
/// The pause between two tries.
const PAUSE: Duration = Duration::from_secs(1);

/// Returns the settings, as soon as the machine can read them: nothing has started yet.
fn settings(global: &GlobalArgs) -> Result<Settings, Failure> {
    for _ in 1..MOST_TRIES {
        match session::settings(global) {
            Err(failure) if failure.errors.iter().any(Error::may_pass) => pause(PAUSE),
            settings => return settings,
        }
    }
    session::settings(global)
}
