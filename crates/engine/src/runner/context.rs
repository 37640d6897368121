//! The context of a job that is advanced: its settings, its user's home folder and environment.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::run_as::Worker;
use crate::runner::job::Run;
use crate::runner::places::Places;
use crate::settings::Settings;
use crate::transition::cause::Cause;
use howdah_host::mounts::Mounts;
use howdah_words::error::Result;
use howdah_words::model::time::Now;

/// A workflow job and what is needed to advance it.
pub(crate) struct Advance<'a> {
    pub settings: &'a Settings,
    pub mounts: &'a Mounts,
    pub(crate) user_context: &'a UserContext,
    pub run: &'a mut Run,
    pub now: &'a Now,
    /// The places on this machine that its commands may take.
    pub places: &'a mut Places,
    pub cause: Cause<'a>,
    /// Whether all jobs are paused: no node of an action starts.
    pub is_paused: bool,
}

/// The home folder, environment and rights of the user for whom actions run.
#[derive(Debug)]
pub(crate) struct UserContext {
    pub runs: PathBuf,
    pub home: PathBuf,
    pub environment: BTreeMap<String, String>,
    /// Reads the files of the job with the rights of the user.
    pub worker: Worker,
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
