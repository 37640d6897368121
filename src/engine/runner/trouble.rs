//! What is in the way of the runner.

/// What is in the way of a job: its id, or who else it is about, and the words that were given.
pub(crate) type Trouble = (String, String);
