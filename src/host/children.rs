//! The processes that this one starts, adopts and takes leave of, and what they have used.
//!
//! A stray is a process whose parent has died. Must never know what a child does.

use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use super::{environment, files};
use crate::error::{Error, ErrorCode};

/// The processes this one has started and must wait for, so that they do not stay behind as zombies.
#[derive(Debug, Default)]
pub(crate) struct Children(Vec<Child>);

impl Children {
    /// Starts howdah itself with `arguments` (a hidden verb), detached from the terminal: standard input is empty,
    /// output and errors are appended to `log`. Returns the new process's number. H0140, H0111.
    pub(crate) fn spawn_howdah<S: AsRef<OsStr>>(&mut self, arguments: &[S], log: &Path) -> Result<u32, Error> {
        let child = howdah(arguments, log)?.spawn().map_err(|error| Error::new(ErrorCode::H0140, error))?;
        let pid = child.id();
        self.0.push(child);
        Ok(pid)
    }

    /// Takes leave of the children that have ended; how many are left.
    pub(crate) fn reap(&mut self) -> usize {
        self.0.retain_mut(|child| matches!(child.try_wait(), Ok(None)));
        self.0.len()
    }
}

/// Howdah itself with `arguments` (a hidden verb), not yet started: standard input is empty, output and errors are
/// appended to `log`. H0140, H0111.
pub(super) fn howdah<S: AsRef<OsStr>>(arguments: &[S], log: &Path) -> Result<Command, Error> {
    let refuse = |error: std::io::Error| Error::new(ErrorCode::H0140, error);
    let program = environment::current_program().map_err(refuse)?;
    let errors = files::open_to_append(log)?;
    let output: File = errors.try_clone().map_err(refuse)?;
    let mut command = Command::new(program);
    std::os::unix::process::CommandExt::arg0(&mut command, "howdah");
    command.args(arguments).stdin(Stdio::null()).stdout(output).stderr(errors);
    if let Some(variables) = environment::for_own_processes() {
        command.env_clear().envs(variables);
    }
    Ok(command)
}

/// From here on processes below this one whose parent dies are handed to this one.
#[cfg(target_os = "linux")]
pub(crate) fn adopt_strays() {
    // Refused by no kernel since 3.4; without it strays go to process 1 instead of here.
    let _ = rustix::process::set_child_subreaper(Some(rustix::process::getpid()));
}

/// Where no process but the first can have them.
#[cfg(not(target_os = "linux"))]
pub(crate) fn adopt_strays() {}

/// Whether strays are handed to this process.
#[cfg(target_os = "linux")]
pub(super) fn adopts_strays() -> bool {
    rustix::process::child_subreaper().is_ok_and(|reaper| reaper.is_some())
}

/// Nowhere but on Linux.
#[cfg(not(target_os = "linux"))]
pub(super) fn adopts_strays() -> bool {
    false
}

/// What processes have used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Usage {
    /// Seconds of CPU time in their own code.
    pub(crate) user_seconds: f64,
    /// Seconds of CPU time in the kernel.
    pub(crate) system_seconds: f64,
    /// Bytes of memory that the largest of them occupied at most.
    pub(crate) max_memory: u64,
}

/// What the children of this process, and theirs, have used together, as far as they were waited for.
pub(crate) fn usage_of_children() -> Option<Usage> {
    use nix::sys::resource::{UsageWho, getrusage};
    use nix::sys::time::{TimeVal, TimeValLike as _};

    // The kernel counts in pages and tells KiB; macOS tells bytes.
    const UNIT: u64 = if cfg!(target_os = "macos") { 1 } else { 1024 };
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).ok()?;
    #[expect(clippy::cast_precision_loss, reason = "microseconds of centuries fit")]
    let seconds = |time: TimeVal| time.num_microseconds() as f64 / 1e6;
    Some(Usage {
        user_seconds: seconds(usage.user_time()),
        system_seconds: seconds(usage.system_time()),
        max_memory: u64::try_from(usage.max_rss()).unwrap_or_default().saturating_mul(UNIT),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn howdah_is_started_with_its_output_in_the_log_and_reaped() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("runner.log");
        let mut children = Children::default();
        // Here the program that runs is the test program, which knows `--list`.
        assert!(children.spawn_howdah(&["--list"], &log).unwrap() > 0);
        while children.reap() > 0 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(std::fs::read_to_string(&log).unwrap().contains("howdah_is_started"));
    }
}
