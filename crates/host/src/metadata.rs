//! The metadata of a path as an answer of the machine: present, absent or unknown. Must not depend on what the path is.

use std::fs::Metadata;
use std::path::Path;

use super::found::Found;
use super::looks;

/// The metadata of what `path` names; follows links.
pub fn of(path: &Path) -> Found<Metadata> {
    Found::of(path, looks::metadata(path))
}

/// The metadata of `path` itself; does not follow a link.
pub fn of_link(path: &Path) -> Found<Metadata> {
    Found::of(path, looks::symlink_metadata(path))
}
