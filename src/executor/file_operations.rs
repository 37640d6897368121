//! File operations in order: all paths are checked, then the operations are done.
//!
//! The first failure ends the work, except a failure of the machine: then the operation is tried again and first checks
//! what exists.

use std::path::Path;

use crate::executor::file_operation::{Done, FileOperation, Limits, NO_SPACE, perform};
use crate::executor::precheck;
use crate::host::attempt::{self, Retry};
use crate::host::fault::fault_point;

/// Checks every path (decision W6), then does the operations [`in_order`]. `note` writes lines to the action's log.
pub(crate) fn execute(
    operations: &[FileOperation],
    limits: &Limits,
    folder: &Path,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Completion>) {
    match retry_while_blocked(folder, || precheck::check(operations, limits)) {
        Ok(Completion::ToTheEnd) => in_order(operations, limits, folder, note),
        other => (0, other),
    }
}

/// Does the operations in order until one fails or the attempt in `folder` is to end. Returns how many were done, and
/// the failure.
pub(crate) fn in_order(
    operations: &[FileOperation],
    limits: &Limits,
    folder: &Path,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Completion>) {
    for (done, operation) in operations.iter().enumerate() {
        fault_point("before-operation");
        let mut unanswered = Vec::new();
        match retry_while_blocked(folder, || perform(operation, &mut unanswered, limits, note)) {
            Ok(Completion::ToTheEnd) => {}
            other => return (done, other),
        }
    }
    (operations.len(), Ok(Completion::ToTheEnd))
}

/// Repeats an operation after failures of the machine, until the attempt in `folder` is to end. Waits for free space
/// without a limit, for everything else at most an hour.
fn retry_while_blocked(folder: &Path, mut act: impl FnMut() -> Done) -> Done<Completion> {
    let mut retry = Retry::new(folder);
    loop {
        if attempt::is_kill_requested(folder) {
            return Ok(Completion::Stopped);
        }
        match act() {
            Err(failure) if failure.is_about_start() && retry.allows_passing(failure.kind == NO_SPACE) => {
                retry.wait(&failure.message);
            }
            done => return done.map(|()| Completion::ToTheEnd),
        }
    }
}

/// Whether all operations were done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Completion {
    ToTheEnd,
    Stopped,
}
