//! What a process has from the one that started it and does not keep: open files, and the right of others to write.
//!
//! An open file of the caller would reach the commands of other users, and a lock on it would be held as long as a
//! runner lives. Only standard input, output and error stay. Must never know what the process is for.

use std::fs;

use rustix::fs::Mode;
use rustix::process::umask;

/// The last of the descriptors that stay: standard error.
const LAST_KEPT: i32 = 2;
/// The folders in which a system lists the descriptors of a process.
const LISTS: [&str; 2] = ["/proc/self/fd", "/dev/fd"];
/// How many descriptors are closed one by one where no folder lists them.
const MOST_UNLISTED: i32 = 65_536;
/// What nobody but the owner may do with a new file, whatever the caller's mask says.
const CLOSED_TO_OTHERS: Mode = Mode::WGRP.union(Mode::WOTH);

/// Closes what the caller has left open, and has new files written by their owner alone; a stricter mask stays.
///
/// To be called before anything is opened and before any thread is started.
pub(crate) fn shed() {
    let open = LISTS.iter().find_map(|list| listed(list)).unwrap_or_else(|| (LAST_KEPT + 1..MOST_UNLISTED).collect());
    for descriptor in open {
        // The descriptor by which the list was read is closed already.
        let _ = nix::unistd::close(descriptor);
    }
    umask(umask(Mode::empty()).union(CLOSED_TO_OTHERS));
}

/// The descriptors in a list that are not to stay.
fn listed(list: &str) -> Option<Vec<i32>> {
    let entries = fs::read_dir(list).ok()?;
    let numbers = entries.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Some(numbers.filter(|number| *number > LAST_KEPT).collect())
}
