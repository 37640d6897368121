//! The report of an attempt's work: the ids of jobs that it started on other machines, and counters.
//!
//! Written by the shim into the attempt's folder before the outcome, read by the process that records the outcome. The
//! contents of that folder are untrusted: anything that is no report counts as an empty one.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use howdah_host::attempt;
use howdah_host::found::Unknown;
use howdah_words::error::Error;
use howdah_words::model::Properties;

const FILE: &str = "report.json";
/// The file in the attempt's folder into which a main class writes the ids of the jobs that it started elsewhere.
pub(super) const JOBS_FILE: &str = "externalChildIDs";
/// The file in the attempt's folder into which a main class writes its counters, as JSON.
pub(super) const COUNTERS_FILE: &str = "stats.properties";
/// Largest report that is read, in bytes: ids and counters within their bounds, written as JSON.
const LARGEST: u64 = 9 << 20;
/// Most bytes of one id.
const LONGEST_ID: usize = 1000;
/// The most bytes of ids, and of counters, that a main class may write.
const MOST_WRITTEN: usize = 4 << 20;

/// Counters by group and name (specification, section 4.2.6).
pub(crate) type Counters = BTreeMap<String, BTreeMap<String, i64>>;

/// The report of the work.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// The ids of the jobs that were started elsewhere, in the order in which they were named.
    pub jobs: Vec<String>,
    /// The counters of the work, if it has any.
    pub counters: Option<Counters>,
}

