//! A streaming job on this machine, as the shim reads it.

use serde::{Deserialize, Serialize};

use crate::command_work::CommandWork;
use crate::streaming::record::Fields;
use howdah_host::command::CommandLine;
use howdah_host::located::Located;

/// Whether folders in an input folder are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Recursion {
    /// A folder in an input folder is an error, as in Hadoop.
    Refused,
    /// Their files are inputs too.
    All,
}

/// A streaming job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct StreamingWork {
    /// The mapper, with what it needs before it runs; reducers need the same.
    pub command: CommandWork,
    /// The reducer; without one its records are the output.
    pub reducer: Option<CommandLine>,
    pub inputs: Vec<Located>,
    pub descent: Recursion,
    pub output: Located,
    /// The name of the folder beside the output where it is written. Only this node uses it, so an attempt finds what
    /// an earlier one left.
    pub(crate) unfinished_name: String,
    /// How many reducers; 0 when the output of the mappers is the job's.
    pub reducers: u32,
    pub(crate) map_output: Fields,
    pub(crate) reduce_output: Fields,
    pub(crate) reduce_input_separator: String,
    pub(crate) output_separator: String,
    /// The id that tasks get, in Hadoop's form.
    pub job_id: String,
    /// How many bytes are sorted at a time.
    pub buffer: usize,
    /// The prefix of lines on standard error that are not for the log.
    pub reporter: String,
    /// Whether an exit status other than 0 is a failure.
    pub(crate) status_counts: bool,
    /// Whether the file `_SUCCESS` is written.
    pub(crate) marks_success: bool,
    /// The store of paths without scheme, for its counters; empty when it is the file system of this machine.
    #[serde(default)]
    pub store: String,
}

impl StreamingWork {
    /// Returns what names the store of a path: the path itself, or the action's name-node.
    pub(crate) fn store_of<'a>(&'a self, shown: &'a str) -> &'a str {
        if shown.contains(':') { shown } else { &self.store }
    }
}
