//! What the work of an attempt tells besides how it ended: the ids of jobs it started elsewhere, and counters.
//!
//! Written by the shim into the attempt's folder before the outcome, read by whoever takes the outcome over. What lies in
//! that folder is the word of its owner: anything that is no report counts as an empty one.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::Error;
use crate::host::files;
use crate::model::Properties;

const FILE: &str = "report.json";
/// Largest report that is read, in bytes.
const LARGEST: u64 = 4 << 20;

/// Counters by group and name (specification, section 4.2.6).
pub(crate) type Counters = BTreeMap<String, BTreeMap<String, i64>>;

/// What the work tells.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Report {
    /// The ids of the jobs that were started elsewhere, in the order in which they were named.
    pub(crate) jobs: Vec<String>,
    /// The counters of the work, if it counts.
    pub(crate) counters: Option<Counters>,
}

impl Report {
    /// The report in an attempt's folder; an empty one where there is none.
    pub(crate) fn read(folder: &Path) -> Self {
        let bytes = files::read_start_of_plain(&folder.join(FILE), LARGEST).unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }

    /// Writes it; H0103, H0111.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Error> {
        let text = serde_json::to_vec(self).expect("a report becomes JSON");
        files::write_atomically(&folder.join(FILE), &text)
    }

    /// The id that stands for the work: of the first job it started elsewhere.
    pub(crate) fn external_id(&self) -> Option<&str> {
        self.jobs.first().map(String::as_str)
    }

    /// The ids as `wf:actionData()` gives them, under the key that Oozie uses; an application of YARN goes by the name of
    /// its job.
    pub(super) fn jobs_as_data(&self) -> Option<Properties> {
        let jobs = self.jobs.join(",").replace("application_", "job_");
        (!jobs.is_empty()).then(|| [("hadoopJobs".to_owned(), jobs)].into())
    }
}