impl Report {
    /// Returns the report in an attempt's folder; an empty one where there is none.
    ///
    /// # Errors
    /// Fails when the machine cannot tell.
    pub fn read(folder: &Path) -> Result<Self, Unknown> {
        let bytes = attempt::read_start_of(folder, FILE, LARGEST).known()?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Returns what a command wrote into its attempt's folder; `None` when it wrote nothing. JA018 for ids with more
    /// than `limit` bytes, and for counters above the bound of all.
    ///
    /// Ids are separated by commas or white space. Counters are one JSON object per group; other content is ignored.
    /// Oozie only shows it.
    ///
    /// # Errors
    /// Fails when the machine cannot read them.
    pub(super) fn written(folder: &Path, limit: usize) -> Result<Result<Option<Self>, Failure>, Unknown> {
        let texts = [read_written(folder, JOBS_FILE, limit)?, read_written(folder, COUNTERS_FILE, MOST_WRITTEN)?];
        let [Ok(jobs), Ok(counters)] = texts else {
            return Ok(texts.into_iter().collect::<Result<Vec<_>, _>>().map(|_| None));
        };
        Ok(Ok(Self::of(&jobs, &counters)))
    }

    fn of(jobs: &str, counted: &str) -> Option<Self> {
        let jobs = jobs.split(|letter: char| letter == ',' || letter.is_whitespace());
        let jobs: Vec<String> = jobs.filter(|id| !id.is_empty()).map(str::to_owned).collect();
        let counters = counters(counted);
        (!jobs.is_empty() || counters.is_some()).then_some(Self { jobs, counters })
    }

    /// Writes it, and repeats this after failures of the machine, unless the attempt is killed; H0103, H0111.
    pub(super) fn write(&self, folder: &Path) -> Result<(), Error> {
        let text = serde_json::to_vec(self).expect("a report becomes JSON");
        attempt::write_when_possible(folder, FILE, &text)
    }

    /// Returns the external id of the work: the first job that it started elsewhere.
    pub fn external_id(&self) -> Option<&str> {
        self.jobs.first().map(String::as_str).filter(|id| id.len() <= LONGEST_ID)
    }

    /// Returns the counters of an action of this type as `hadoop:counters()` reads them: JSON with the type beside the
    /// groups, and for `pig` which jobs it has started.
    pub fn stats(&self, kind: &str) -> Option<String> {
        let graph = self.job_ids().filter(|_| kind == "pig").map(|ids| {
            let number = ("NUMBER_JOBS".to_owned(), serde_json::json!(self.jobs.len().to_string()));
            [("JOB_GRAPH".to_owned(), ids.into()), number]
        });
        if self.counters.is_none() && graph.is_none() {
            return None;
        }
        let groups = self.counters.iter().flatten();
        let groups = groups.map(|(group, counters)| (group.clone(), serde_json::json!(counters)));
        let kind = kind.replace('-', "_").to_uppercase();
        let members = std::iter::once(("ACTION_TYPE".to_owned(), kind.into()));
        let members = members.chain(graph.into_iter().flatten()).chain(groups);
        Some(serde_json::Value::Object(members.collect()).to_string())
    }

    /// Returns the ids as `wf:actionData()` returns them, under the key that Oozie uses. None when they have more than
    /// `most` bytes: no shim writes those.
    pub(super) fn jobs_as_data(&self, most: usize) -> Option<Properties> {
        let jobs = self.job_ids().filter(|jobs| jobs.len() <= most.min(MOST_WRITTEN))?;
        Some([("hadoopJobs".to_owned(), jobs)].into())
    }

    /// Returns the ids, with commas between; an application of YARN goes by the name of its job.
    fn job_ids(&self) -> Option<String> {
        let jobs = self.jobs.join(",").replace("application_", "job_");
        (!jobs.is_empty()).then_some(jobs)
    }
}

/// Returns the text of a file that a main class has written; an empty one where there is none. JA018 above `limit`
/// bytes, or above the bound of all if that is less.
fn read_written(folder: &Path, name: &str, limit: usize) -> Result<Result<String, Failure>, Unknown> {
    let limit = limit.min(MOST_WRITTEN);
    // One byte more than allowed shows that there is too much.
    let bytes = attempt::read_start_of(folder, name, limit as u64 + 1).known()?.unwrap_or_default();
    if bytes.len() > limit {
        return Ok(Err(Failure::error("JA018", format!("{name} data exceeds its limit [{limit}]"))));
    }
    Ok(Ok(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Returns the groups of counters in a JSON text; `None` when it has none.
fn counters(text: &str) -> Option<Counters> {
    if text.is_empty() {
        return None;
    }
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
        let got = match Report::written(&sandbox.attempt, 12).unwrap() {
            Ok(report) => report.map_or("nothing".to_owned(), |report| serde_json::to_string(&report).unwrap()),
            Err(failure) => format!("{} {}", failure.code, failure.message),
        };
        assert_eq!(got, expect, "{jobs} {counters}");
    }

    #[test]
    fn stats_have_a_type_and_for_pig_its_jobs() {
        let check = |kind: &str, jobs: &[&str], counters: Option<Counters>, expect: Option<&str>| {
            let report = Report { jobs: jobs.iter().map(|id| (*id).to_owned()).collect(), counters };
            assert_eq!(report.stats(kind).as_deref(), expect, "{kind} {jobs:?}");
        };
        let counters = || Some(Counters::from([("G".to_owned(), [("a".to_owned(), 1)].into())]));
        check("pig", &[], None, None);
        check("hive", &["job_1_2"], None, None);
        check("map-reduce", &["job_1_2"], counters(), Some(r#"{"ACTION_TYPE":"MAP_REDUCE","G":{"a":1}}"#));
        let graph = r#"{"ACTION_TYPE":"PIG","JOB_GRAPH":"job_1_2,job_1_3","NUMBER_JOBS":"2"}"#;
        check("pig", &["application_1_2", "job_1_3"], None, Some(graph));
        let both = r#"{"ACTION_TYPE":"PIG","JOB_GRAPH":"job_1_2","NUMBER_JOBS":"1","G":{"a":1}}"#;
        check("pig", &["job_1_2"], counters(), Some(both));
    }

    #[test]
    fn a_command_reports_jobs_and_counters() {
        check("", "", "nothing");
        check(" \n,", "{}", "nothing");
        check("job_1,job_2\n", "", r#"{"jobs":["job_1","job_2"],"counters":null}"#);
        let stats = r#"{"ACTION_TYPE":"PIG","G":{"a":1,"b":-2},"H":{"c":"x"}}"#;
        check("", stats, r#"{"jobs":[],"counters":{"G":{"a":1,"b":-2}}}"#);
        check("job_1,job_22", "", r#"{"jobs":["job_1","job_22"],"counters":null}"#);
        check("job_1,job_222", "", "JA018 externalChildIDs data exceeds its limit [12]");
        let limit = format!("JA018 stats.properties data exceeds its limit [{MOST_WRITTEN}]");
        check("", &" ".repeat(MOST_WRITTEN + 1), &limit);
        check("j", "{\"G\":", r#"{"jobs":["j"],"counters":null}"#);
    }
}
