//! File operations in order: all paths are checked, then the operations are done.
//!
//! The first failure ends the work, unless the machine alone is in the way: then the operation is tried again, and
//! starts again with a check of what is there.

use std::path::Path;

use crate::executor::file_operation::{Done, FileOperation, Limits, ROOM, perform};
use crate::executor::precheck;
use crate::host::attempt::{self, Retry};
use crate::host::fault::fault_point;

/// Checks every path (decision W6), then does the operations [`in_order`]. `note` takes lines for the action's log.
pub(crate) fn execute(
    operations: &[FileOperation],
    limits: &Limits,
    folder: &Path,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Completion>) {
    match insist(folder, || precheck::check(operations, limits)) {
        Ok(Completion::ToTheEnd) => in_order(operations, limits, folder, note),
        other => (0, other),
    }
}

/// Does the operations in order until one fails or somebody asks for the end of the attempt in `folder`; how many were
/// done, and the failure.
pub(crate) fn in_order(
    operations: &[FileOperation],
    limits: &Limits,
    folder: &Path,
    note: &mut dyn FnMut(&str),
) -> (usize, Done<Completion>) {
    for (done, operation) in operations.iter().enumerate() {
        fault_point("before-operation");
        match insist(folder, || perform(operation, limits, note)) {
            Ok(Completion::ToTheEnd) => {}
            other => return (done, other),
        }
    }
    (operations.len(), Ok(Completion::ToTheEnd))
}

/// Repeats an operation while only the machine is in the way, unless somebody asks for the end of the attempt in
/// `folder`. Room is waited for as long as it takes, everything else for an hour.
fn insist(folder: &Path, mut act: impl FnMut() -> Done) -> Done<Completion> {
    let mut retry = Retry::new(folder);
    loop {
        if attempt::is_kill_requested(folder) {
            return Ok(Completion::Stopped);
        }
        match act() {
            Err(failure) if failure.is_about_start() && retry.allows_passing(failure.kind == ROOM) => {
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
