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
/// The file in the attempt's folder into which a main class writes the ids of the jobs that it started elsewhere.
pub(super) const JOBS_FILE: &str = "externalChildIDs";
/// The file in the attempt's folder into which a main class writes its counters, as JSON.
pub(super) const COUNTERS_FILE: &str = "stats.properties";
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

    /// What a command has written into its attempt's folder; `None` when it wrote nothing.
    ///
    /// Ids stand one after another with commas or white space between. Counters are one JSON object per group; whatever
    /// else the text holds is no counter, as in Oozie, where it is only shown.
    pub(super) fn written(folder: &Path) -> Option<Self> {
        let read = |name: &str| {
            let bytes = files::read_start_of_plain(&folder.join(name), LARGEST).unwrap_or_default();
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let jobs = read(JOBS_FILE);
        let jobs = jobs.split(|letter: char| letter == ',' || letter.is_whitespace());
        let jobs: Vec<String> = jobs.filter(|id| !id.is_empty()).map(str::to_owned).collect();
        let counters = counters(&read(COUNTERS_FILE));
        (!jobs.is_empty() || counters.is_some()).then_some(Self { jobs, counters })
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

    /// The counters of an action of this type as `hadoop:counters()` reads them: JSON with the type beside the groups.
    pub(crate) fn stats(&self, kind: &str) -> Option<String> {
        let kind = kind.replace('-', "_").to_uppercase();
        let groups =
            self.counters.as_ref()?.iter().map(|(group, counters)| (group.clone(), serde_json::json!(counters)));
        let members = std::iter::once(("ACTION_TYPE".to_owned(), kind.into())).chain(groups);
        Some(serde_json::Value::Object(members.collect()).to_string())
    }

    /// The ids as `wf:actionData()` gives them, under the key that Oozie uses; an application of YARN goes by the name of
    /// its job.
    pub(super) fn jobs_as_data(&self) -> Option<Properties> {
        let jobs = self.jobs.join(",").replace("application_", "job_");
        (!jobs.is_empty()).then(|| [("hadoopJobs".to_owned(), jobs)].into())
    }
}

/// The groups of counters in a JSON text; `None` when it has none.
fn counters(text: &str) -> Option<Counters> {
    let groups: BTreeMap<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    let group = |(name, value): (String, serde_json::Value)| Some((name, serde_json::from_value(value).ok()?));
    let counters: Counters = groups.into_iter().filter_map(group).collect();
    (!counters.is_empty()).then_some(counters)
}

#[cfg(test)]
mod tests {
    use super::super::testing::Sandbox;
    use super::*;

    fn check(jobs: &str, counters: &str, expect: &str) {
        let sandbox = Sandbox::new();
        sandbox.write("attempt/externalChildIDs", jobs);
        sandbox.write("attempt/stats.properties", counters);
        let report = Report::written(&sandbox.attempt);
        let got = report.map_or("nothing".to_owned(), |report| serde_json::to_string(&report).unwrap());
        assert_eq!(got, expect, "{jobs} {counters}");
    }

    #[test]
    fn a_command_tells_of_jobs_and_counters() {
        check("", "", "nothing");
        check(" \n,", "{}", "nothing");
        check("job_1,job_2\n", "", r#"{"jobs":["job_1","job_2"],"counters":null}"#);
        let stats = r#"{"ACTION_TYPE":"PIG","G":{"a":1,"b":-2},"H":{"c":"x"}}"#;
        check("", stats, r#"{"jobs":[],"counters":{"G":{"a":1,"b":-2}}}"#);
        check("j", "{\"G\":", r#"{"jobs":["j"],"counters":null}"#);
    }
}
