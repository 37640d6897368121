//! The context of a job that is advanced: its settings, its user's home folder and environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::engine::run_as::Worker;
use crate::engine::runner::job::Run;
use crate::engine::runner::places::Places;
use crate::engine::settings::Settings;
use crate::engine::transition::cause::Cause;
use crate::error::Result;
use crate::host::mounts::Mounts;
use crate::model::time::Now;

/// A workflow job and what is needed to advance it.
pub(crate) struct Advance<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) mounts: &'a Mounts,
    pub(crate) user_context: &'a UserContext,
    pub(crate) run: &'a mut Run,
    pub(crate) now: &'a Now,
    /// The places on this machine that its commands may take.
    pub(crate) places: &'a mut Places,
    pub(crate) cause: Cause<'a>,
    /// Whether all jobs are paused: no node of an action starts.
    pub(crate) is_paused: bool,
}

/// The home folder, environment and rights of the user for whom actions run.
#[derive(Debug)]
pub(crate) struct UserContext {
    pub(crate) runs: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) environment: BTreeMap<String, String>,
    /// Reads the files of the job with the rights of the user.
    pub(crate) worker: Worker,
}

impl UserContext {
    /// Reads the context of the user of a worker; `runs` is the folder of all attempts, `site` the runner's settings.
    ///
    /// # Errors
    /// As [`Worker::home`].
    pub(crate) fn of(worker: &Worker, runs: &Path, site: (&Settings, &Mounts)) -> Result<Self> {
        let (home, environment) = (worker.home()?, worker.environment(site.0, site.1)?);
        Ok(Self { runs: runs.to_owned(), home, environment, worker: worker.clone() })
    }
}
