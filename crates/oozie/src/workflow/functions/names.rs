//! The functions of workflow expressions by their names. Must not depend on what they compute.

use Known::{Now, OfTheRun};

/// When the value of a call is known.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// Before the job runs, if only as of now: from its properties, from files, from the clock.
    Now,
    /// Not before the job runs: it depends on the job itself or on earlier nodes.
    OfTheRun,
}

/// Every function, without and with prefix.
const FUNCTIONS: &[(&str, Known)] = &[
    ("did you mean", Now),
    ("firstNotNull", Now),
    ("concat", Now),
    ("replaceAll", Now),
    ("appendAll", Now),
    ("trim", Now),
    ("urlEncode", Now),
    ("timestamp", Now),
    ("toJsonStr", Now),
    ("toPropertiesStr", Now),
    ("toConfigurationStr", Now),
    ("wf:id", OfTheRun),
    ("wf:name", Now),
    ("wf:appPath", Now),
    ("wf:conf", Now),
    ("wf:user", Now),
    ("wf:group", Now),
    ("wf:run", Now),
    ("wf:callback", OfTheRun),
    ("wf:transition", OfTheRun),
    ("wf:lastErrorNode", OfTheRun),
    ("wf:errorCode", OfTheRun),
    ("wf:errorMessage", OfTheRun),
    ("wf:actionData", OfTheRun),
    ("wf:actionExternalId", OfTheRun),
    ("wf:actionTrackerUri", OfTheRun),
    ("wf:actionExternalStatus", OfTheRun),
    ("hadoop:counters", OfTheRun),
    ("hadoop:conf", Now),
    ("fs:exists", Now),
    ("fs:isDir", Now),
    ("fs:fileSize", Now),
    ("fs:dirSize", Now),
    ("fs:blockSize", Now),
    ("hcat:exists", Now),
];

/// The names, for "did you mean".
pub(in crate::workflow) fn names() -> impl Iterator<Item = &'static str> {
    FUNCTIONS.iter().map(|(name, _)| *name)
}

/// Whether a call of this function has no value before the job runs.
pub(in crate::workflow) fn is_of_the_run(name: &str) -> bool {
    FUNCTIONS.contains(&(name, OfTheRun))
}
