//! A problem that keeps the runner from advancing a job.

/// The id of the job (or the name of the part that has the problem) and the message.
pub type Problem = (String, String);

/// The subject of a problem that belongs to no job.
pub(crate) const THE_RUNNER: &str = "the runner";
