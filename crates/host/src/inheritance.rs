//! Removes what a process inherits from its parent and must not keep: open files, and group and world write permission.
//!
//! Other users' commands would get an open file of the caller, and a lock on it would last as long as a runner. Only
//! standard input, output and error stay. Must not depend on what the process is for.

use std::fs;

use rustix::fs::Mode;
use rustix::process::umask;

/// The last descriptor that stays: standard error.
const LAST_KEPT: i32 = 2;
/// The folders in which a system lists the descriptors of a process.
const LISTS: [&str; 2] = ["/proc/self/fd", "/dev/fd"];
/// How many descriptors are closed one by one where no folder lists them.
const MOST_UNLISTED: i32 = 65_536;
/// The permissions that only the owner may have on a new file, whatever the caller's umask is.
const CLOSED_TO_OTHERS: Mode = Mode::WGRP.union(Mode::WOTH);

/// Closes the files that the caller left open, and makes new files writable by their owner only; a stricter umask
/// stays.
///
/// To be called before anything is opened and before any thread is started.
pub fn drop_inherited() {
    let open = LISTS.iter().find_map(|list| listed(list)).unwrap_or_else(|| (LAST_KEPT + 1..MOST_UNLISTED).collect());
    for descriptor in open {
        // The descriptor that read the list is closed already.
        let _ = nix::unistd::close(descriptor);
    }
    umask(umask(Mode::empty()).union(CLOSED_TO_OTHERS));
}

/// The descriptors in a list that must be closed.
fn listed(list: &str) -> Option<Vec<i32>> {
    let entries = fs::read_dir(list).ok()?;
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Some(numbers.filter(|number| *number > LAST_KEPT).collect())
}
