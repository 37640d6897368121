//! A workflow job that is advanced, and the machine that its actions meet.

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

/// One job while it is advanced.
pub(crate) struct Advance<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) mounts: &'a Mounts,
    pub(crate) surroundings: &'a Surroundings,
    pub(crate) run: &'a mut Run,
    pub(crate) now: &'a Now,
    /// Where a node that needs a place on this machine asks for one.
    pub(crate) places: &'a mut Places,
    pub(crate) cause: Cause<'a>,
}

/// What the machine lends to the actions of a user.
#[derive(Debug)]
pub(crate) struct Surroundings {
    pub(crate) runs: PathBuf,
    pub(crate) home: PathBuf,
    pub(crate) environment: BTreeMap<String, String>,
    /// With whose rights the files of the job are looked at.
    pub(crate) worker: Worker,
}

impl Surroundings {
    /// What the commands of a job find when they run; `runs` is the folder of all attempts.
    ///
    /// # Errors
    /// As [`Worker::home`].
    pub(crate) fn of(worker: &Worker, runs: &Path) -> Result<Self> {
        let (home, environment) = (worker.home()?, worker.environment());
        Ok(Self { runs: runs.to_owned(), home, environment, worker: worker.clone() })
    }
}
