//! The counters of a streaming job, in the groups and under the names that Hadoop gives them.

use crate::report::Counters;

const TASK: &str = "org.apache.hadoop.mapreduce.TaskCounter";
/// The former name of the same group, which expressions use for `RECORDS`.
const OLD_TASK: &str = "org.apache.hadoop.mapred.Task$Counter";
const JOB: &str = "org.apache.hadoop.mapreduce.JobCounter";
const OLD_JOB: &str = "org.apache.hadoop.mapred.JobInProgress$Counter";
const FILE_SYSTEM: &str = "org.apache.hadoop.mapreduce.FileSystemCounter";
const OLD_FILE_SYSTEM: &str = "FileSystemCounters";
/// The groups that Hadoop has under two names.
const FORMER: [(&str, &str); 3] = [(TASK, OLD_TASK), (JOB, OLD_JOB), (FILE_SYSTEM, OLD_FILE_SYSTEM)];
/// The name of this machine's file system.
const OWN_STORE: &str = "FILE";
const INPUT: &str = "org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter";
const OUTPUT: &str = "org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter";
/// Most counters of a job, its own and Hadoop's.
const MOST: usize = 1000;

/// The counters that are updated here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counter {
    Mappers,
    Reducers,
    BytesRead,
    MapInputRecords,
    MapOutputRecords,
    MapOutputBytes,
    SpilledRecords,
    ReduceInputGroups,
    ReduceInputRecords,
    ReduceOutputRecords,
    BytesWritten,
}

impl Counter {
    const fn name(self) -> (&'static str, &'static str) {
        match self {
            Self::Mappers => (JOB, "TOTAL_LAUNCHED_MAPS"),
            Self::Reducers => (JOB, "TOTAL_LAUNCHED_REDUCES"),
            Self::BytesRead => (INPUT, "BYTES_READ"),
            Self::MapInputRecords => (TASK, "MAP_INPUT_RECORDS"),
            Self::MapOutputRecords => (TASK, "MAP_OUTPUT_RECORDS"),
            Self::MapOutputBytes => (TASK, "MAP_OUTPUT_BYTES"),
            Self::SpilledRecords => (TASK, "SPILLED_RECORDS"),
            Self::ReduceInputGroups => (TASK, "REDUCE_INPUT_GROUPS"),
            Self::ReduceInputRecords => (TASK, "REDUCE_INPUT_RECORDS"),
            Self::ReduceOutputRecords => (TASK, "REDUCE_OUTPUT_RECORDS"),
            Self::BytesWritten => (OUTPUT, "BYTES_WRITTEN"),
        }
    }
}

/// Counters that are added up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Tally(Counters);

impl Tally {
    /// Adds to one of Hadoop's counters.
    pub(super) fn count(&mut self, counter: Counter, amount: u64) {
        let (group, name) = counter.name();
        self.add(group, name, i64::try_from(amount).unwrap_or(i64::MAX));
    }

    /// Adds what was read from a path of the store that `uri` names.
    pub(super) fn count_read(&mut self, uri: &str, bytes: u64) {
        self.count(Counter::BytesRead, bytes);
        self.count_store(uri, "BYTES_READ", bytes);
    }

    /// Adds what was written to a path of the store that `uri` names.
    pub(super) fn count_written(&mut self, uri: &str, bytes: u64) {
        self.count(Counter::BytesWritten, bytes);
        self.count_store(uri, "BYTES_WRITTEN", bytes);
    }

    /// Every store is in the file system of this machine, so its counters are there too.
    fn count_store(&mut self, uri: &str, what: &str, bytes: u64) {
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        let store = uri.split_once(':').map(|(scheme, _)| scheme.to_uppercase()).filter(|store| store != OWN_STORE);
        for store in std::iter::once(OWN_STORE).chain(store.as_deref()) {
            self.add(FILE_SYSTEM, &format!("{store}_{what}"), bytes);
        }
    }

    /// Adds to any counter.
    pub(super) fn add(&mut self, group: &str, name: &str, amount: i64) {
        let counter = self.0.entry(group.to_owned()).or_default().entry(name.to_owned()).or_default();
        *counter = counter.saturating_add(amount);
    }

    /// Adds all counters of another tally.
    pub(super) fn merge(&mut self, other: &Self) {
        for (group, counters) in &other.0 {
            for (name, amount) in counters {
                self.add(group, name, *amount);
            }
        }
    }

    /// Checks whether there are more counters than a job may have.
    pub(super) fn is_full(&self) -> bool {
        self.0.values().map(std::collections::BTreeMap::len).sum::<usize>() > MOST
    }

    /// Returns all counters; those of Hadoop's groups under both names of their group.
    pub(super) fn finish(mut self) -> Counters {
        for (group, former) in FORMER {
            for (name, amount) in self.0.get(group).cloned().unwrap_or_default() {
                self.add(former, &name, amount);
            }
        }
        self.0
    }
}
