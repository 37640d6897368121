//! A fault of one job or action that does not stop the others.

use howdah_words::error::Error;

/// A fault of one job or action that did not stop the step.
#[derive(Debug, PartialEq, Eq)]
pub struct Fault {
    /// The id of the job or action.
    pub subject: String,
    pub error: Error,
}
