//! A fault of one job or action that does not stop the others.

use crate::error::Error;

/// A fault of one job or action that did not stop the step.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// The id of the job or action.
    pub(crate) subject: String,
    pub(crate) error: Error,
}
