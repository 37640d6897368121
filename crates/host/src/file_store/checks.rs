//! What every store refuses before it is asked. Must not depend on a protocol.

use std::io::{self, ErrorKind};

use super::store_path::StorePath;
use super::{Entry, Existing, StoreError};

/// The refusal to do something with a path, which says why.
pub(super) fn refused(kind: ErrorKind, path: &StorePath, why: &str) -> io::Error {
    StoreError::refused(kind, format!("[{}] {why}", path.as_str()))
}

/// Refuses to delete the root.
pub(super) fn check_deletion(path: &StorePath) -> io::Result<()> {
    if path.is_root() {
        return Err(refused(ErrorKind::InvalidInput, path, "is the whole store, which is never deleted"));
    }
    Ok(())
}

/// Refuses a rename that no store can do.
pub(super) fn check_rename(from: &StorePath, to: &StorePath) -> io::Result<()> {
    if from.is_root() || (to != from && to.is_within(from)) {
        return Err(refused(ErrorKind::InvalidInput, from, "cannot be moved below itself"));
    }
    Ok(())
}

/// Refuses a target that must not be written; `found` is what is there.
pub(super) fn check_target(to: &StorePath, found: Option<&Entry>, existing: Existing) -> io::Result<()> {
    match (found, existing) {
        (Some(_), Existing::Keep) => Err(refused(ErrorKind::AlreadyExists, to, "exists")),
        (Some(entry), Existing::Replace) if entry.is_folder => Err(refused(ErrorKind::IsADirectory, to, "is a folder")),
        _ => Ok(()),
    }
}
