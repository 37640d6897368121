//! Work of a shim that waits while the machine or a server fails: the work is tried again until it is done or refused.
//!
//! A failure that may pass says nothing about the work. Each try must first check what exists, because the one before
//! may have done a part. Must not depend on what the work is.

use std::io;
use std::path::Path;

use crate::failure::{Failure, FailureKind};
use howdah_host::attempt::{self, Retry};
use howdah_host::command::WorkOutcome;
use howdah_host::found;
use howdah_host::processes::Signal;
use howdah_words::error::Error;

/// A failure that needs free space first.
const NO_SPACE: FailureKind = FailureKind::NonTransient;
/// A failure that may pass for another reason.
const MACHINE: FailureKind = FailureKind::Transient;

/// Whether all of the work was done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completion {
    ToTheEnd,
    /// The attempt is to end.
    Stopped,
}

/// Returns the failure with the kind that an error of the system gives it.
pub(super) fn because(failure: Failure, error: &io::Error) -> Failure {
    let kind = match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => NO_SPACE,
        _ if found::may_pass(error) => MACHINE,
        _ => FailureKind::Error,
    };
    Failure { kind, ..failure }
}

/// Returns the same for an error of the project.
pub(super) fn because_of(failure: Failure, error: &Error) -> Failure {
    passing(failure, error.may_pass())
}

/// Returns the same for a failure of which it is known whether it may pass.
pub(super) fn passing(failure: Failure, may_pass: bool) -> Failure {
    Failure { kind: if may_pass { MACHINE } else { FailureKind::Error }, ..failure }
}

/// Repeats work after failures that may pass, until the attempt in `folder` is to end. Waits for free space without a
/// limit, for everything else at most an hour.
pub(super) fn retry_while_blocked(
    folder: &Path,
    mut act: impl FnMut() -> Result<Completion, Failure>,
) -> Result<Completion, Failure> {
    let mut retry = Retry::new(folder);
    loop {
        if attempt::is_kill_requested(folder) {
            return Ok(Completion::Stopped);
        }
        match act() {
            Err(failure) if failure.is_about_start() && retry.allows_passing(failure.kind == NO_SPACE) => {
                retry.wait(&failure.message);
            }
            done => return done,
        }
    }
}

/// Returns the outcome of an attempt whose work ended so.
pub(super) fn outcome(done: Result<Completion, Failure>) -> WorkOutcome {
    match done {
        Ok(Completion::ToTheEnd) => WorkOutcome::Exited(0),
        Ok(Completion::Stopped) => WorkOutcome::Signaled(Signal::Terminate.number()),
        Err(Failure { code, message, .. }) => WorkOutcome::Failed { code, message },
    }
}
