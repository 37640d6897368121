//! The folders of the runs of workflow jobs, for a purge.
//!
//! Only folders with the id of a workflow job are deleted: all other files there stay.

use std::path::{Path, PathBuf};

use crate::service::purge::purged::Purged;
use howdah_host::deletion::Clearing;
use howdah_host::files;
use howdah_words::error::Result;
use howdah_words::model::effect::Effect;
use howdah_words::model::id::{JobId, JobKind};
use howdah_words::model::time::Timestamp;

/// The folder with a folder for each workflow job.
pub(super) struct Folders {
    path: PathBuf,
    /// `None` when there is no such folder.
    clearing: Option<Clearing>,
    effect: Effect,
}

impl Folders {
    /// Opens the folder; H0123 when it exists and cannot be opened.
    pub(super) fn open(path: &Path, effect: Effect) -> Result<Self> {
        Ok(Self { path: path.to_owned(), clearing: Clearing::open(path)?, effect })
    }

    /// Deletes or measures the folder of a workflow job, and records the result.
    pub(super) fn remove(&self, id: &str, done: &mut Purged) {
        let Some(clearing) = &self.clearing else { return };
        let removed = match self.effect {
            Effect::Stored => clearing.delete(id),
            Effect::DryRun => clearing.measure(id),
        };
        match removed {
            Ok(Some(bytes)) => {
                done.folders += 1;
                done.folder_bytes += bytes;
            }
            Ok(None) => {}
            Err(error) => {
                done.faults
                    .push(error.help("delete it by hand, or correct its permissions: the next purge tries again"));
            }
        }
    }

    /// Returns the ids of the folders to which nothing was added since a moment.
    ///
    /// After a database was restored from a backup, folders of later jobs belong to no job in it. The age limit
    /// protects those that may still be running.
    pub(super) fn old(&self, before: Timestamp) -> Result<Vec<JobId>> {
        let Some(clearing) = &self.clearing else { return Ok(Vec::new()) };
        let mut old = Vec::new();
        for path in files::list(&self.path)? {
            let name = path.file_name().and_then(|name| name.to_str());
            let Some(id) = name.and_then(JobId::parse).filter(|id| id.kind() == JobKind::Workflow) else { continue };
            if clearing.modified_at(id.as_str())?.is_some_and(|at| at < before.seconds()) {
                old.push(id);
            }
        }
        Ok(old)
    }
}
