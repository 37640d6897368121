//! File operations in order: all paths are checked, then the operations are done.

use crate::executor::file_operation::{Done, FileOperation, Limits, perform};
use crate::executor::precheck;
use crate::host::fault::fault_point;

/// Checks every path (decision W6), then does the operations in order until one fails or `stop` says to;
/// how many were done, and the failure. `note` takes lines for the action's log.
pub(crate) fn execute(
    operations: &[FileOperation],
    limits: &Limits,
    stop: impl Fn() -> bool,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Progress>) {
    if let Err(failure) = precheck::check(operations, limits) {
        return (0, Err(failure));
    }
    for (done, operation) in operations.iter().enumerate() {
        if stop() {
            return (done, Ok(Progress::Stopped));
        }
        fault_point("before-operation");
        if let Err(failure) = perform(operation, limits, note) {
            return (done, Err(failure));
        }
    }
    (operations.len(), Ok(Progress::ToTheEnd))
}

/// Whether all operations were done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Progress {
    ToTheEnd,
    Stopped,
}
