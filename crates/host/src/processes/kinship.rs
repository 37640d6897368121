//! Which processes belong together: their sessions, their users and the folders in which they work.
//!
//! Where the system does not report it, the answer is `None` or an error, never a guess. Must not
//! depend on attempts.

use std::path::Path;

use super::table;
use crate::found::Unknown;

/// The number of the user who started a process; `None` when there is no such process, or the system does not report
/// it.
pub fn user_of(pid: i32) -> Option<u32> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("Uid:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

/// The process groups of the session `leader`, without the leader's own; empty where sessions cannot be listed (macOS),
/// so that only the command's own group is reached there.
///
/// # Errors
/// Fails when the process table cannot be read.
pub(crate) fn groups_of_session(leader: i32) -> Result<Vec<i32>, Unknown> {
    let mut groups: Vec<i32> = table::all()?
        .into_iter()
        .filter(|entry| entry.session == leader && entry.group != leader)
        .map(|entry| entry.group)
        .collect();
    groups.sort_unstable();
    groups.dedup();
    Ok(groups)
}

/// Whether a process has this folder as its working directory; `None` where the system does not report it.
pub(crate) fn works_in(pid: i32, folder: &Path) -> Option<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = std::fs::metadata(format!("/proc/{pid}/cwd")).ok()?;
    let folder = std::fs::metadata(folder).ok()?;
    Some((own.dev(), own.ino()) == (folder.dev(), folder.ino()))
}

/// Whether the working directory of a process, or the file of its output, is in this folder or below it; `None` where
/// the system does not report it.
pub(crate) fn works_below(pid: i32, folder: &Path) -> Option<bool> {
    let folder = std::fs::canonicalize(folder).ok()?;
    let leads_below = |link: &str| Some(std::fs::read_link(format!("/proc/{pid}/{link}")).ok()?.starts_with(&folder));
    let answers = ["cwd", "fd/1", "fd/2"].map(leads_below);
    if answers.contains(&Some(true)) { Some(true) } else { answers[0] }
}

/// The number of the session of a process; `None` when it does not exist or the system does not report it.
pub(crate) fn session_of(pid: i32) -> Option<i32> {
    table::read(pid).known().ok().flatten().map(|entry| entry.session)
}

/// The numbers of the running processes of the session `leader` other than the leader; none where sessions cannot be
/// listed.
///
/// # Errors
/// Fails when the process table cannot be read.
pub(crate) fn members_of_session(leader: i32) -> Result<Vec<i32>, Unknown> {
    let is_member = |entry: &table::Entry| entry.session == leader && entry.pid != leader;
    Ok(table::all()?.into_iter().filter(is_member).map(|entry| entry.pid).collect())
}
