//! File operations in order: all paths are checked, then the operations are done.
//!
//! The first failure ends the work, except a failure of the machine: then the operation is tried again and first checks
//! what exists.

use std::path::Path;

use crate::blocked::{Completion, retry_while_blocked};
use crate::file_operation::{Done, FileOperation, Limits, perform};
use crate::precheck;
use howdah_host::fault::fault_point;

/// Checks every path (decision W6), then does the operations [`in_order`]. `note` writes lines to the action's log.
pub(super) fn execute(
    operations: &[FileOperation],
    limits: &Limits,
    folder: &Path,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Completion>) {
    match retry_while_blocked(folder, || precheck::check(operations, limits).map(|()| Completion::ToTheEnd)) {
        Ok(Completion::ToTheEnd) => in_order(operations, limits, folder, note),
        other => (0, other),
    }
}

/// Does the operations in order until one fails or the attempt in `folder` is to end. Returns how many were done, and
/// the failure.
pub(super) fn in_order(
    operations: &[FileOperation],
    limits: &Limits,
    folder: &Path,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Completion>) {
    for (done, operation) in operations.iter().enumerate() {
        fault_point("before-operation");
        let mut unanswered = Vec::new();
        let mut once = || perform(operation, &mut unanswered, limits, note).map(|()| Completion::ToTheEnd);
        match retry_while_blocked(folder, &mut once) {
            Ok(Completion::ToTheEnd) => {}
            other => return (done, other),
        }
    }
    (operations.len(), Ok(Completion::ToTheEnd))
}
